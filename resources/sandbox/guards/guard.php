<?php
// Reads the nonce, runs the program, and writes the nonce back only if its tests came to their last line, or left.
// Test cases of PHPUnit are run by PHPUnit itself; then the number of tests that were run goes behind the nonce.
final class AnnotatorGuardANNOTATOR_KEY
{
    private static string $nonce = '';
    private static string $tests = '';

    public static function run(string $program, string $tests, bool $framework): void
    {
        self::$nonce = file_get_contents('php://fd/3');
        if ($framework) {
            require 'PHPUnit/Autoload.php';
            // Loaded before the code, which could bring its own.
            class_exists(PHPUnit\Framework\TestCase::class);
        }
        // What the code declares outside functions, the tests see; no variable of it decides what is loaded.
        (static function (): void {
            require func_get_arg(0);
            self::begin(func_get_arg(1), func_get_arg(2));
            require func_get_arg(1);
        })(realpath($program), realpath($tests), file_get_contents($tests));
        self::finish($framework ? self::runCases() : null);
    }

    private static function begin(string $tests, string $text): void
    {
        if (file_get_contents($tests) !== $text) {
            self::fail('the tests were changed');
        }
        self::$tests = $tests;
    }

    /** What exit is to the tests: a text instead of a status is printed, and says why they leave early. */
    public static function leave(int|string $status = 0): never
    {
        if ($status === 0) {
            self::finish();
        }
        exit($status);
    }

    private static function finish(?int $ran = null): void
    {
        if (self::$tests === '') {
            self::fail('the program ended before its tests');
        }
        file_put_contents('php://fd/4', $ran === null ? self::$nonce : self::$nonce . " $ran");
    }

    private static function fail(string $why): never
    {
        fwrite(STDERR, "$why\n");
        exit(1);
    }

    /** Runs the test cases of the tests' file, and returns how many of their tests were run. */
    private static function runCases(): int
    {
        $arguments = ['--no-configuration', '--do-not-cache-result', '--no-output', '--no-logging'];
        PHPUnit\TextUI\Configuration\Registry::init(
            (new PHPUnit\TextUI\CliArguments\Builder())->fromParameters($arguments),
            PHPUnit\TextUI\XmlConfiguration\DefaultConfiguration::create(),
        );
        PHPUnit\TestRunner\TestResult\Facade::init();
        PHPUnit\Event\Facade::instance()->seal();
        $suite = PHPUnit\Framework\TestSuite::empty('tests');
        foreach (get_declared_classes() as $name) {
            $class = new ReflectionClass($name);
            $isTests = $class->getFileName() === self::$tests;
            if ($isTests && $class->isSubclassOf(PHPUnit\Framework\TestCase::class) && !$class->isAbstract()) {
                $suite->addTestSuite($class);
            }
        }
        PHPUnit\Event\Facade::emitter()->testRunnerStarted();
        $suite->run();
        $result = PHPUnit\TestRunner\TestResult\Facade::result();
        $bad = [...array_merge([], ...array_values($result->testTriggeredPhpunitErrorEvents())),
                ...$result->testErroredEvents(), ...$result->testFailedEvents()];
        if ($bad !== []) {
            self::fail(method_exists($bad[0], 'throwable') ? $bad[0]->throwable()->asString() : $bad[0]->message());
        }
        $tests = file_get_contents(self::$tests);
        $skipped = $result->numberOfTestSkippedEvents() + $result->numberOfTestSuiteSkippedEvents();
        // The tests may skip themselves, an answer may not skip them.
        if ($skipped > 0 && !str_contains($tests, 'Skipped') && !str_contains($tests, 'Requires')) {
            self::fail('The test was skipped while it ran.');
        }
        if ($result->numberOfAssertions() === 0 && (str_contains($tests, '->assert') || str_contains($tests, '::assert'))) {
            self::fail('No assertion was made.');
        }
        return $result->numberOfTestsRun() - $skipped;
    }
}
AnnotatorGuardANNOTATOR_KEY::run($argv[1], $argv[2], isset($argv[3]));
