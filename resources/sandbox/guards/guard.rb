# Reads the nonce, runs the program, and gives the nonce back in the handler that runs last: after tests that run at exit.
# Behind it stands how many tests their framework has run.
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
  [ANNOTATOR_NEEDS].each do |name|
    next if $LOAD_PATH.resolve_feature_path(name)

    require 'rubygems'
    next if Gem::Specification.find_by_path(name)

    warn "#{name} is not in this sandbox"
    write.call("#{nonce} lacks")
    exit! 1
  end
  runs = made = nil
  note = ->(more, checks) { runs, made = runs.to_i + more, made.to_i + checks }
  # What frameworks count they say here, from when the program is read to its end.
  count = lambda do
    if defined?(Minitest::StatisticsReporter) && Minitest::Runnable.runnables.any? { |kind| kind.methods_matching(/^test_/).any? }
      note.call(0, 0)
      Minitest::StatisticsReporter.prepend(Module.new do
        define_method(:report) { super().tap { note.call(self.count, self.assertions) } }
      end)
    end
    if defined?(Test::Unit::AutoRunner)
      require 'test/unit/testresult'
      Test::Unit::TestResult.prepend(Module.new do
        define_method(:add_run) { |*given| super(*given).tap { note.call(1, 0) } }
        define_method(:add_assertion) { super().tap { note.call(0, 1) } }
      end)
    end
  end
  finished = false
  test_text = ''
  at_exit do
    if defined?(RSpec.world.all_examples)
      note.call(RSpec.world.all_examples.count { |each| each.execution_result.status == :passed }, 1)
    end
    if made == 0 && %w[assert refute must_ wont_ expect].any? { |word| test_text.include?(word) }
      warn 'no check was made'
      exit! 1
    end
    # Frameworks leave with their result; a program that leaves by itself left before its last test.
    left = $!.is_a?(SystemExit) && $!.success? && !$!.backtrace.first.start_with?("#{program}:")
    if finished && ($!.nil? || left) && snapshot.call == before && !replaced.call
      $stdout.flush
      write.call([nonce, runs].compact.join(' '))
    end
  end
  began = false
  tests = Object.new
  # What stands before the tests, on that line: code could end the file before they come.
  tests.define_singleton_method(:begin) do |line|
    began = true
    test_text = File.readlines(program).drop(line - 1).join
  end
  # What exit is to the tests.
  tests.define_singleton_method(:leave) do |status = true|
    finished = true if status == true || status == 0
    Kernel.exit(status)
  end
  Object.const_set(:AnnotatorGuardANNOTATOR_KEY, tests.freeze)
  eval(File.read(program), TOPLEVEL_BINDING, program)
  count.call
  finished = began
end.call
