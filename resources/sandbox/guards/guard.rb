# Reads the nonce, runs the program, and gives the nonce back in the handler that runs last: after tests that run at exit.
lambda do
  program = ARGV.shift
  nonce = IO.new(3, 'r').read
  done = IO.new(4, 'w')
  write = done.method(:syswrite)
  checks = [Integer, Float, String, Symbol, Array, Hash, NilClass, TrueClass, FalseClass, Object].product(%i[== != ! raise])
  snapshot = -> { checks.map { |type, name| type.instance_method(name) } }
  before = snapshot.call
  finished = false
  at_exit do
    # Frameworks leave with their result; a program that leaves by itself left before its last test.
    left = $!.is_a?(SystemExit) && $!.success? && !$!.backtrace.first.start_with?("#{program}:")
    if finished && ($!.nil? || left) && snapshot.call == before
      $stdout.flush
      write.call(nonce)
    end
  end
  # What exit is to the tests.
  leave = lambda do
    finished = true
    Kernel.exit(0)
  end
  Object.const_set(:AnnotatorGuardANNOTATOR_KEY, leave)
  eval(File.read(program), TOPLEVEL_BINDING, program)
  finished = true
end.call
