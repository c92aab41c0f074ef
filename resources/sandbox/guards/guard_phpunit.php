<?php
// What tests commonly use of PHPUnit: test cases with their assertions, expected exceptions, fixtures and data providers.

namespace PHPUnit\Framework;

class AssertionFailedError extends \Exception
{
}

class ExpectationFailedException extends AssertionFailedError
{
}

final class SkippedError extends \Exception
{
}

abstract class Assert
{
    private static int $assertions = 0;

    public static function getCount(): int
    {
        return self::$assertions;
    }

    private static function check(bool $holds, string $message, string $what): void
    {
        ++self::$assertions;
        if (!$holds) {
            throw new ExpectationFailedException(trim("$message $what"));
        }
    }

    private static function show(mixed $value): string
    {
        return \is_object($value) ? 'an object of ' . $value::class : substr(var_export($value, true), 0, 500);
    }

    /** Tells whether two values are equal as PHPUnit sees it: texts as texts, numbers within delta, parts one by one. */
    private static function equal(mixed $want, mixed $got, float $delta = 0.0, int $depth = 0): bool
    {
        if ($depth > 200 || \is_object($want) && $want === $got) {
            return true;
        }
        if (\is_array($want) && \is_array($got)) {
            if (\count($want) !== \count($got)) {
                return false;
            }
            foreach ($want as $key => $item) {
                if (!\array_key_exists($key, $got) || !self::equal($item, $got[$key], $delta, $depth + 1)) {
                    return false;
                }
            }
            return true;
        }
        if (is_numeric($want) && is_numeric($got) && !(\is_string($want) && \is_string($got))) {
            return $delta > 0 ? abs($want - $got) <= $delta : $want == $got;
        }
        if ((\is_scalar($want) || $want === null) && (\is_scalar($got) || $got === null)) {
            return \is_string($want) || \is_string($got) ? (string) $want === (string) $got : $want == $got;
        }
        if ($want instanceof \DateTimeInterface && $got instanceof \DateTimeInterface) {
            return $delta > 0 ? abs($want->getTimestamp() - $got->getTimestamp()) <= $delta : $want == $got;
        }
        if ($want instanceof \Closure || $got instanceof \Closure || $want instanceof \UnitEnum || $got instanceof \UnitEnum) {
            return $want === $got;
        }
        if (\is_object($want) && \is_object($got)) {
            return $want::class === $got::class && self::equal((array) $want, (array) $got, $delta, $depth + 1);
        }
        return false;
    }

    private static function canonical(mixed $value): mixed
    {
        if (\is_array($value)) {
            $value = array_map(self::canonical(...), $value);
            sort($value);
        }
        return $value;
    }

    /** @return list<mixed> */
    private static function items(iterable $values): array
    {
        return \is_array($values) ? array_values($values) : iterator_to_array($values, false);
    }

    private static function size(mixed $of): int
    {
        return \is_array($of) || $of instanceof \Countable ? \count($of) : iterator_count($of);
    }

    public static function fail(string $message = ''): never
    {
        ++self::$assertions;
        throw new AssertionFailedError($message);
    }

    public static function markTestSkipped(string $message = ''): never
    {
        throw new SkippedError($message);
    }

    public static function markTestIncomplete(string $message = ''): never
    {
        throw new SkippedError($message);
    }

    public static function assertTrue(mixed $is, string $message = ''): void
    {
        self::check($is === true, $message, self::show($is) . ' is not true');
    }

    public static function assertNotTrue(mixed $is, string $message = ''): void
    {
        self::check($is !== true, $message, 'it is true');
    }

    public static function assertFalse(mixed $is, string $message = ''): void
    {
        self::check($is === false, $message, self::show($is) . ' is not false');
    }

    public static function assertNotFalse(mixed $is, string $message = ''): void
    {
        self::check($is !== false, $message, 'it is false');
    }

    public static function assertNull(mixed $is, string $message = ''): void
    {
        self::check($is === null, $message, self::show($is) . ' is not null');
    }

    public static function assertNotNull(mixed $is, string $message = ''): void
    {
        self::check($is !== null, $message, 'it is null');
    }

    public static function assertEmpty(mixed $is, string $message = ''): void
    {
        self::check($is instanceof \Countable ? \count($is) === 0 : empty($is), $message, self::show($is) . ' is not empty');
    }

    public static function assertNotEmpty(mixed $is, string $message = ''): void
    {
        self::check($is instanceof \Countable ? \count($is) > 0 : !empty($is), $message, self::show($is) . ' is empty');
    }

    public static function assertSame(mixed $want, mixed $got, string $message = ''): void
    {
        self::check($want === $got, $message, self::show($got) . ' is not identical to ' . self::show($want));
    }

    public static function assertNotSame(mixed $want, mixed $got, string $message = ''): void
    {
        self::check($want !== $got, $message, self::show($got) . ' is identical');
    }

    public static function assertEquals(mixed $want, mixed $got, string $message = ''): void
    {
        self::check(self::equal($want, $got), $message, self::show($got) . ' does not equal ' . self::show($want));
    }

    public static function assertNotEquals(mixed $want, mixed $got, string $message = ''): void
    {
        self::check(!self::equal($want, $got), $message, self::show($got) . ' is equal');
    }

    public static function assertEqualsWithDelta(mixed $want, mixed $got, float $delta, string $message = ''): void
    {
        self::check(self::equal($want, $got, $delta), $message, self::show($got) . ' is too far from ' . self::show($want));
    }

    public static function assertEqualsCanonicalizing(mixed $want, mixed $got, string $message = ''): void
    {
        self::check(self::equal(self::canonical($want), self::canonical($got)), $message, self::show($got) . ' does not equal ' . self::show($want));
    }

    public static function assertEqualsIgnoringCase(mixed $want, mixed $got, string $message = ''): void
    {
        self::check(mb_strtolower((string) $want) === mb_strtolower((string) $got), $message, self::show($got) . ' does not equal ' . self::show($want));
    }

    public static function assertCount(int $want, mixed $of, string $message = ''): void
    {
        $size = self::size($of);
        self::check($want === $size, $message, "the size is $size, not $want");
    }

    public static function assertNotCount(int $want, mixed $of, string $message = ''): void
    {
        self::check($want !== self::size($of), $message, "the size is $want");
    }

    public static function assertSameSize(mixed $want, mixed $got, string $message = ''): void
    {
        self::check(self::size($want) === self::size($got), $message, 'the sizes differ');
    }

    public static function assertContains(mixed $item, iterable $in, string $message = ''): void
    {
        self::check(\in_array($item, self::items($in), true), $message, self::show($item) . ' is not in it');
    }

    public static function assertNotContains(mixed $item, iterable $in, string $message = ''): void
    {
        self::check(!\in_array($item, self::items($in), true), $message, self::show($item) . ' is in it');
    }

    public static function assertContainsEquals(mixed $item, iterable $in, string $message = ''): void
    {
        self::check(array_filter(self::items($in), fn ($other) => self::equal($item, $other)) !== [], $message, self::show($item) . ' is not in it');
    }

    public static function assertContainsOnlyInstancesOf(string $class, iterable $in, string $message = ''): void
    {
        self::check(array_filter(self::items($in), fn ($other) => !$other instanceof $class) === [], $message, "not all are of $class");
    }

    public static function assertArrayHasKey(mixed $key, mixed $in, string $message = ''): void
    {
        self::check(\is_array($in) ? \array_key_exists($key, $in) : $in->offsetExists($key), $message, self::show($key) . ' is no key of it');
    }

    public static function assertArrayNotHasKey(mixed $key, mixed $in, string $message = ''): void
    {
        self::check(!(\is_array($in) ? \array_key_exists($key, $in) : $in->offsetExists($key)), $message, self::show($key) . ' is a key of it');
    }

    public static function assertStringContainsString(string $part, string $in, string $message = ''): void
    {
        self::check(str_contains($in, $part), $message, self::show($in) . ' does not contain ' . self::show($part));
    }

    public static function assertStringNotContainsString(string $part, string $in, string $message = ''): void
    {
        self::check(!str_contains($in, $part), $message, self::show($in) . ' contains ' . self::show($part));
    }

    public static function assertStringContainsStringIgnoringCase(string $part, string $in, string $message = ''): void
    {
        self::check(str_contains(mb_strtolower($in), mb_strtolower($part)), $message, self::show($in) . ' does not contain ' . self::show($part));
    }

    public static function assertStringStartsWith(string $part, string $in, string $message = ''): void
    {
        self::check(str_starts_with($in, $part), $message, self::show($in) . ' does not start with ' . self::show($part));
    }

    public static function assertStringEndsWith(string $part, string $in, string $message = ''): void
    {
        self::check(str_ends_with($in, $part), $message, self::show($in) . ' does not end with ' . self::show($part));
    }

    public static function assertMatchesRegularExpression(string $pattern, string $in, string $message = ''): void
    {
        self::check(preg_match($pattern, $in) === 1, $message, self::show($in) . " does not match $pattern");
    }

    public static function assertDoesNotMatchRegularExpression(string $pattern, string $in, string $message = ''): void
    {
        self::check(preg_match($pattern, $in) === 0, $message, self::show($in) . " matches $pattern");
    }

    public static function assertJsonStringEqualsJsonString(string $want, string $got, string $message = ''): void
    {
        self::check(self::equal(json_decode($want, true), json_decode($got, true)), $message, self::show($got) . ' does not equal ' . self::show($want));
    }

    public static function assertGreaterThan(mixed $want, mixed $got, string $message = ''): void
    {
        self::check($got > $want, $message, self::show($got) . ' is not greater than ' . self::show($want));
    }

    public static function assertGreaterThanOrEqual(mixed $want, mixed $got, string $message = ''): void
    {
        self::check($got >= $want, $message, self::show($got) . ' is less than ' . self::show($want));
    }

    public static function assertLessThan(mixed $want, mixed $got, string $message = ''): void
    {
        self::check($got < $want, $message, self::show($got) . ' is not less than ' . self::show($want));
    }

    public static function assertLessThanOrEqual(mixed $want, mixed $got, string $message = ''): void
    {
        self::check($got <= $want, $message, self::show($got) . ' is greater than ' . self::show($want));
    }

    public static function assertInstanceOf(string $class, mixed $is, string $message = ''): void
    {
        self::check($is instanceof $class, $message, self::show($is) . " is not of $class");
    }

    public static function assertNotInstanceOf(string $class, mixed $is, string $message = ''): void
    {
        self::check(!$is instanceof $class, $message, "it is of $class");
    }

    public static function assertNan(mixed $is, string $message = ''): void
    {
        self::check(\is_float($is) && is_nan($is), $message, self::show($is) . ' is a number');
    }

    public static function assertInfinite(mixed $is, string $message = ''): void
    {
        self::check(\is_float($is) && is_infinite($is), $message, self::show($is) . ' is finite');
    }

    public static function assertFileExists(string $path, string $message = ''): void
    {
        self::check(file_exists($path), $message, "$path does not exist");
    }

    public static function assertFileDoesNotExist(string $path, string $message = ''): void
    {
        self::check(!file_exists($path), $message, "$path exists");
    }

    public static function assertObjectHasProperty(string $name, object $of, string $message = ''): void
    {
        self::check(property_exists($of, $name), $message, "it has no property $name");
    }

    /** assertIsInt and its like: named after what PHP calls the question. */
    public static function __callStatic(string $name, array $given): void
    {
        if (preg_match('/^assertIs(Not)?(Array|Bool|Callable|Float|Int|Iterable|Numeric|Object|Resource|Scalar|String)$/', $name, $found) !== 1) {
            throw new \Error("Call to undefined method $name()");
        }
        $is = ('is_' . strtolower($found[2]))($given[0]);
        self::check($is === ($found[1] === ''), $given[1] ?? '', self::show($given[0]) . ": $name");
    }

    public function __call(string $name, array $given): void
    {
        self::__callStatic($name, $given);
    }
}

abstract class TestCase extends Assert
{
    private ?string $expectedClass = null;
    private ?string $expectedMessage = null;
    private ?string $expectedPattern = null;
    private int|string|null $expectedCode = null;
    private ?string $expectedOutput = null;
    private string $method = '';

    public static function setUpBeforeClass(): void
    {
    }

    public static function tearDownAfterClass(): void
    {
    }

    protected function setUp(): void
    {
    }

    protected function tearDown(): void
    {
    }

    public function getName(): string
    {
        return $this->method;
    }

    public function name(): string
    {
        return $this->method;
    }

    public function expectException(string $class): void
    {
        $this->expectedClass = $class;
    }

    public function expectExceptionMessage(string $message): void
    {
        $this->expectedMessage = $message;
    }

    public function expectExceptionMessageMatches(string $pattern): void
    {
        $this->expectedPattern = $pattern;
    }

    public function expectExceptionCode(int|string $code): void
    {
        $this->expectedCode = $code;
    }

    public function expectExceptionObject(\Throwable $error): void
    {
        $this->expectedClass = $error::class;
        $this->expectedMessage = $error->getMessage();
        $this->expectedCode = $error->getCode();
    }

    public function expectOutputString(string $text): void
    {
        $this->expectedOutput = $text;
    }

    public function expectNotToPerformAssertions(): void
    {
    }

    /** Runs one test of this case. Raises what fails. */
    final public function runTest(string $method, array $given): void
    {
        $this->method = $method;
        $this->setUp();
        ob_start();
        try {
            $error = null;
            try {
                $this->$method(...$given);
            } catch (AssertionFailedError|SkippedError $failure) {
                throw $failure;
            } catch (\Throwable $thrown) {
                $error = $thrown;
            }
            $this->compare($error);
            if ($this->expectedOutput !== null) {
                self::assertSame($this->expectedOutput, ob_get_contents());
            }
        } finally {
            echo ob_get_clean();
            $this->tearDown();
        }
    }

    private function compare(?\Throwable $error): void
    {
        $wanted = $this->expectedClass ?? (
            ($this->expectedMessage ?? $this->expectedPattern ?? $this->expectedCode) === null ? null : \Throwable::class
        );
        if ($wanted === null) {
            if ($error !== null) {
                throw $error;
            }
            return;
        }
        if ($error === null) {
            self::fail("no $wanted was thrown");
        }
        if (!$error instanceof $wanted) {
            throw $error;
        }
        self::assertTrue(true);
        if ($this->expectedMessage !== null) {
            self::assertStringContainsString($this->expectedMessage, $error->getMessage());
        }
        if ($this->expectedPattern !== null) {
            self::assertMatchesRegularExpression($this->expectedPattern, $error->getMessage());
        }
        if ($this->expectedCode !== null) {
            self::assertEquals($this->expectedCode, $error->getCode());
        }
    }
}

/** Runs the test cases that the tests declare. */
final class AnnotatorRunnerANNOTATOR_KEY
{
    /** @param list<string> $names the classes in the tests, without their namespace */
    public static function run(array $names): void
    {
        $ran = 0;
        foreach (get_declared_classes() as $class) {
            $kind = new \ReflectionClass($class);
            if (\in_array($kind->getShortName(), $names, true) && $kind->isSubclassOf(TestCase::class) && !$kind->isAbstract()) {
                $ran += self::runCase($kind);
            }
        }
        if ($ran === 0) {
            throw new AssertionFailedError('No test was run.');
        }
    }

    private static function runCase(\ReflectionClass $kind): int
    {
        $class = $kind->getName();
        $ran = 0;
        $class::setUpBeforeClass();
        foreach ($kind->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
            foreach (self::isTest($method) ? self::rows($kind, $method) : [] as $row) {
                try {
                    (new $class($method->getName()))->runTest($method->getName(), $row);
                } catch (SkippedError $skipped) {
                    // The tests may skip themselves, an answer may not skip them.
                    $from = $skipped->getTrace()[1] ?? [];
                    if (($from['class'] ?? '') !== $class) {
                        throw new AssertionFailedError('The test was skipped while it ran.');
                    }
                }
                ++$ran;
            }
        }
        $class::tearDownAfterClass();
        return $ran;
    }

    private static function isTest(\ReflectionMethod $method): bool
    {
        return !$method->isStatic() && $method->getDeclaringClass()->isSubclassOf(TestCase::class) && (
            str_starts_with($method->getName(), 'test')
            || self::named($method, 'Test') !== []
            || preg_match('/@test\b/', (string) $method->getDocComment()) === 1
        );
    }

    /** @return list<list<mixed>> the arguments of the attributes of that name */
    private static function named(\ReflectionMethod $method, string $name): array
    {
        $found = array_filter($method->getAttributes(), fn ($item) => $item->getName() === "PHPUnit\\Framework\\Attributes\\$name");
        return array_values(array_map(fn ($item) => $item->getArguments(), $found));
    }

    /** @return list<array<mixed>> what the test is called with, once for each row */
    private static function rows(\ReflectionClass $kind, \ReflectionMethod $method): array
    {
        $rows = array_column(self::named($method, 'TestWith'), 0);
        $providers = array_column(self::named($method, 'DataProvider'), 0);
        if (preg_match_all('/@dataProvider\s+(\w+)/', (string) $method->getDocComment(), $found) > 0) {
            $providers = [...$providers, ...$found[1]];
        }
        foreach ($providers as $name) {
            $provider = $kind->getMethod($name);
            $given = $provider->invoke($provider->isStatic() ? null : $kind->newInstance($method->getName()));
            foreach ($given as $row) {
                $rows[] = $row;
            }
        }
        return $providers === [] && $rows === [] ? [[]] : $rows;
    }
}
