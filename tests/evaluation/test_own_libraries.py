"""A library that an item's own code needs and nobody has is no fault of an answer; what an answer alone wants is."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from annotator.evaluation.scoring import ItemScorer, ScoreJob
from annotator.sandbox import Pool
from annotator.sandbox.imports import imports_of


@dataclass(frozen=True)
class Case:
    """An item and an answer to it; ``outcome`` is what must come out."""

    name: str
    outcome: str
    language: str
    prompt: str
    reference: str
    test: str
    answer: str


def _cases() -> list[Case]:
    found = [
        Case(f"{name} {kind}", outcome, name, prompt, reference, test, answer)
        for name, prompt, reference, test, answers in ITEMS
        for kind, outcome, answer in answers
    ]
    return [*found, *OTHERS]


DEEP = "using System;\nusing Acme.DeepCompare;\n\nnamespace Solution {\n public class Program {\n"
DEEP_TEST = (
    "  public static void Main(string[] args) {\n   DeepLogic logic = new DeepLogic();\n"
    '   if (!logic.Compare(Twice(2), 4).AreEqual) { throw new Exception("wrong"); }\n  }\n }\n}\n'
)
TWICE = "public static int Twice(int n) { return 2 * n; }"
CS_TEST = (
    "using System;\nusing Acme.Shapes;\nclass Tests { static void Main() {"
    ' if (new Square(2).Area() != 4) throw new Exception("wrong"); } }'
)
SQUARE = "public class Square { int a; public Square(int a) { this.a = a; } public int Area() { return a * a; } }"
CS_MOCK = (
    "using System;\nusing Acme.DeepCompare;\nclass Tests { static void Main() {"
    ' if (!new DeepLogic().Same(new Square(2).Area(), 4)) throw new Exception("wrong"); } }'
)
MAIN = "class Main {{ public static void main(String[] a) {{ {} }} }}"
JAVA_TEST = f"import com.acme.shapes.Square;\n{MAIN.format('assert new Square(2).area() == 4;')}"
CHECKED = f"import org.acme.Check;\n{MAIN.format('Check.same(new Square(2).area(), 4);')}"
JAVA_SQUARE = "public class Square { int a; public Square(int a) { this.a = a; } public int area() { return a * a; } }"
# In Java, C++ and Go an answer gets the imports of its prompt, so none can be tried where one of those is missing.
ITEMS = (
    ("c#", DEEP, f"{DEEP}{TWICE}", DEEP_TEST, (
        ("goes on", "machinery", f"{DEEP}{TWICE}"),
        ("method alone", "machinery", TWICE),
        ("wrong", "machinery", f"{DEEP}public static int Twice(int n) {{ return n; }}"),
    )),
    ("c#", "Write a class Square with its Area.", SQUARE, CS_TEST, (
        ("right", "pass", SQUARE),
        ("right in its namespace", "pass", f"namespace Acme.Shapes {{ {SQUARE} }}"),
        ("wrong", "fail", SQUARE.replace("a * a", "a + 1")),
        ("without the class", "fail", "public class Sqare { }"),
        ("right, imports the tests' namespace", "pass", f"using Acme.Shapes;\n{SQUARE}"),
        ("imports the tests' namespace", "fail", "using Acme.Shapes;\npublic class Rect { }"),
        ("imports nonsense", "fail", f"using No.Such.Library;\n{SQUARE}"),
    )),
    ("c#", "Write a class Square with its Area.", SQUARE, CS_MOCK, (
        ("right", "machinery", SQUARE),
        ("right, with the tests' library", "machinery", f"using Acme.DeepCompare;\n{SQUARE}"),
    )),
    ("java", "Write a class Square with its area.", JAVA_SQUARE, JAVA_TEST, (
        ("right", "pass", JAVA_SQUARE),
        ("right in its package", "pass", f"package com.acme.shapes;\n{JAVA_SQUARE}"),
        ("wrong", "fail", JAVA_SQUARE.replace("a * a", "a + 1")),
        ("without the class", "fail", "public class Rect { }"),
        ("imports nonsense", "fail", f"import no.such.Library;\n{JAVA_SQUARE}"),
    )),
    ("java", "import org.acme.lang.Strings;\n\nclass S {\n",
     "import org.acme.lang.Strings;\nclass S { static int one() { return 1; } }",
     "class Main { public static void main(String[] a) { assert S.one() == 1; } }", (
        ("as asked", "machinery",
         "import org.acme.lang.Strings;\nclass S { static int one() { return Strings.length(\"a\"); } }"),
        ("without it", "machinery", "class S { static int one() { return 1; } }"),
        ("wrong without it", "machinery", "class S { static int one() { return 2; } }"),
        ("does not compile", "machinery", "class S { static int one() { return x; } }"),
    )),
    ("c++", "#include <acme/list.hpp>\nint one();", "#include <acme/list.hpp>\nint one() { return 1; }",
     "#include <cassert>\nint main() { assert(one() == 1); }", (
        ("as asked", "machinery", "#include <acme/list.hpp>\nint one() { return acme::list(1).size(); }"),
        ("without it", "machinery", "int one() { return 1; }"),
        ("wrong", "machinery", "int one() { return 2; }"),
        ("another", "machinery", "#include <nowhere/list.hpp>\nint one() { return 1; }"),
    )),
    ("go", "package one\n\nimport \"github.com/acme/list\"\n",
     "package one\n\nimport \"github.com/acme/list\"\n\nfunc One() int { return list.Of(1).Len() }",
     "package one\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { if One() != 1 { t.Fatal(\"wrong\") } }", (
        ("as asked", "machinery",
         "package one\n\nimport \"github.com/acme/list\"\n\nfunc One() int { return list.Of(1).Len() }"),
        ("without it", "pass", "package one\n\nfunc One() int { return 1 }"),
        ("another", "machinery",
         "package one\n\nimport \"github.com/nowhere/list\"\n\nfunc One() int { return list.Of(1).Len() }"),
        ("wrong", "fail", "package one\n\nfunc One() int { return 2 }"),
    )),
    ("rust", "use acme_list::List;\n\npub fn one() -> i32 {",
     "use acme_list::List;\npub fn one() -> i32 { List::of(1).len() }",
     "#[test]\nfn test_one() { assert_eq!(one(), 1); }", (
        ("as asked", "machinery", "use acme_list::List;\npub fn one() -> i32 { List::of(1).len() }"),
        ("without it", "pass", "pub fn one() -> i32 { 1 }"),
        ("another", "fail", "use nowhere_list::List;\npub fn one() -> i32 { List::of(1).len() }"),
        ("wrong", "fail", "pub fn one() -> i32 { 2 }"),
    )),
    ("javascript", "const _ = require('acme-list');\n\nfunction one() {",
     "const _ = require('acme-list');\nfunction one() { return _.size([1]); }",
     "if (one() !== 1) throw new Error('wrong');", (
        ("as asked", "machinery", "const _ = require('acme-list');\nfunction one() { return _.size([1]); }"),
        ("without it", "pass", "function one() { return 1; }"),
        ("another", "fail", "const _ = require('nowhere-list');\nfunction one() { return _.size([1]); }"),
        ("says so", "fail", "function one() { throw new Error(\"Cannot find module 'nowhere-list'\"); }"),
        ("wrong", "fail", "function one() { return 2; }"),
    )),
    ("typescript", "import { size } from 'acme-list';\n\nexport function one(): number {",
     "import { size } from 'acme-list';\nexport function one(): number { return size([1]); }",
     "if (one() !== 1) throw new Error('wrong');", (
        ("as asked", "machinery",
         "import { size } from 'acme-list';\nexport function one(): number { return size([1]); }"),
        ("without it", "pass", "export function one(): number { return 1; }"),
        ("another", "fail",
         "import { size } from 'nowhere-list';\nexport function one(): number { return size([1]); }"),
    )),
    ("ruby", "require 'acme/list'\n\ndef one", "require 'acme/list'\ndef one = Acme.size([1])",
     "raise unless one == 1", (
        ("as asked", "machinery", "require 'acme/list'\ndef one = Acme.size([1])"),
        ("without it", "pass", "def one = 1"),
        ("another", "fail", "require 'nowhere/list'\ndef one = 1"),
        ("wrong", "fail", "def one = 2"),
    )),
    ("r", "library(acmelist)\n\none <- function()", "library(acmelist)\none <- function() size(1)",
     "stopifnot(one() == 1)", (
        ("as asked", "machinery", "library(acmelist)\none <- function() size(1)"),
        ("without it", "pass", "one <- function() 1"),
        ("another", "fail", "library(nowhere)\none <- function() 1"),
        ("wrong", "fail", "one <- function() 2"),
    )),
    ("python", "import acme_list\n\ndef one():", "import acme_list\ndef one(): return acme_list.size([1])",
     "import os\nassert one() == 1", (
        ("as asked", "machinery", "import acme_list\ndef one(): return acme_list.size([1])"),
        ("without it", "pass", "def one(): return 1"),
        ("another", "fail", "import nowhere_list\ndef one(): return 1"),
        ("wrong", "fail", "def one(): return 2"),
    )),
)  # fmt: skip
OTHERS = (
    Case("python own module", "pass", "python", "", "def leap(year): return year % 4 == 0",
         "from calendar_rules import leap\nassert leap(4)", "def leap(year): return True"),
    Case("python own module, another name", "fail", "python", "", "def leap(year): return year % 4 == 0",
         "import calendar_rules\nassert calendar_rules.leap(4)", "def is_leap(year): return year % 4 == 0"),
    Case("python tests' library", "machinery", "python", "", "def leap(year): return year % 4 == 0",
         "from acme_dates import check_leap\ncheck_leap(leap)", "def leap(year): return True"),
    Case("rust own module", "fail", "rust", "mod shapes { pub fn side() -> i32 { 2 } }\nuse shapes::side;\n",
         "mod shapes { pub fn side() -> i32 { 2 } }\nuse shapes::side;\npub fn area() -> i32 { side() * side() }",
         '#[test]\nfn area_of_shapes() { assert_eq!(area(), 4, "shapes differ"); }',
         "use shapes::side;\npub fn area() -> i32 { side() }"),
    Case("java own package", "fail", "java", "package com.acme.shapes;\n",
         f"package com.acme.shapes;\nimport com.acme.shapes.Square;\n{JAVA_SQUARE}", JAVA_TEST,
         f"package com.acme.shapes;\n{JAVA_SQUARE.replace('a * a', 'new int[0][0]')}"),
    Case("ruby says its library's name", "fail", "ruby", "require 'acme/list'\n\ndef one",
         "require 'acme/list'\ndef one = Acme.size([1])", "raise 'acme/list: wrong' unless one == 1", "def one = 2"),
    Case("c# platform", "machinery", "c#", "using System;\nusing System.Acme.Json;\n", "",
     "class T { static void Main() { P.One(); } }",
         "using System.Acme.Json;\npublic class P { public static int One() { return 1; } }"),
    Case("c# no reference", "fail", "c#", "Write a class for squares.", "", CS_TEST, "public class Sqare { }"),
    Case("java tests' library", "machinery", "java", "", JAVA_SQUARE,
         CHECKED, JAVA_SQUARE),
    Case("java tests' library in the answer too", "machinery", "java", "", JAVA_SQUARE,
         CHECKED,
         f"import org.acme.Check;\n{JAVA_SQUARE}"),
)  # fmt: skip


@pytest.mark.sandbox
def test_what_the_item_needs_is_machinery_and_what_the_answer_wants_is_not(pool: Pool) -> None:
    scorer = ItemScorer(pool)
    wrong = []
    for case in _cases():
        item = {
            "language": case.language,
            "prompt": case.prompt,
            "reference": case.reference,
            "tests": [{"name": "t", "code": case.test}],
        }
        scored = scorer(ScoreJob(item, f"```\n{case.answer}\n```"))
        if scored.outcome.value != case.outcome:
            wrong.append((case.name, case.outcome, scored.outcome.value, scored.detail))
    assert not wrong, "\n".join(map(repr, wrong))


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("python", "import a.b, c as d\nfrom e.f import g\nfrom . import h", ["a", "c", "e"]),
        ("csharp", "using A.B;\nusing static A.C;\nusing D = A.E;\nusing (var x = f()) { }", ["A.B", "static A.C"]),
        ("java", "import a.b.C;\nimport static a.D.e;\nimport a.*;", ["a.b.C", "static a.D.e", "a.*"]),
        ("cpp", '#include <a/b.h>\n# include <c>\n#include "own.h"', ["a/b.h", "c"]),
        ("go", 'import (\n\t"a.b/c"\n\td "e"\n)\nimport "f"\nvar g = "h"', ["a.b/c", "e", "f"]),
        ("rust", "use a::b;\npub use crate::c;\nextern crate d;\nuse self::e;\nuse f;", ["a", "d", "f"]),
        ("ts", "import { a } from 'b';\nconst c = require(\"d/e\");\nimport './own';\nimport 'f';", ["b", "d/e", "f"]),
        ("ruby", "require 'a/b'\nrequire './own'\nrequire_relative 'own'", ["a/b"]),
        ("r", "library(a)\nrequire('b.c')", ["a", "b.c"]),
        ("bash", "source a", []),
    ],
)  # fmt: skip
def test_imports_are_read_as_each_language_writes_them(language: str, text: str, names: list[str]) -> None:
    assert [item.name for item in imports_of(language, text)] == names
