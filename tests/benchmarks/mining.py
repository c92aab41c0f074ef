"""Mining a repository: how many functions a second, and whether four times the files take four times as long."""

from __future__ import annotations

import random
import shutil
import statistics
import time
from pathlib import Path

from tests.benchmarks import making
from tests.benchmarks.figures import Figure, at_most
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

FILES = 60
TIMES = 4
_ROUNDS = 3
_FUNCTIONS = 6
_LINEAR = 4.6


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure on made repositories; nothing of theirs is run."""
    small, large = folder / "small", folder / "large"
    functions = [write(small, FILES), write(large, FILES * TIMES)]
    mined(small)
    ratios, fastest, found = list[float](), float("inf"), [0, 0]
    for _ in range(_ROUNDS):
        before, found[0] = _timed(small)
        many, found[1] = _timed(large)
        # The small one is measured on both sides of the large one: a machine that others use changes its speed.
        ratios.append(2 * many / (before + _timed(small)[0]))
        fastest = min(fastest, many)
    for root in (small, large):
        shutil.rmtree(root)
    share = 100 * sum(found) / sum(functions)
    return [
        Figure("mining", f"functions of {FILES * TIMES} files with tests, CPU", functions[1] / fastest, "1/s"),
        at_most("mining", f"{TIMES} times the files, CPU", statistics.median(ratios), "times", _LINEAR),
        Figure("mining", "functions found that a test calls", share, "%", "100 %", found == functions),
    ]


def _timed(root: Path) -> tuple[float, int]:
    start = time.process_time()
    found = mined(root)
    return time.process_time() - start, found


def mined(root: Path) -> int:
    """Mine a repository without running anything; returns how many functions were found."""
    from annotator.mining.repository.pipeline import MiningOptions, mine_folder

    result, _session = mine_folder(root, MiningOptions())
    return len(result.rows)


def write(root: Path, files: int) -> int:
    """Write a made package of so many modules with a test file each; returns how many functions tests call.

    Modules call each other's functions, have a class each, and tests reach functions by import, by module and through
    an object's methods.
    """
    chance, pool = random.Random(13), making.words(13, 3000)
    (root / "made").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "made" / "__init__.py").write_text("", encoding="utf-8")
    (root / "README.md").write_text("# Made\n", encoding="utf-8")
    for number in range(files):
        names = [f"{chance.choice(pool)}_{number}_{place}" for place in range(_FUNCTIONS)]
        other = f"from made.part_{number - 1} import base_{number - 1}\n" if number else ""
        before = f"base_{number - 1}" if number else "int"
        functions = "".join(_function(name, before, chance, pool) for name in names)
        base = f"def base_{number}(value):\n    return value + {number}\n\n\n"
        kind = f"class Kept{number}:\n" + "".join(_filled("method", name=name) for name in names[:2])
        (root / "made" / f"part_{number}.py").write_text(f"{other}\n\n{base}{functions}{kind}", encoding="utf-8")
        (root / "tests" / f"test_part_{number}.py").write_text(_tests(number, names), encoding="utf-8")
    return files * (_FUNCTIONS + 2)


def _filled(sample: str, **values: object) -> str:
    """Put each value into a sample, where its name stands as ``<name>``."""
    text = SAMPLES[sample]
    for mark, value in values.items():
        text = text.replace(f"<{mark}>", str(value))
    return text


def _function(name: str, before: str, chance: random.Random, pool: list[str]) -> str:
    word, step = chance.choice(pool), chance.randint(2, 9)
    return _filled("function", name=name, before=before, word=word, step=step)


def _tests(number: int, names: list[str]) -> str:
    half = len(names) // 2
    direct = "".join(_filled("direct", name=name) for name in names[:half])
    through = "".join(_filled("through", name=name) for name in names[half:])
    methods = "".join(f"    assert kept.of_{name}([1, 5]) == 1\n" for name in names[:2])
    imported = ", ".join(names[:half])
    return _filled("tests", number=number, names=imported, functions=direct + through, methods=methods)
