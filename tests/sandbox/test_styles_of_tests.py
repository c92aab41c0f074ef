"""Tests in the styles of Jest, Vitest, Mocha, Catch2, doctest and GoogleTest get verdicts."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, Pool, TestCode

SCRIPT = (
    "function sum(xs) {\n  if (!Array.isArray(xs)) throw new TypeError('no list');\n"
    "  return xs.reduce((a, b) => a + b, 0);\n}\n"
)
CPP = (
    "#include <stdexcept>\n#include <vector>\nint sum(const std::vector<int>& xs) {\n"
    '  if (xs.empty()) throw std::invalid_argument("empty");\n  int n = 0;\n'
    "  for (int x : xs) n += x;\n  return n;\n}\n"
)
SCRIPTS = [
    ("globals", "describe('sum', () => {\n  let xs;\n  beforeEach(() => { xs = [1]; });\n"
     "  it('adds', () => { xs.push(2); expect(sum(xs)).toBe(3); });\n"
     "  it('begins anew', () => { expect(xs).toEqual([1]); });\n"
     "  it('throws', () => { expect(() => sum(3)).toThrow(TypeError); expect(() => sum([])).not.toThrow(); });\n"
     "  test.each([[[1], 1], [[2, 2], 4]])('%p', (ys, n) => { expect(sum(ys)).toBe(n); });\n});\n", True),
    ("wrong value", "test('adds', () => { expect(sum([1, 2])).toBe(4); });\n", False),
    ("one of each is wrong", "it.each([[[1], 1], [[2], 3]])('%p', (xs, n) => { expect(sum(xs)).toBe(n); });\n", False),
    ("imported", "import { describe, expect, it } from 'vitest';\nimport { sum } from './sum';\n"
     "describe('sum', () => {\n  it('adds', async () => {\n"
     "    await expect(Promise.resolve(sum([1]))).resolves.toBe(1);\n  });\n});\n", True),
    ("imported by another name", "import { it as check, expect } from '@jest/globals';\n"
     "check('adds', () => { expect(sum([2])).toBe(1); });\n", False),
    ("without cases", "expect(sum([1])).toBe(1);\nexpect(sum([])).not.toBe(1);\n", True),
    ("late wrong value", "test('x', async () => { await null; expect(sum([1])).toBe(2); });\n", False),
    ("called back", "test('x', (done) => { setTimeout(() => { expect(sum([1])).toBe(1); done(); }, 1); });\n", True),
    ("never called back", "test('x', (done) => { expect(sum([1])).toBe(1); });\n", False),
    ("no case", "describe('x', () => {});\nexpect(1).toBe(1);\n", False),
    ("too few assertions", "it('x', () => { expect.assertions(2); expect(sum([1])).toBe(1); });\n", False),
    ("only one is run", "it('no', () => { expect(1).toBe(2); });\n"
     "it.only('yes', () => { expect(sum([])).toBe(0); });\n",
     True),
    ("Mocha beside Node's assert", "const assert = require('node:assert');\ndescribe('sum', function () {\n  let xs;\n"
     "  before(function () { xs = [1]; });\n  context('of two', () => {\n"
     "    specify('adds', () => { assert.strictEqual(sum([...xs, 2]), 3); });\n  });\n});\n", True),
    ("Mocha beside Node's assert, wrong", "const assert = require('node:assert');\n"
     "describe('sum', () => {\n  it('adds', () => { assert.equal(sum([1, 2]), 4); });\n});\n", False),
    ("own cases", "const it = (name, work) => work();\n"
     "it('x', () => { if (sum([1]) !== 1) throw new Error(); });\n", True),
    ("calls that are the body of a loop or branch",
     "const assert = require('assert')\nlet n = 0\nfor (const x of [1, 2]) assert.equal(sum([x]), x)\n"
     "while (n < 3) [1].forEach(() => n++)\ndo assert(n-- > 0); while (n > 1)\nassert.equal(n, 1)\n"
     "if (n > 1) assert.fail()\nelse assert(true)\nassert(sum([2]) === 2) || n++\n", True),
    ("a call that is the body of a loop, wrong",
     "const assert = require('assert')\nfor (const x of [1, 2]) assert.equal(sum([x]), 1)\n", False),
    ("a check that says only that something failed",
     "const assert = require('assert')\ntry { sum([1]) } catch (e) { assert.equal(e, 1) }\nif (!sum) assert.fail()\n",
     True),
    ("checks that may be skipped",
     "const assert = require('assert')\nlet n = sum([2])\nif (n !== 2) assert.equal(n, 2)\nn === 2 || assert.fail(n)\n"
     "process.on('exit', () => assert.equal(n, 2))\nconst run = async () => n\nrun().catch((e) => assert.ifError(e))\n",
     True),
    ("mocks", "it('x', () => {\n  const f = jest.fn((x) => x * 2);\n"
     "  expect([1, 2].map((x) => f(x))).toEqual([2, 4]);\n"
     "  expect(f).toHaveBeenCalledTimes(2);\n  expect(f).toHaveBeenCalledWith(2);\n});\n", True),
]  # fmt: skip
CASES = [
    ("sections", '#include <catch2/catch_test_macros.hpp>\n#include "sum.hpp"\nTEST_CASE("adds", "[sum]") {\n'
     '  std::vector<int> xs{1};\n  SECTION("one") { CHECK(sum(xs) == 1); }\n  SECTION("more") {\n'
     '    xs.push_back(2);\n    REQUIRE(sum(xs) == 3);\n    SECTION("a") { xs.push_back(5); CHECK(sum(xs) == 8); }\n'
     '    SECTION("b") { xs.push_back(6); CHECK_FALSE(sum(xs) != 9); }\n  }\n'
     "  REQUIRE_THROWS_AS(sum({}), std::invalid_argument);\n}\n", True),
    ("the last section is wrong", '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include "doctest.h"\nTEST_CASE("x") {\n'
     '  SUBCASE("a") { CHECK(sum({1}) == 1); }\n  SUBCASE("b") { CHECK_EQ(sum({1, 2}), 4); }\n}\n', False),
    ("a fixture", '#include <gtest/gtest.h>\nTEST(Sum, Adds) {\n  EXPECT_EQ(sum({1, 2}), 3) << "adds";\n'
     "  ASSERT_THROW(sum({}), std::invalid_argument);\n}\nclass F : public ::testing::Test {\n protected:\n"
     "  void SetUp() override { xs = {4}; }\n  std::vector<int> xs;\n};\nTEST_F(F, Four) { EXPECT_EQ(sum(xs), 4); }\n"
     "int main(int argc, char** argv) {\n  ::testing::InitGoogleTest(&argc, argv);\n  return RUN_ALL_TESTS();\n}\n",
     True),
    ("a wrong requirement", '#include <gtest/gtest.h>\nTEST(Sum, Adds) {\n  ASSERT_EQ(sum({1, 2}), 4) << "adds";\n}\n',
     False),
    ("an exception", '#include <doctest/doctest.h>\nTEST_CASE("x") { CHECK(sum({}) == 0); }\n', False),
]  # fmt: skip


def _passes(pool: Pool, language: str, code: str, test: str) -> bool:
    result = pool.submit(Job(id="j", language=language, code=code, tests=(TestCode("t", test),))).result()
    assert result.outcome in ("pass", "fail"), (result.outcome, result.message)
    return result.outcome == "pass"


@pytest.mark.sandbox
@pytest.mark.parametrize(("test", "right"), [case[1:] for case in SCRIPTS], ids=[case[0] for case in SCRIPTS])
def test_cases_of_scripts_are_run(pool: Pool, test: str, right: bool) -> None:
    assert _passes(pool, "javascript", SCRIPT, test) == right


@pytest.mark.sandbox
def test_cases_are_run_in_typescript(languages: Pool) -> None:
    code = f"export {SCRIPT.replace('(xs)', '(xs: any): number', 1)}"
    test = "it('adds', () => {{ const n: number = {}; expect(sum([1, 2])).toBe(n); }});\n"
    assert [_passes(languages, "typescript", code, test.format(value)) for value in (3, 4)] == [True, False]
    imported = (
        "import assert from 'assert'\nimport { Twice, sum } from './solution'\n"
        "for (const x of [1, 2]) assert.equal(sum([x]), x)\nassert(sum([3]) === Twice.of(1.5))\n"
    )
    declared = f"{code}export namespace Twice {{ export const of = (x: number): number => x * 2; }}\n"
    assert _passes(languages, "typescript", declared, imported)


@pytest.mark.sandbox
@pytest.mark.parametrize(("test", "right"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_cases_of_cpp_are_run(pool: Pool, test: str, right: bool) -> None:
    assert _passes(pool, "c++", CPP, test) == right


@pytest.mark.sandbox
def test_equality_is_that_of_the_style(pool: Pool) -> None:
    right = (
        "expect({ a: 1, b: undefined }).toEqual({ a: 1 });\n"
        "expect({ a: 1, b: undefined }).not.toStrictEqual({ a: 1 });\n"
        "expect([1, { a: [2] }]).toEqual([expect.any(Number), expect.objectContaining({ a: [2] })]);\n"
        "expect(new Set([[1], [2]])).toEqual(new Set([[2], [1]]));\nexpect(NaN).toBe(NaN);\nexpect(0).not.toBe(-0);\n"
        "expect(0.1 + 0.2).toBeCloseTo(0.3);\nexpect([1]).not.toStrictEqual([1, undefined]);\n"
        "expect({ a: { b: 1 } }).toHaveProperty('a.b', 1);\nexpect(new Map([[1, 2]])).not.toEqual(new Map([[1, 3]]));\n"
    )
    assert _passes(pool, "javascript", SCRIPT, right)


@pytest.mark.sandbox
def test_an_answer_cannot_replace_the_checks(pool: Pool) -> None:
    cheats = (
        "globalThis.expect = () => ({ toBe: () => {} });\n",
        "globalThis.it = () => {};\nglobalThis.describe = () => {};\n",
        "for (const key of Object.getOwnPropertySymbols(globalThis)) {\n"
        "  try { globalThis[key].expect = () => ({ toBe: () => {} }); } catch {}\n}\n",
    )
    loop = "const assert = require('assert');\n[[1, 1]].forEach(([x, y]) => assert.equal(sum([x]), y));\n"
    for test in (loop, loop.replace("require('assert')", "require('assert').strict")):
        assert not _passes(pool, "javascript", f"Array.prototype.forEach = () => {{}};\n{SCRIPT}", test), "no check"
    for cheat in cheats:
        wrong = f"{cheat}function sum(xs) {{ return 0; }}\n"
        assert not _passes(pool, "javascript", wrong, "it('adds', () => { expect(sum([1, 2])).toBe(3); });\n")
    counts = "namespace annotator_cases { int failures = 0; }\nint sum(int x) { return x; }\n"
    assert not _passes(pool, "c++", counts, '#include "doctest.h"\nTEST_CASE("x") { CHECK(sum(1) == 2); }\n')


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("import { expectTypeOf } from 'vitest';\nit('a', () => { expectTypeOf(f(1)); });", "machinery"),
        ("it('a', () => { expect(f(1)).not.toMatchSnapshot(); });", "machinery"),
        ("import { expect, it } from 'vitest';\nit('a', () => { expect(f(1)).toBe(1); });", "pass"),
        ("const expect = (x) => ({ toHold: () => x });\nif (expect(f(1)).toHold() !== 1) throw 1;", "pass"),
        ("// expect(1).toHold();\nif ('a'.toUpperCase().toLowerCase() !== f('a')) throw 1;", "pass"),
    ],
)
def test_only_what_jest_has_not_is_missing(pool: Pool, test: str, outcome: str) -> None:
    job = Job(id="j", language="javascript", code="function f(x) { return x; }", tests=(TestCode("t", test),))
    assert pool.submit(job).result(120).outcome == outcome
