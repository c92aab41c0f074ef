# Reads the nonce, runs the program, and writes the nonce back only if its last line was reached.
lambda do
  program = ARGV.shift
  nonce = IO.new(3, 'r').read
  done = IO.new(4, 'w')
  write = done.method(:syswrite)
  eval(File.read(program), TOPLEVEL_BINDING, program)
  $stdout.flush
  write.call(nonce)
end.call
