"""What an import would bring, and the licence it is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, KnownError
from annotator.mining.repository.confirmation.environment import Environment
from annotator.sandbox.libraries import library_set
from annotator.services import library_sets, repository_snapshots
from annotator.services.project import projects
from annotator.services.sources import imports
from annotator.services.sources.import_preview import ITEMS_SHOWN, plan_import, preview_import, read_pairs, write_pairs
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows

ROW = {"task_id": "a", "prompt": "p", "canonical_solution": "s", "test": "t", "entry_point": "f", "more": 1}


def _rows(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_the_first_items_and_the_columns_left_out(tmp_path: Path) -> None:
    path = _rows(tmp_path / "r.jsonl", *({**ROW, "task_id": str(number)} for number in range(9)))
    found = preview_import(path)
    assert (found.format, len(found.items), found.ignored, found.warnings) == ("humaneval", ITEMS_SHOWN, ("more",), ())
    assert found.recognised == ("humaneval", "jsonl")


def test_a_format_that_does_not_fit_is_warned_of(tmp_path: Path) -> None:
    path = _rows(tmp_path / "r.jsonl", ROW)
    [warning] = preview_import(path, "jsonl").warnings
    assert warning == (
        "This looks like humaneval; when read as jsonl, "
        "the columns task_id, canonical_solution, test, more are left out."
    )
    [warning] = preview_import(path, "mbpp").warnings
    assert warning == "This looks like humaneval, not like mbpp."
    assert preview_import(path, "jsonl", {"reference": "canonical_solution"}).warnings == ()


def test_bad_rows_and_unknown_columns_are_told(tmp_path: Path) -> None:
    found = preview_import(_rows(tmp_path / "r.jsonl", {**ROW, "test": 5}, ROW))
    assert [error.line for error in found.errors] == [1] and len(found.items) == 1
    with pytest.raises(BadInputError, match="has an unknown format; its columns are: what"):
        preview_import(_rows(tmp_path / "u.jsonl", {"what": 1}))
    (tmp_path / "notes.txt").write_text("a shopping list\n")
    with pytest.raises(BadInputError, match="is neither JSON lines nor a table"):
        preview_import(tmp_path / "notes.txt")


def test_a_licence_is_given_to_rows_without_one(store: ProjectFile, tmp_path: Path) -> None:
    path = _rows(tmp_path / "r.jsonl", ROW, {**ROW, "task_id": "b", "license": "MIT"})
    imports.import_paths(store, "humaneval", [path], licence="CC0-1.0")
    with store.reader() as connection:
        rows = connection.execute("SELECT key, licence FROM subject WHERE key LIKE 'humaneval:%' ORDER BY key")
        assert [tuple(row) for row in rows] == [("humaneval:a", "CC0-1.0"), ("humaneval:b", "MIT")]


def test_modules_that_the_sandbox_lacks_are_named(tmp_path: Path) -> None:
    code = {
        "canonical_solution": "import rsa.common, os\nfrom gmpy2 import gcd\nimport numpy",
        "test": "from solution import f",
    }
    path = _rows(tmp_path / "r.jsonl", {**ROW, **code}, {**ROW, "task_id": "b", "test": "def broken("})
    assert preview_import(path).lacking == ("gmpy2", "rsa")
    assert preview_import(_rows(tmp_path / "s.jsonl", ROW)).lacking == ()
    own = {"canonical_solution": "def leap(): pass", "test": "from leap import leap\nfrom acme import check"}
    assert preview_import(_rows(tmp_path / "o.jsonl", {**ROW, **own})).lacking == ("acme",)


def test_fields_by_other_usual_names_are_found(tmp_path: Path) -> None:
    path = _rows(
        tmp_path / "r.jsonl",
        {"Question": "q", "solution": "s", "test_list": ["assert f()"], "lang": "Python", "Autor": "A"},
    )
    found = preview_import(path)
    assert found.mapping == {
        "prompt": "Question", "reference": "solution", "tests": "test_list", "language": "lang", "author": "Autor",
    }  # fmt: skip
    [item] = found.items
    assert (item.prompt, item.reference, item.language, len(item.tests)) == ("q", "s", "python", 1)
    assert item.provenance == {"author": "A"}
    assert preview_import(path, "", {"prompt": "solution"}).items[0].prompt == "s", "what was said comes first"
    own = _rows(tmp_path / "o.jsonl", {"prompt": "p", "question": "q", "answer": "a"})
    assert preview_import(own).mapping == {"reference": "answer"}, "a field of its own name keeps it"
    assert preview_import(_rows(tmp_path / "h.jsonl", ROW)).mapping == {}, "a known format needs none"


def test_a_comma_between_rows_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"prompt": "a"},\n{"prompt": "b"}\n', "utf-8")
    [error] = preview_import(path).errors
    assert str(error) == "r.jsonl:1: not valid JSON (something follows the row: column 16)"


def test_the_columns_that_an_import_does_not_take_are_named(tmp_path: Path) -> None:
    path = _rows(tmp_path / "r.jsonl", {"question": "Print the double.", "input_output": "{}", "starter_code": ""})
    plan = plan_import(path)
    assert (plan.format, plan.mapping, plan.left_out) == (
        "jsonl", {"prompt": "question"}, ("input_output", "starter_code")
    )  # fmt: skip
    assert plan_import(path, "", {"prompt": "question"}).left_out == ("input_output", "starter_code")
    assert plan_import(path, "", {"prompt": "question", "context": "starter_code"}).left_out == ("input_output",)


def test_columns_with_spaces_are_found_and_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("Question Text,Expected Answer,unit tests,lang\nq,s,assert f(),Python\n", "utf-8")
    found = preview_import(path)
    wanted = {"prompt": "Question Text", "reference": "Expected Answer", "tests": "unit tests", "language": "lang"}
    assert found.mapping == wanted and found.ignored == ()
    assert dict(read_pairs(write_pairs(found.mapping.items()))) == wanted
    assert read_pairs("prompt=Question Text  reference = 'Expected Answer' ignore=\"unit tests\" ignore=b") == (
        ("prompt", "Question Text"), ("reference", "Expected Answer"), ("ignore", "unit tests"), ("ignore", "b"),
    )  # fmt: skip
    assert read_pairs("prompt") == read_pairs("") == read_pairs("prompt=") == ()


@pytest.mark.parametrize(
    ("values", "is_read"),
    [(["en", "de", "sv", "zh-CN"], False), (["English", "French"], False),
     (["GNU C++17", "Python 3", "java"], True), (["Verilog"], True), (["", None], True)],
)  # fmt: skip
@pytest.mark.parametrize("column", ["lang", "language"])
def test_a_column_of_natural_languages_is_no_column_of_programming_languages(
    tmp_path: Path, column: str, values: list[str | None], is_read: bool
) -> None:
    rows = [{"prompt": f"Task {number}.", column: value} for number, value in enumerate(values)]
    path = _rows(tmp_path / "r.jsonl", *rows)
    plan = plan_import(path)
    assert (column in plan.left_out) is not is_read
    languages = {item.language for item in preview_import(path, plan.format, plan.mapping).items}
    assert languages == ({(value or "").replace("Python 3", "python") for value in values} if is_read else {""})
    assert plan_import(path, "", {"language": column}).left_out == ()


def test_a_list_of_rows_is_not_looked_for_where_a_column_of_the_object_is_named(tmp_path: Path) -> None:
    tests = [{"input": "1", "output": "2" * 50}]
    path = _rows(tmp_path / "r.json", {"aufgabe": "Double it.", "faelle": tests})
    found = preview_import(path, "", {"prompt": "aufgabe", "tests": "faelle"})
    assert [(item.prompt, len(item.tests)) for item in found.items] == [("Double it.", 1)]
    assert found.notes == () and not found.errors


def test_columns_of_usual_names_complete_those_that_were_named(tmp_path: Path) -> None:
    path = _rows(tmp_path / "r.jsonl", {"ask": "q", "answer": "s", "lang": "python", "question": "another"})
    assert preview_import(path, "", {"prompt": "ask", "title": "question"}).mapping == {
        "prompt": "ask", "title": "question", "reference": "answer", "language": "lang",
    }  # fmt: skip


# What imports bring under names that the program reads: sets of libraries, places in repositories, or anything.


def _import(store: ProjectFile, folder: Path, *extras: object) -> None:
    rows = [{"id": f"e{number}", "prompt": f"Do {number}.", "extra": extra} for number, extra in enumerate(extras)]
    imports.import_paths(store, "jsonl", [write_rows(folder / "extras.jsonl", rows)])


def test_sets_and_places_are_counted(store: ProjectFile, tmp_path: Path) -> None:
    wanted = library_set(["six==1.16.0"])
    place = {"digest": "a" * 64}
    needing = {"libraries": wanted.to_extra()}
    others = ({"note": "libraries"}, {"libraries": None}, {})
    _import(store, tmp_path, needing, {**needing, "repositoryplace": place}, *others)
    assert library_sets.project_library_sets(store) == ((wanted, 2),)
    assert repository_snapshots.count_items_by_repository(store) == (("a" * 64, 1),)


@pytest.mark.parametrize("told", ["numpy", 3, [1], "{", True])
def test_what_is_no_set_is_said(store: ProjectFile, tmp_path: Path, told: object) -> None:
    _import(store, tmp_path, {"libraries": told, "repositoryplace": told})
    assert repository_snapshots.count_items_by_repository(store) == ()
    with pytest.raises(BadInputError):
        library_sets.project_library_sets(store)


def test_names_of_modules_are_no_set(store: ProjectFile, tmp_path: Path) -> None:
    _import(store, tmp_path, {"libraries": ["pandas", "random"]})
    assert library_sets.project_library_sets(store) == ()


def _environment(folder: Path, *installed: str, missing: tuple[str, ...] = ()) -> Environment:
    for item in installed:
        name, _, version = item.partition("==")
        place = folder / f"{name}-{version}.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return Environment(folder=folder, requirements=(), missing=missing)


def test_libraries_are_given_to_python_that_names_none(
    store: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def made(lines: list[str], _cache: Path) -> Environment:
        asked.extend(lines)
        return _environment(tmp_path / "made", "rsa==4.9", "pyasn1==0.6.1")

    monkeypatch.setattr(library_sets, "make_environment", made)
    listed = tmp_path / "requirements.txt"
    # As editors on Windows write it, with a byte order mark.
    listed.write_text("# what rsa needs\n\npyasn1>=0.1.3\n", "utf-8-sig")
    own = library_set(["six==1.16.0"])
    path = tmp_path / "rows.jsonl"
    rows = [{"id": "a", "language": "python"}, {"id": "b", "language": "java"},
            {"id": "c", "language": "python", "extra": {"libraries": own.to_extra()}}]  # fmt: skip
    path.write_text("".join(json.dumps({"prompt": "Do it.", **row}) + "\n" for row in rows))
    imports.import_paths(store, "jsonl", [path], libraries=["rsa==4.9", str(listed)])
    assert asked == ["rsa==4.9", "pyasn1>=0.1.3"]
    assert dict(library_sets.project_library_sets(store)) == {
        library_set(["rsa==4.9", "pyasn1==0.6.1"]): 1, own: 1,
    }  # fmt: skip


@pytest.mark.parametrize("named", ["../somewhere", "rsa @ file:///etc", "--index-url=x", "rsa==4.9 ; os_name == 'nt'"])
def test_what_is_no_library_changes_nothing(store: ProjectFile, tmp_path: Path, named: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "prompt": "Do it.", "language": "python"}\n')
    before = projects.stage_counts(store)
    with pytest.raises(BadInputError):
        imports.import_paths(store, "jsonl", [path], libraries=[named])
    assert projects.stage_counts(store) == before


def test_a_library_without_a_wheel_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _environment(tmp_path / "made", missing=("rsa==99",))
    monkeypatch.setattr(library_sets, "make_environment", lambda *_: found)
    with pytest.raises(BadInputError, match=r"No wheel for Python 3\.11 .*was found for rsa==99"):
        library_sets.resolve_library_set(["rsa==99"])


def test_a_misspelt_column_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"promt": "What is a set?", "refrence": "no order"}\n')
    with pytest.raises(BadInputError, match="Is promt the prompt"):
        preview_import(path)
    shown = preview_import(path, "", {"prompt": "promtt"})
    assert "Did you mean promt?" in str(shown.warnings[0])


def test_a_misspelt_field_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "What is a set?"}\n')
    with pytest.raises(KnownError, match=r"no field promt\. Did you mean prompt"):
        preview_import(path, "", {"promt": "question"})
