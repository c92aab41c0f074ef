<?php
// Reads the nonce, runs the program, and writes the nonce back only if its last line was reached, or if the tests leave.
final class AnnotatorGuardANNOTATOR_KEY
{
    private static string $nonce = '';
    private static bool $began = false;

    /** @param list<string> $cases the names of the classes that may be test cases, if a framework runs them */
    public static function run(string $program, ?string $framework = null, array $cases = []): void
    {
        self::$nonce = file_get_contents('php://fd/3');
        if ($framework !== null) {
            require $framework;
        }
        (static function (string $program): void { require $program; })($program);
        if ($framework !== null) {
            \PHPUnit\Framework\AnnotatorRunnerANNOTATOR_KEY::run($cases);
        }
        self::finish();
    }

    /** What stands before the tests: code could end the file before they come. */
    public static function begin(): void
    {
        self::$began = true;
    }

    /** What exit is to the tests: a text instead of a status is printed, and says why they leave early. */
    public static function leave(int|string $status = 0): never
    {
        if ($status === 0) {
            self::finish();
        }
        exit($status);
    }

    private static function finish(): void
    {
        if (!self::$began) {
            fwrite(STDERR, "the program ended before its tests\n");
            exit(1);
        }
        if (array_unique(array_map('ini_get', ['assert.exception', 'zend.assertions', 'assert.active'])) !== ['1']) {
            fwrite(STDERR, "assertions were switched off\n");
            exit(1);
        }
        file_put_contents('php://fd/4', self::$nonce);
    }
}
AnnotatorGuardANNOTATOR_KEY::run($argv[1], $argv[2] ?? null, array_slice($argv, 3));
