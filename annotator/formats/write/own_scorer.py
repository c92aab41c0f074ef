"""The scorer that exports contain: copies of our modules, and the data of every item."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from annotator.base.resources import resource_path
from annotator.criteria.document.from_tests import with_check_called
from annotator.sandbox.python_tests import inspect_tests

PACKAGE = "annotator_scoring"
ANSWERS = (
    "choice", "fences", "masked", "normalising", "outcome", "python_source",
    "refusals", "source",
)  # fmt: skip
"""The modules of `annotator.answers` that find the Python program in a response."""
TEXT = ("python_tree",)
"""The modules of `annotator.text` that the modules in `ANSWERS` import."""
TESTING = ("crossing", "judge", "remote", "solution", "testing", "wire")
"""The modules of the sandbox's supervisor that run tests beside a program."""
RUNNER = ("inside", "runner")
SECONDS = 10.0
"""The time limit of a test that states none."""


def scorer_files() -> dict[str, str]:
    """Return the files of the scorer package by name; it runs without Annotator installed.

    Its modules are copies of ours; only their imports of each other are changed.
    """
    package = resource_path("formats", PACKAGE)
    copied_texts = {
        f"{package_name}/{name}.py": files(f"annotator.{package_name}").joinpath(f"{name}.py").read_text("utf-8")
        for package_name, names in (("answers", ANSWERS), ("text", TEXT))
        for name in ("__init__", *names)
    }
    adapted_texts = {
        name: text.replace("annotator.answers", f"{PACKAGE}.answers").replace("annotator.text", f"{PACKAGE}.text")
        for name, text in copied_texts.items()
    }
    runner_files = {f"{name}.py": package.joinpath(f"{name}.py").read_text("utf-8") for name in ("__init__", *RUNNER)}
    texts = {**runner_files, **_supervisor_files(), **adapted_texts}
    return {f"{PACKAGE}/{name}": texts[name] for name in sorted(texts)}


def _supervisor_files() -> dict[str, str]:
    folder = resource_path("sandbox", "supervisor")
    return {f"{name}.py": folder.joinpath(f"{name}.py").read_text("utf-8") for name in TESTING}


def scoring_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item's data for the package: its prompt, its tests, and where each of them can run."""
    tests = [test for test in item["tests"] if test["code"].strip()]
    return {
        "entry_point": item["entry_point"],
        "prompt": item.get("original_prompt") or item["prompt"],
        "context": item["context"],
        "tests": [_test_data(item, number, test) for number, test in enumerate(tests, start=1)],
    }


def _test_data(item: Mapping[str, Any], number: int, test: Mapping[str, Any]) -> dict[str, Any]:
    code_with_call = with_check_called(test["code"], item["entry_point"])
    inspection = inspect_tests(code_with_call)
    if inspection.same_process or item.get("extra", {}).get("sandbox_mode") == "fast":
        place = "together"
    else:
        place = "either" if inspection.uncertain else "judged"
    return {
        "name": test.get("name") or str(number),
        "code": test["code"],
        "called": code_with_call,
        "style": inspection.style,
        "shadowed": list(inspection.shadowed),
        "seconds": float(test.get("timeout") or SECONDS),
        "place": place,
    }
