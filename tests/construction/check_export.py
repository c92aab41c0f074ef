"""Check exported items from the file alone: ``python check_export.py ITEMS.jsonl [--jobs N]``.

Knows the format of the export and nothing else of this project. The code of the items is run by the Python that runs
this, each program in a process of its own with a time limit, so it is for files whose code one trusts.

Checked are, for items in Python:
- modification: the reference passes every test. A bug of logic fails at least one and passes at least one; one of
  syntax does not compile, or fails where its name is met; code with an old interface fails at least one; the tests of
  the others pass, as a rule or a clock tells them apart (that is said, not checked).
- review: the corrected lines put in the place of the faulty ones give a program that passes every test.
- generation: the reference passes every test; the code with its blanks does not.
- understanding: the call with the arguments of the item gives the output of the item, twice.

Ends with 0 if every item holds, 1 if one does not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

RUN = """
import json, sys
work = json.load(sys.stdin)
found = []
for test in work["tests"]:
    try:
        exec(compile(work["code"] + "\\n" + test, "item", "exec"), {"__name__": "item"})
        found.append(True)
    except BaseException:
        found.append(False)
sys.stderr.write(json.dumps(found))
"""
CALL = """
import json, math, sys
work = json.load(sys.stdin)
def value(form):
    if isinstance(form, list):
        return [value(part) for part in form]
    if not isinstance(form, dict):
        return form
    (tag, body), = form.items()
    if tag in ("$f", "$i"):
        return float(body) if tag == "$f" else int(body)
    if tag == "$d":
        return {value(left): value(right) for left, right in body}
    return {"$t": tuple, "$s": set, "$fs": frozenset}[tag](value(body))
def same(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) if isinstance(a, float) else a == b
space = {"__name__": "item"}
exec(compile(work["code"], "item", "exec"), space)
found = [space[work["entry"]](**{name: value(form) for name, form in work["arguments"]}) for _ in range(2)]
sys.stderr.write(json.dumps([same(one, value(work["output"])) for one in found]))
"""
LIMIT_S = 60
OTHER_PROOF = ("security", "performance", "naming")


def outcomes(code: str, tests: list[dict[str, str]]) -> list[bool]:
    """Run every test on a program in a fresh process; a process that does not end or answer fails them all."""
    work = json.dumps({"code": code, "tests": [test["code"] for test in tests]})
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", RUN], input=work, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        return [bool(item) for item in json.loads(done.stderr.splitlines()[-1])]
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return one_by_one(code, tests)


def one_by_one(code: str, tests: list[dict[str, str]]) -> list[bool]:
    """Run each test in a process of its own: one of them does not end."""
    found = []
    for test in tests:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-c", f"{code}\n{test['code']}"], capture_output=True, timeout=5, check=False
            )
            found.append(done.returncode == 0)
        except subprocess.TimeoutExpired:
            found.append(False)
    return found


def compiles(code: str) -> bool:
    """Tell whether a program can be read."""
    try:
        compile(code, "item", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def fixed(item: dict[str, Any]) -> str:
    """Return a review item's code with every issue's lines replaced by the corrected ones."""
    lines = item["code"].splitlines()
    for issue in sorted(item["issues"], key=lambda one: -one["lines"][0]):
        first, last = issue["lines"]
        # Where lines were only removed, what is missing goes in before the line named.
        end = last if issue["original"] else first - 1
        lines[first - 1 : end] = issue["fixed"].splitlines()
    return "\n".join(lines) + "\n"


def gives(item: dict[str, Any]) -> bool:
    """Tell whether the call of an understanding item gives its output."""
    work = {name: item[name] for name in ("code", "arguments", "output")} | {"entry": item["entry_point"]}
    done = subprocess.run(
        [sys.executable, "-I", "-c", CALL],
        input=json.dumps(work), capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return done.returncode == 0 and all(json.loads(done.stderr.splitlines()[-1]))


def problem_of(item: dict[str, Any]) -> str:
    """Return what is wrong with an item, empty if nothing is."""
    tests, task = item.get("tests") or [], item["task"]
    if task == "understanding":
        return "" if gives(item) else "the call does not give the output"
    if task == "review":
        return "" if all(outcomes(fixed(item), tests)) else "the corrected lines do not pass"
    if not all(outcomes(item["reference"], tests)):
        return "the reference does not pass"
    if task == "generation":
        return "the code with blanks passes" if all(outcomes(item["code"], tests)) else ""
    kinds = [bug["type"] for bug in item["bugs"]]
    if "syntax.parse" in kinds:
        return "the code compiles" if compiles(item["code"]) else ""
    found = outcomes(item["code"], tests)
    if all(kind.partition(".")[0] in OTHER_PROOF for kind in kinds):
        return "" if all(found) else "a test tells what only a rule or a clock should"
    if all(found):
        return "no test fails"
    if not any(found) and not any(kind.startswith("syntax") or kind == "update" for kind in kinds):
        return "no test passes"
    return ""


def main() -> int:
    """Check a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    items = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines() if line.strip()]
    known = [item for item in items if item["language"] == "python"]
    with ThreadPoolExecutor(options.jobs) as threads:
        problems = list(threads.map(problem_of, known))
    bad = [(item, why) for item, why in zip(known, problems, strict=True) if why]
    for item, why in bad:
        print(f"{item['task']} {item['id']} ({item['key']}): {why}")
    counts = Counter(item["task"] for item in known)
    told = ", ".join(f"{count} {task}" for task, count in sorted(counts.items()))
    print(f"{len(known) - len(bad)} of {len(known)} items hold ({told}); {len(items) - len(known)} not checked here")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
