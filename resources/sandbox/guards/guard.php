<?php
// Reads the nonce, runs the program, and writes the nonce back only if its last line was reached, or if the tests leave.
// Test cases of PHPUnit are run by PHPUnit itself; then the number of tests that were run goes behind the nonce.
final class AnnotatorGuardANNOTATOR_KEY
{
    private static string $nonce = '';
    private static string $program = '';
    private static int $line = 0;

    public static function run(string $program, bool $framework): void
    {
        self::$nonce = file_get_contents('php://fd/3');
        self::$program = realpath($program);
        if ($framework) {
            require 'PHPUnit/Autoload.php';
            // Loaded before the code, which could bring its own.
            class_exists(PHPUnit\Framework\TestCase::class);
        }
        (static function (string $program): void { require $program; })($program);
        self::finish($framework ? self::runCases() : null);
    }

    /** What stands before the tests, on that line: code could end the file before they come. */
    public static function begin(int $line): void
    {
        self::$line = $line;
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
        if (self::$line === 0) {
            self::fail('the program ended before its tests');
        }
        if (array_unique(array_map('ini_get', ['assert.exception', 'zend.assertions', 'assert.active'])) !== ['1']) {
            self::fail('assertions were switched off');
        }
        file_put_contents('php://fd/4', $ran === null ? self::$nonce : self::$nonce . " $ran");
    }

    private static function fail(string $why): never
    {
        fwrite(STDERR, "$why\n");
        exit(1);
    }

    /** Runs the test cases below the line where the tests begin, and returns how many of their tests were run. */
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
            $isTests = $class->getFileName() === self::$program && $class->getStartLine() >= self::$line;
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
        $tests = implode(array_slice(file(self::$program), self::$line - 1));
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
AnnotatorGuardANNOTATOR_KEY::run($argv[1], isset($argv[2]));
