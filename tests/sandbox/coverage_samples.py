"""Eleven programs, two or three a language, with the lines and arms that the language's own tools count over all their tests; and
answers that write what looks like coverage.

The numbers were taken from coverage.py, c8 (of TypeScript through esbuild's source map), JaCoCo's agent and gcov, each
run by hand on the code as a file of its own with every test a process of its own. Arms that gcov marks as ``throw`` are
left out, and so are those of blocks that only an error reaches and none did, and the functions that esbuild adds to hand
exports out: they are nobody's code.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotator.sandbox import Job, Limits, TestCode

LIMITS = Limits(wall_s=20.0, cpu_s=20.0)


@dataclass(frozen=True, slots=True)
class Sample:
    """A program, its tests, the lines that none of them ran, and the lines with arms: those taken and all."""

    name: str
    language: str
    code: str
    tests: tuple[str, ...]
    lines: int
    missing: tuple[int, ...]
    arms: tuple[tuple[int, int, int], ...]


_PYTHON_GRADES = """\
def grade(points, bonus=None):
    if points is None or points < 0:
        raise ValueError("points")
    total = points + (bonus if bonus else 0)
    for limit, name in ((90, "A"), (75, "B"), (50, "C")):
        if total >= limit:
            return name
    else:
        name = "F"
    while name == "F" and total < 10:
        total += 5
    return name


def safe(points):
    try:
        return grade(points)
    except ValueError as error:
        return str(error)
    finally:
        points = None
"""
_PYTHON_WORDS = """\
from collections import Counter


class Words:
    def __init__(self, text):
        self.words = [word for word in text.split() if word]

    def kind(self, word):
        match word:
            case "a" | "the":
                return "article"
            case "and":
                return "conjunction"
            case _ if word.isdigit():
                return "number"
        return "word"

    def kinds(self):
        counts = Counter(self.kind(word) for word in self.words)
        if not counts: return None
        most = 0
        for count in counts.values():
            if count > most: most = count
            elif count < 0:
                continue
        return most if most > 1 else -1
"""
_JAVASCRIPT_GRADES = """\
function grade(points, bonus) {
  if (points === null || points < 0) {
    throw new RangeError('points');
  }
  const total = points + (bonus ? bonus : 0);
  for (const [limit, name] of [[90, 'A'], [75, 'B'], [50, 'C']]) {
    if (total >= limit) return name;
  }
  let left = total;
  while (left > 10) {
    left -= 10;
  }
  return left === 0 ? 'zero' : 'F';
}

function safe(points) {
  try {
    return grade(points);
  } catch (error) {
    return error.message;
  } finally {
    points = null;
  }
}

module.exports = { grade, safe };
"""
_JAVASCRIPT_KINDS = """\
// Kinds of words.
const DIGITS = /^[0-9]+$/;

class Words {
  constructor(text) {
    this.words = text.split(/\\s+/).filter((word) => word && word !== '-');
  }

  kind(word) {
    switch (word) {
      case 'a':
      case 'the':
        return 'article';
      case 'and':
        return 'conjunction';
      default:
        return DIGITS.test(word) ? 'number' : 'word';
    }
  }

  *kinds() {
    for (const word of this.words) {
      const kind = this.kind(word);
      if (kind === 'number') continue;
      yield kind;
    }
  }

  unused() {
    return this.words?.length ?? 0;
  }
}

const first = (words) => words && words[0] || 'none';

module.exports = { Words, first };
"""
_TYPESCRIPT_GRADES = """\
type Grade = 'A' | 'B' | 'F';

interface Result {
  grade: Grade;
  note?: string;
}

export function grade(points: number | null, bonus?: number): Result {
  if (points === null || points < 0) {
    throw new RangeError('points');
  }
  const total: number = points + (bonus ? bonus : 0);
  const limits: Array<[number, Grade]> = [[90, 'A'], [75, 'B']];
  for (const [limit, name] of limits) {
    if (total >= limit) {
      return { grade: name };
    }
  }
  return { grade: 'F', note: total === 0 ? 'zero' : undefined };
}

export function safe(points: number): string {
  try {
    return grade(points).grade;
  } catch (error) {
    return (error as Error).message;
  }
}
"""
_TYPESCRIPT_QUEUE = """\
enum Level { Low = 1, High }

export class Queue<T> {
  private items: T[] = [];

  constructor(private readonly level: Level = Level.Low) {}

  push(item: T): this {
    if (this.items.length >= 2 && this.level === Level.Low) {
      throw new Error('full');
    }
    this.items.push(item);
    return this;
  }

  describe(): string {
    switch (this.items.length) {
      case 0:
        return 'empty';
      case 1:
        return 'one';
      default:
        return 'many';
    }
  }

  *drain(): Generator<T> {
    let item: T | undefined;
    while ((item = this.items.shift()) !== undefined) {
      yield item;
    }
  }

  peek = (): T | undefined => this.items[0] ?? undefined;
}

export { Level };
"""
_CPP_GRADES = """\
#include <stdexcept>
#include <string>
#include <vector>

std::string grade(int points, int bonus = 0) {
    if (points < 0 || points > 200) {
        throw std::range_error("points");
    }
    int total = points + (bonus > 0 ? bonus : 0);
    for (int limit : {90, 75, 50}) {
        if (total >= limit) return limit == 90 ? "A" : limit == 75 ? "B" : "C";
    }
    while (total > 10) {
        total -= 10;
    }
    return total == 0 ? "zero" : "F";
}

std::string safe(int points) {
    try {
        return grade(points);
    } catch (const std::range_error &error) {
        return error.what();
    }
}
"""
_CPP_KINDS = """\
#include <map>
#include <string>

enum class Kind { article, number, word };

template <typename T>
T larger(T a, T b) {
    return a < b ? b : a;
}

struct Words {
    std::map<std::string, int> seen;

    Kind kind(const std::string &word) {
        ++seen[word];
        switch (word.size()) {
            case 0:
            case 1:
                return Kind::article;
            case 2:
                if (word[0] == 't' && word[1] == 'o') return Kind::article;
                break;
            default:
                break;
        }
        bool digits = !word.empty();
        for (char c : word)
            digits = digits && c >= '0' && c <= '9';
        return digits ? Kind::number : Kind::word;
    }

    int most() const {
        int best = 0;
        for (const auto &item : seen) best = larger(best, item.second);
        return best;
    }
};
"""
_CPP_LABELS = """\
#include <string>
#include <vector>

std::vector<std::string> labels(int count, const std::string &name) {
    std::vector<std::string> found;
    found.push_back(count == 1 ? name : name + "-" + std::to_string(count));
    return found;
}
"""
_JAVA_GRADES = """\
import java.util.List;
import java.util.Map;

public class Grades {
    static String grade(int points, int bonus) {
        if (points < 0 || points > 200) {
            throw new IllegalArgumentException("points");
        }
        int total = points + (bonus > 0 ? bonus : 0);
        for (int limit : List.of(90, 75, 50)) {
            if (total >= limit) return limit == 90 ? "A" : limit == 75 ? "B" : "C";
        }
        while (total > 10) {
            total -= 10;
        }
        return total == 0 ? "zero" : "F";
    }

    static String safe(int points) {
        String result = "none";
        try {
            result = grade(points, 0);
        } catch (IllegalArgumentException error) {
            result = error.getMessage();
        } finally {
            if (result == null) result = "null";
        }
        return result;
    }
}
"""
_JAVA_KINDS = """\
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

interface Shape { double area(); }

class Words {
    enum Kind { ARTICLE, NUMBER, WORD }

    private final List<String> words = new ArrayList<>();

    Kind kind(String word) {
        switch (word) {
            case "a":
            case "the":
                return Kind.ARTICLE;
            case "and":
                break;
            default:
                if (!word.isEmpty() && word.chars().allMatch(c -> c >= '0' && c <= '9')) return Kind.NUMBER;
        }
        return Kind.WORD;
    }

    int count(Predicate<String> wanted) {
        int count = 0;
        for (int i = 0; i < words.size(); i++)
            if (wanted.test(words.get(i)) && i != 2) count++;
        return count;
    }

    Words add(String... more) {
        for (String word : more) {
            if (word == null) continue;
            synchronized (words) { words.add(word); }
        }
        return this;
    }

    static int sign(int x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
}
"""


def _java(statements: str) -> str:
    return f"class Main {{ public static void main(String[] arguments) {{ {statements} }} }}"


def _cpp(statements: str) -> str:
    return f"#include <cassert>\nint main() {{ {statements} }}"


SAMPLES = (
    Sample("grades", "python", _PYTHON_GRADES,
           ("assert grade(95) == 'A' and grade(60, 20) == 'B'", "assert safe(-1) == 'points'", "assert grade(3) == 'F'"),
           17, (), ((2, 2, 2), (5, 2, 2), (6, 2, 2), (10, 2, 2))),
    Sample("words", "python", _PYTHON_WORDS,
           ("assert Words('a the 12').kinds() == 2", "assert Words('x y').kinds() == 2", "assert Words('').kinds() is None"),
           22, (13, 25), ((6, 3, 3), (10, 2, 2), (12, 1, 2), (19, 3, 3), (20, 2, 2), (22, 2, 2), (23, 2, 2), (24, 1, 2))),
    Sample("grades", "javascript", _JAVASCRIPT_GRADES,
           ("if (grade(95) !== 'A' || grade(60, 20) !== 'B') throw new Error()", "if (safe(-1) !== 'points') throw new Error()",
            "if (grade(3) !== 'F') throw new Error()"),
           26, (11, 12), ((1, 2, 2), (2, 1, 1), (5, 3, 3), (6, 2, 2), (7, 1, 1), (9, 1, 1), (10, 0, 1), (13, 1, 2), (16, 1, 1), (21, 0, 1))),
    Sample("words", "javascript", _JAVASCRIPT_KINDS,
           ("if ([...new Words('a the - 12').kinds()].length !== 2) throw new Error()",
            "if ([...new Words('the word').kinds()][1] !== 'word') throw new Error()",
            "if (first([]) !== 'none' || first([1]) !== 1) throw new Error()"),
           36, (15, 30, 31), ((1, 1, 1), (5, 1, 1), (6, 1, 1), (9, 1, 1), (11, 1, 1), (12, 1, 1), (14, 0, 1), (16, 1, 1), (17, 2, 2), (21, 1, 1), (22, 1, 1), (24, 1, 1), (25, 1, 1), (34, 2, 2))),
    Sample("grades", "typescript", _TYPESCRIPT_GRADES,
           ("if (grade(95).grade !== 'A' || grade(60, 20).grade !== 'B') throw new Error()",
            "if (grade(3).note !== undefined) throw new Error()", "if (safe(-1) !== 'points') throw new Error()"),
           28, (), ((8, 1, 1), (9, 1, 1), (11, 1, 1), (12, 2, 2), (14, 2, 2), (15, 1, 1), (18, 1, 1), (19, 1, 2), (22, 1, 1))),
    Sample("queue", "typescript", _TYPESCRIPT_QUEUE,
           ("if (new Queue<number>().describe() !== 'empty') throw new Error()",
            "const q = new Queue<number>().push(1).push(2); try { q.push(3); throw 1; } catch (e) { if (e === 1) throw e; }",
            "if ([...new Queue<number>(Level.High).push(1).push(2).push(3).drain()].length !== 3) throw new Error()"),
           37, (21, 23), ((1, 1, 1), (6, 1, 1), (8, 1, 1), (9, 2, 2), (11, 1, 1), (16, 1, 1), (20, 0, 1), (22, 0, 1), (27, 1, 1), (29, 1, 1))),
    Sample("grades", "c++", _CPP_GRADES,
           (_cpp('assert(grade(95) == "A" && grade(60, 20) == "B");'), _cpp('assert(safe(-1) == "points");'),
            _cpp('assert(grade(3) == "F");')),
           14, (14,), ((6, 3, 4), (7, 1, 1), (10, 2, 2), (11, 6, 7), (13, 1, 2), (16, 2, 3), (21, 0, 1), (22, 1, 2), (23, 1, 1))),
    Sample("words", "c++", _CPP_KINDS,
           (_cpp('Words w; assert(w.kind("a") == Kind::article && w.kind("12") == Kind::number);'),
            _cpp('Words w; assert(w.kind("to") == Kind::article && w.kind("xyz") == Kind::word && w.most() == 1);'),
            _cpp("assert(larger(1.5, 2.5) == 2.5);")),
           20, (), ((8, 3, 4), (16, 3, 3), (21, 5, 6), (27, 2, 2), (28, 5, 6), (29, 2, 2), (34, 2, 2))),
    Sample("labels", "c++", _CPP_LABELS,
           (_cpp('assert(labels(1, "a")[0] == "a");'), _cpp('assert(labels(2, "a")[0] == "a-2");')),
           5, (8,), ((6, 10, 10),)),
    Sample("grades", "java", _JAVA_GRADES,
           (_java('assert Grades.grade(95, 0).equals("A") && Grades.grade(60, 20).equals("B");'),
            _java('assert Grades.safe(-1).equals("points");'), _java('assert Grades.grade(3, 0).equals("F");')),
           16, (4, 14, 22), ((6, 3, 4), (9, 2, 2), (10, 2, 2), (11, 5, 6), (13, 1, 2), (16, 1, 2), (26, 1, 2))),
    Sample("words", "java", _JAVA_KINDS,
           (_java('assert new Words().kind("a") == Words.Kind.ARTICLE && new Words().kind("12") == Words.Kind.NUMBER;'),
            _java('assert new Words().add("x", null, "y").count(w -> w.equals("y")) == 1;'),
            _java('assert new Words().kind("") == Words.Kind.WORD && Words.sign(3) == 1 && Words.sign(-3) == -1;')),
           17, (18,), ((13, 2, 3), (20, 5, 8), (27, 2, 2), (28, 3, 4), (33, 2, 2), (34, 2, 2), (40, 3, 4))),
)  # fmt: skip

_HALF_PYTHON = "def f(x):\n    if x:\n        return 1\n    return 2\n"
_FORGED = '{"files": {"solution.py": {"executed_lines": [1, 2, 3, 4], "missing_lines": []}}}'
_HALF_C = "#include <stdio.h>\nint f(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n"
_HALF_JAVA = "class S {\n  static int f(int x) {\n    if (x > 0)\n      return 1;\n    return 2;\n  }\n}\n"
FORGERIES = (
    Job("a report of coverage.py", "python",
        f"{_HALF_PYTHON}for name in ('coverage.json', '.json'):\n    open(name, 'w').write({_FORGED!r})\n",
        (TestCode("t", "assert f(1) == 1"),), limits=LIMITS, coverage=True),
    Job("garbage and folders", "python",
        f"{_HALF_PYTHON}import os\nopen('x.json', 'w').write('[' * 9000)\nos.mkdir('coverage.json')\nos.unlink('solution.py')\nos.mkdir('solution.py')\n",
        (TestCode("t", "assert f(1) == 1"),), limits=LIMITS, coverage=True),
    Job("another source", "python", f"{_HALF_PYTHON}open('solution.py', 'w').write('def f(x):\\n    if x:\\n        return 1\\n')\n",
        (TestCode("t", "assert f(1) == 1"),), limits=LIMITS, coverage=True),
    Job("counts of gcov", "c",
        f"{_HALF_C}__attribute__((constructor)) void first(void) {{ FILE *f = fopen(\"main.gcda\", \"w\"); fputs(\"adcg\", f); fclose(f); remove(\"main.gcno\"); }}\n",
        (TestCode("t", "int main(void) { return f(1) != 1; }"),), limits=LIMITS, coverage=True),
    Job("a report of V8", "javascript",
        "function f(x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}\nrequire('fs').mkdirSync('coverage');\n"
        "require('fs').writeFileSync('coverage/a.json', JSON.stringify({ result: [{ url: 'file://' + __filename, functions: [] }] }));\n",
        (TestCode("t", "if (f(1) !== 1) throw 1;"),), limits=LIMITS, coverage=True),
    Job("a report of JaCoCo", "java",
        f"{_HALF_JAVA}class Early {{ static {{ try {{ java.nio.file.Files.writeString(java.nio.file.Path.of(\"coverage.txt\"), \"5 1 2 2\"); }} catch (Exception e) {{ }} }} }}\n",
        (TestCode("t", "class Main { public static void main(String[] a) throws Exception { Class.forName(\"Early\"); assert S.f(1) == 1; } }"),),
        limits=LIMITS, coverage=True),
)  # fmt: skip
