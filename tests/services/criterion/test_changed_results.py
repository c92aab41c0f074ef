"""What of a result no test looks at is part of a proof: order, case, what is raised, what is done to arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox.places import DockerPlace
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports

pytestmark = pytest.mark.sandbox

_RANKED = "def ranked(scores):\n    return sorted(scores, key=scores.get, reverse=True)\n"
_SQUARE = "def root(number):\n    if number < 0:\n        raise ValueError('negative')\n    return number ** 0.5\n"
_ROOTS = "import pytest\nassert root(9) == 3 and root(2) == 2 ** 0.5\n"
_MERGED = (
    "def merged(spans):\n    out = []\n    for start, end in sorted(spans):\n"
    "        if out and start <= out[-1][1]:\n            out[-1][1] = max(out[-1][1], end)\n"
    "        else:\n            out.append([start, end])\n    return out\n"
)
_FIELDS = "def fields(line):\n    return line.split(',')\n"
_TITLE = "const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);\n"
_NEWEST = "function newest(posts) {\n  return posts.slice().sort((a, b) => b.at - a.at).map((post) => post.id);\n}\n"
_OPPOSITE, _CASE = "the result is in the opposite order", "the text returned has its letters in the other case"
_OTHER, _CHANGED = "another exception is raised", "what the function is given is changed by it"


def _missed(folder: Path, language: str, prompt: str, code: str, test: str) -> set[str]:
    """Return what a proof says that no test looks at."""
    row = {"id": "item", "prompt": prompt, "reference": code, "language": language,
           "tests": [{"name": "check", "code": test, "language": language}]}  # fmt: skip
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    made = projects.create_project(folder / "p.annotator", "p", "ada")
    imports.import_paths(made, "jsonl", [folder / "rows.jsonl"])
    [proven], _ = proofs.prove_subjects(made, ["item"])
    view = triage.subject(made, "item")
    made.close()
    assert proven.outcome == "pass" and view.proof is not None, proven.reason
    checks: dict[str, dict[str, Any]] = {check["name"]: check for check in view.proof.checks}
    trials = checks["mutants"]["trials"] if "mutants" in checks else []
    return {trial["label"] for trial in trials if trial["kind"] == "result"}


@pytest.mark.parametrize(
    ("language", "prompt", "code", "weak", "good", "said"),
    [
        pytest.param(
            "python", "Return the names, ranked by score, highest first.", _RANKED,
            "assert sorted(ranked({'a': 1, 'b': 3, 'c': 2})) == ['a', 'b', 'c']\nassert ranked({}) == []\n",
            "assert ranked({'a': 1, 'b': 3, 'c': 2}) == ['b', 'c', 'a']\nassert ranked({}) == []\n",
            _OPPOSITE, id="order",
        ),
        pytest.param(
            "python", "Return the square root; raise ValueError for negative numbers.", _SQUARE,
            f"{_ROOTS}with pytest.raises(Exception):\n    root(-4)\n",
            f"{_ROOTS}with pytest.raises(ValueError):\n    root(-4)\n",
            _OTHER, id="exception",
        ),
        pytest.param(
            "python", "Merge the intervals that overlap. The given list must not be modified.", _MERGED,
            "assert merged([[5, 6], [1, 2], [2, 4]]) == [[1, 4], [5, 6]]\nassert merged([]) == []\n",
            "given = [[5, 6], [1, 2], [2, 4]]\nassert merged(given) == [[1, 4], [5, 6]]\n"
            "assert given == [[5, 6], [1, 2], [2, 4]]\nassert merged([]) == []\n",
            _CHANGED, id="arguments",
        ),
        pytest.param(
            "javascript", "Write title(name): the first letter becomes a capital.", _TITLE,
            "const assert = require('node:assert');\nassert.equal(title('ada').toLowerCase(), 'ada');\n"
            "assert.equal(title('x').length, 1);\n",
            "const assert = require('node:assert');\nassert.equal(title('ada'), 'Ada');\n"
            "assert.equal(title('x'), 'X');\n",
            _CASE, id="case",
        ),
        pytest.param(
            "python", "Write fields(line): what stands between the commas; the last may be empty.", _FIELDS,
            "assert fields('a,b') == ['a', 'b']\nassert fields('a,,b,')[:3] == ['a', '', 'b']\n",
            "assert fields('a,b') == ['a', 'b']\nassert fields('a,,b,') == ['a', '', 'b', '']\n",
            "an empty last part of the result is missing", id="empty end",
        ),
        pytest.param(
            "typescript", "Return the ids of the posts, newest first; leave the array untouched.",
            _NEWEST.replace("(posts)", "(posts: any[])"),
            "const posts = [{ id: 1, at: 3 }, { id: 2, at: 9 }];\n"
            "if (newest(posts).sort().join() !== '1,2' || newest([]).length) throw new Error('no');\n",
            "const posts = [{ id: 1, at: 3 }, { id: 2, at: 9 }];\n"
            "if (newest(posts).join() !== '2,1' || newest([]).length) throw new Error('no');\n"
            "if (posts[0].id !== 1) throw new Error('changed');\n",
            _CHANGED, id="typescript",
        ),
    ],
)  # fmt: skip
def test_what_no_test_looks_at_is_told(
    place: DockerPlace, tmp_path: Path, language: str, prompt: str, code: str, weak: str, good: str, said: str
) -> None:
    for name in ("weak", "good"):
        (tmp_path / name).mkdir()
    assert said in _missed(tmp_path / "weak", language, prompt, code, weak)
    assert _missed(tmp_path / "good", language, prompt, code, good) == set()


def test_what_is_not_a_number_changes_nothing(place: DockerPlace, tmp_path: Path) -> None:
    code = "function distinct(all) {\n  return [...new Set(all)];\n}\n"
    test = (
        "const assert = require('node:assert');\nassert.deepStrictEqual(distinct([NaN, 1, NaN]), [NaN, 1]);\n"
        "assert.deepStrictEqual(distinct([2, 2]), [2]);\n"
    )
    assert _missed(tmp_path, "javascript", "Return each value once.", code, test) == set()


def test_what_the_question_leaves_open_is_not_asked_for(place: DockerPlace, tmp_path: Path) -> None:
    test = "assert sorted(ranked({'a': 1, 'b': 3, 'c': 2})) == ['a', 'b', 'c']\nassert ranked({}) == []\n"
    code = "def ranked(scores):\n    return list(scores)\n"
    assert _OPPOSITE not in _missed(tmp_path, "python", "Return the names.", code, test)
