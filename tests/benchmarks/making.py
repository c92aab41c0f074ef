"""Projects to measure on, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from annotator.model import contents
from annotator.services.project import search_index
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.stored_candidates import NewSubject, SourceInfo, insert_candidates

PROMPT_LETTERS = 500
CODE_LETTERS = 1500
_LANGUAGES = ("python", "java", "javascript", "typescript", "c++", "go", "rust", "r", "ruby", "php", "swift", "bash")
_TASKS = ("generation", "question", "repair", "completion")
_AREAS = ("front-end", "back-end", "data science", "mobile and desktop", "IT operations")
_DIFFICULTIES = ("", "easy", "medium", "hard")
_SYLLABLES = ("ra", "to", "mi", "len", "sor", "fa", "qui", "ve", "no", "tas", "pel", "du", "gri", "ba", "zo", "ker")


def words(seed: int, count: int) -> list[str]:
    """Return made words, the same for a seed: some are frequent, most are rare."""
    chance = random.Random(seed)
    return ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(count)]


def subjects(count: int, first: int = 0) -> Iterator[NewSubject]:
    """Yield candidates of a usual size: half a kilobyte of prompt and one and a half of code."""
    pool = words(1, 4000)
    chance = random.Random(first + 2)
    for number in range(first, first + count):
        title = " ".join(chance.choices(pool, k=6))
        prompt = " ".join(chance.choices(pool, k=90))[:PROMPT_LETTERS]
        names = chance.choices(pool, k=40)
        code = "".join(f"def {name}_{line}(value):\n    return value + {line}\n" for line, name in enumerate(names))
        columns = {
            # Scattered, as identifiers made from content are.
            "id": f"{number * 2654435761 % 2**32:08x}-0000-5000-8000-{number:012x}",
            "key": f"made:{number}",
            "title": title,
            "task": _TASKS[number % 7 % 4],
            "language": _LANGUAGES[min(chance.randrange(12), chance.randrange(12))],
            "domain": f"domain {chance.randrange(20)}",
            "area": _AREAS[chance.randrange(5)],
            "difficulty": _DIFFICULTIES[chance.randrange(4)],
            "question_type": "",
            "views": chance.randrange(1_000_000),
            "licence": "CC-BY-SA-4.0",
        }
        texts = {
            "prompt": prompt,
            "reference": code[:CODE_LETTERS],
            "context": "",
            "entry_point": "",
            "dependencies": {},
            "provenance": {},
            "extra": {},
        }
        covered = {name: {**columns, **texts}[name] for name in contents.SUBJECT_FIELDS}
        columns["content_hash"] = contents.hash_subject({**covered, "criterion": ""}, [])
        yield NewSubject(columns=columns, texts=texts)


def project(path: Path, count: int) -> Path:
    """Make a project of ``count`` candidates, or leave the one that is there; returns its path."""
    if not path.exists():
        store = ProjectFile.create(path, "Made", "Mei")
        try:
            insert_candidates(store, SourceInfo("jsonl", "made.jsonl", ""), subjects(count), {}, "Import made.jsonl")
            search_index.complete_search_index(store)
        finally:
            store.close()
    return path
