# Reads the nonce, runs the program, and gives the nonce back in the handler that runs last: after tests that run at exit.
lambda do
  program = ARGV.shift
  nonce = IO.new(3, 'r').read
  done = IO.new(4, 'w')
  write = done.method(:syswrite)
  checks = [Integer, Float, String, Symbol, Array, Hash, NilClass, TrueClass, FalseClass, Object].product(%i[== != ! raise])
  snapshot = -> { checks.map { |type, name| type.instance_method(name) } }
  before = snapshot.call
  # A framework's own assertions, written anew by the program.
  assertions = %i[assert assert_equal assert_nil assert_raises assert_raise assert_in_delta assert_includes assert_empty
                  assert_match assert_operator refute refute_equal to not_to to_not]
  replaced = lambda do
    %w[Minitest::Assertions Test::Unit::Assertions RSpec::Expectations::ExpectationTarget].any? do |name|
      owner = Object.const_defined?(name) && Object.const_get(name)
      owner && assertions.any? do |each|
        owner.method_defined?(each) && owner.instance_method(each).source_location.to_a.first == program
      end
    end
  end
  finished = false
  at_exit do
    # Frameworks leave with their result; a program that leaves by itself left before its last test.
    left = $!.is_a?(SystemExit) && $!.success? && !$!.backtrace.first.start_with?("#{program}:")
    if finished && ($!.nil? || left) && snapshot.call == before && !replaced.call
      $stdout.flush
      write.call(nonce)
    end
  end
  began = false
  tests = Object.new
  # What stands before the tests: code could end the file before they come.
  tests.define_singleton_method(:begin) { began = true }
  # What exit is to the tests.
  tests.define_singleton_method(:leave) do |status = true|
    finished = true if status == true || status == 0
    Kernel.exit(status)
  end
  Object.const_set(:AnnotatorGuardANNOTATOR_KEY, tests.freeze)
  eval(File.read(program), TOPLEVEL_BINDING, program)
  finished = began
end.call
