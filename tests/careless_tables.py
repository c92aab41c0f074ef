"""Tables as people have them: exports of spreadsheets, forms and data frames, none of them tidy."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import openpyxl

_QUESTIONS = (
    "reverse a list", "count the words of a text", "read a file line by line", "sort by two keys", "flatten a list",
    "merge two mappings", "round half to even", "parse a date", "find duplicates", "copy a list", "sum a column",
    "split on blanks", "join with commas", "swap two values", "strip zeros", "group by length", "take every second",
    "rotate a list", "test for primes", "leave a loop",
)  # fmt: skip


def rows_of_questions() -> list[tuple[str, str, str]]:
    """Return twenty rows: id, question as HTML with entities, answer."""
    return [
        (
            f"q{number}",
            f"<p>How do I <b>{text}</b> if a &gt; 1? Don&#39;t use “eval” in a café.</p>",
            f"answer {number}",
        )
        for number, text in enumerate(_QUESTIONS, start=1)
    ]


def careless_csv(folder: Path) -> Path:
    """Write twenty rows with blanks in heads, HTML in cells, semicolons and cp1252, and one with the id of another."""
    path = folder / "careless.csv"
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=";", lineterminator="\r\n")
    writer.writerow((" ID ", " Question Text ", "Answer ", " Notes"))
    writer.writerows((*row, "") for row in rows_of_questions())
    writer.writerow(("q3", "<p>Something else, asked under the id of the third?</p>", "no", "copied"))
    path.write_bytes(stream.getvalue().encode("cp1252"))
    return path


def excel_unicode_text(folder: Path) -> Path:
    """Write what Excel calls Unicode text: tabs in UTF-16, cells with line breaks in quotes."""
    path = folder / "excel.txt"
    text = 'Question\tAnswer\tLang\r\n"Was tut\r\n""x = 1""?"\tEs bindet x\tPython\r\n如何排序?\tsorted(x)\tPython\r\n'
    path.write_bytes(text.encode("utf-16"))
    return path


def excel_with_separator_line(folder: Path) -> Path:
    """Write a table whose first line names its separator, with trailing separators and an empty row."""
    path = folder / "sep.csv"
    path.write_bytes("sep=;\r\nprompt;answer;\r\nAdd 1,5 and 2?;3,5;\r\n;;\r\nGröße?;gross;\r\n".encode("cp1252"))
    return path


def google_sheet(folder: Path) -> Path:
    """Write a sheet whose heads stand below a title and a row of merged groups, with a second sheet."""
    path = folder / "sheet.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    _fill(
        sheet,
        [
            ["Questions of the autumn course"],
            ["Task", None, None, "About", None],
            [" Id", "Question\u00a0", "Answer", "Language", "Level"],
            ["s1", "What does len([]) return?", 0, "Python", "easy"],
            ["s2", "What is 0.25 + 0.25?", 0.5, "Python", "hard"],
            [3.0, "Is None false?", True, "Python", "easy"],
        ],
    )
    sheet.merge_cells("A1:E1")
    sheet.merge_cells("A2:C2")
    sheet.merge_cells("D2:E2")
    _fill(book.create_sheet("Old questions"), [["Question"], ["An old one"]])
    book.save(path)
    return path


def survey_export(folder: Path) -> Path:
    """Write what a survey tool exports: its keys below the heads, many columns of its own, HTML from an editor."""
    path = folder / "survey.csv"
    rows = [
        ["StartDate", "Status", "Q1", "Q2"],
        ["Start Date", "Response Type", "Your question about code", "The answer you expect"],
        ['{"ImportId":"startDate"}', '{"ImportId":"status"}', '{"ImportId":"QID1_TEXT"}', '{"ImportId":"QID2_TEXT"}'],
        ["2026-01-02 10:00:00", "IP Address", "<div>Why is <code>a&lt;b&lt;c</code> true?</div>", "chained comparison"],
        ["2026-01-02 11:00:00", "IP Address", "What does vector<int> v(3) hold?", "three zeros"],
    ]
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def pandas_csv(folder: Path) -> Path:
    """Write what a data frame exports: an index without a head, lists as Python writes them."""
    path = folder / "frame.csv"
    rows = [
        ["", "question", "answer", "test_list", "lang"],
        [
            "0",
            "Write add(a, b).",
            "def add(a, b):\n    return a + b",
            "['assert add(1, 2) == 3', 'assert add(0, 0) == 0']",
            "python",
        ],
        ["1", "Write neg(a).", "def neg(a):\n    return -a", "['assert neg(1) == -1']", "python"],
    ]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def sheet_with_dates(folder: Path, *, broken: bool = False) -> Path:
    """Write a sheet with dates, numbers and an error in a cell, as an office program stores them."""
    path = folder / "office.xlsx"
    book = openpyxl.Workbook()
    rows: list[list[object]] = [
        ["Nr", "Question", "Answer", "Asked"],
        [1, "How many seconds has a day?", 86400, date(2026, 3, 1)],
        [2, "What is a third?", "1/3", date(2026, 3, 2)],
    ]
    if broken:
        rows.append([3, "What is one by zero?", "#DIV/0!", date(2026, 3, 3)])
    _fill(book.active, rows)
    book.save(path)
    return path


def sheet_calculated(folder: Path) -> Path:
    """Write a sheet with a formula as an office program stores it: with its value."""
    written, path = sheet_never_calculated(folder), folder / "calculated.xlsx"
    with zipfile.ZipFile(written) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode() if name.endswith(".xml") else ""
            content = content.replace("<f>6*7</f><v></v>", "<f>6*7</f><v>42</v>")
            content = content.replace("<f>6*7</f><v />", "<f>6*7</f><v>42</v>")
            new.writestr(name, content or old.read(name))
    return path


def sheet_never_calculated(folder: Path) -> Path:
    """Write a sheet with a formula that no program calculated."""
    path = folder / "formulas.xlsx"
    book = openpyxl.Workbook()
    _fill(book.active, [["Question", "Answer"], ["What is 6 times 7?", "=6*7"]])
    book.save(path)
    return path


def _fill(sheet: object, rows: Sequence[Sequence[object]]) -> None:
    for row in rows:
        sheet.append(row)  # type: ignore[attr-defined]
