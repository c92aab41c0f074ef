"""A rater who tries everything learns no model before the study is unblinded.

The list of tries was written before the code was read: what a curious rater would type, open or read. A try leaks if
what it shows or writes has a model's answer in it beside the name of a model, or a row that says how a model did on an
item. What the file itself holds is another matter: an SQL tool reads it, and the manual's page on Judge says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator import notebook
from annotator.base.errors import BadInputError, KnownError
from annotator.model.rows.result_rows import Target
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import disagreements
from annotator.services.criterion import blast_radius, revisions
from annotator.services.judge import agreement, blind_judging, model_pairs
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members, packets, projects, undo
from annotator.services.release import versions
from annotator.services.results import answer_list, named_tables, response_explanation, score_data
from annotator.services.runs import rescoring, run_control, run_list, run_log
from annotator.services.sandbox_sessions import Workbench
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

MODELS = ("gpt-4o-2024-08-06", "llama-3.1-8b", "qwen2.5-coder")
CRITERION = "grading:\n  keywords: ['zebra']\n"
ITEMS = 4
SOLO = "solo-domain"
"""The domain of a single item: a model's score in it is its score on the item."""


def _answer(model: int, item: int) -> str:
    return f"{'zebra' if (model + item) % 2 else 'lion'}{model}x{item}"


class Trial:
    """The project of a curious rater Bo, who has judged one pair of two studies, and what tells models apart."""

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, path.parent
        rows = [
            {"id": f"i{n}", "title": f"Item number {n}", "prompt": f"Question {n}", "reference": "zebra",
             "language": "python", "domain": "text" if n else SOLO, "task": "question", "licence": "MIT"}
            for n in range(ITEMS)
        ]  # fmt: skip
        source, answers = self.folder / "items.jsonl", self.folder / "answers.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        lines = [
            {"subject": f"i{item}", "model": name, "response": f"I am {name}. {_answer(model, item)} is my answer."}
            for model, name in enumerate(MODELS)
            for item in range(ITEMS)
        ]
        answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with closing(projects.create_project(path, "Trial", "Ada")) as store:
            imports.import_paths(store, "jsonl", [source])
            triage.decide_subjects(store, [f"jsonl:i{n}" for n in range(ITEMS)], Verdict.ACCEPT)
            for n in range(ITEMS):
                revisions.save_criterion(store, f"jsonl:i{n}", CRITERION)
            versions.create_release(store, "1.0", override_reason="a test")
            run_control.start_replay(store, None, answers)
            run_control.store_recorded_samples(store, answers)
            members.add_annotator(store, "Bo")
            for other in MODELS[1:]:
                sides = (f"model:{MODELS[0]}", f"model:{other}")
                study = NewStudy(name=f"against {other[:2]}", kind="response", name_a=sides[0], name_b=sides[1],
                                 raters=("Bo", "Ada"), plan=ServingPlan(repeats=0.0))  # fmt: skip
                pairs = blind_judging.candidate_pairs_of_accepted(store, "response", *sides)
                blind_judging.create_blind_study(store, study, pairs)
            with store.read() as db:
                listed = db.connection().exec_driver_sql("SELECT id, key FROM subject").all()
                ids = (
                    db.connection()
                    .exec_driver_sql("SELECT id FROM response WHERE run_id IS NOT NULL ORDER BY id")
                    .all()
                )
            self.items = [part for row in listed for part in (*row, str(row[1]).partition(":")[2])]
            self.responses = [str(row[0]) for row in ids]
            self.runs = [row.id for row in run_list.list_runs(store)]
        with closing(self.open()) as store:
            blind_judging.judge_pair(store, blind_judging.load_judging_queue(store).pairs[0].assignment_id, "1")

    def open(self) -> ProjectFile:
        """Open the project as Bo."""
        return projects.open_project(self.path, annotator="Bo")

    def leaks(self, text: str) -> list[str]:
        """Return what of a text tells which model an answer is from."""
        leaks = []
        answers = [_answer(model, item) for model in range(len(MODELS)) for item in range(ITEMS)]
        if any(name in text for name in MODELS) and any(answer in text for answer in answers):
            leaks.append("an answer and the name of a model")
        leaks += [row for row in _rows(text) if self._tells(row)]
        if any(response in text for response in self.responses):
            leaks.append("the id of a response")
        return leaks

    def _tells(self, row: str) -> bool:
        return any(name in row for name in MODELS) and any(
            f'"{item}"' in row or f" {item} " in row for item in self.items
        )


def _rows(text: str) -> Iterator[str]:
    """Yield the rows of an output: its lines, and every object of its JSON without the objects inside."""
    for part in (text, *text.splitlines()):
        try:
            yield from _objects(json.loads(part))
        except ValueError:
            yield from (f" {line} " for line in part.splitlines())


def _objects(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield json.dumps({key: item for key, item in value.items() if not isinstance(item, (dict, list))})
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return Trial(tmp_path_factory.mktemp("trial") / "p.annotator")


COMMANDS = (
    "judge list P", "judge mine P", "judge judgements P", "judge agreement P", "judge models P", "judge verify P",
    "judge unblind P --reason curious", "judge unblind P --reason curious --close-unsealed", "judge export P --out F",
    "judge seal P", "judge new P --name mine --kind response --a model:M0 --b model:M1 --preview",
    "judge new P --name known --kind response --a model:M0 --b reference",
    "run list P", "run show P R", "run log P R", "run log P R --subject i1 --sample 1", "run log P R --search zebra",
    "run compare P R R1", "run label P R --open", "run settle P R", "run resume P R", "run retry P R",
    "results P", "results P --run R", "results P --run R --outcome failed", "results P --run R --search zebra",
    "results P --run R --answers F", "results P --table compare --a M0 --b M1", "results P --table errors",
    "results P --table diversity", "results P --by domain", "results P --by repository",
    "results P --table passes --by domain", "run rescore P R",
    "release export P --format samples --out D", "release export P --format inspect-log --out D",
    "release export P --format leaderboard --out D", "results P --table domains --figure F.svg",
    "results P --table pairs", "results P --report F.html",
    "results answer P A0", "results answer P A0 --beside A5", "results site P --out D",
    "list P", "list P --search zebra0x1", "show P --subject i1", "status P", "history list P", "team disagreements P",
    "team comments P --subject i1", "team conflicts P", "team history P --subject i1", "team mentions P",
    "release show P", "release audit P", "release power P", "release datasheet P",
    "release export P --format annotator --out D", "release export P --format site --out D", "bugs list P",
    "suggest list P", "tasks list P", "queue show P", "check P", "undo P", "packet export P --for Bo --out F",
)  # fmt: skip
assert len(COMMANDS) >= 40


# Files are the same with --json. A report draws all figures, which takes seconds.
_TRIES = [(line, answer) for line in COMMANDS for answer in ("", "--json") if not answer or " F" not in line]


@pytest.mark.parametrize(("line", "answer"), _TRIES)
def test_no_command_tells_a_model(
    trial: Trial, line: str, answer: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from annotator.__main__ import main

    words = {"P": str(trial.path), "R": trial.runs[0], "R1": trial.runs[1], "F": str(tmp_path / "f.jsonl"),
             "F.html": str(tmp_path / "f.html"), "F.svg": str(tmp_path / "f.svg"), "D": str(tmp_path / "d"),
             "A0": trial.responses[0], "A5": trial.responses[5], "model:M0": f"model:{MODELS[0]}",
             "model:M1": f"model:{MODELS[1]}", "M0": MODELS[0], "M1": MODELS[1]}  # fmt: skip
    capfd.readouterr()
    status = main([*(words.get(word, word) for word in line.split()), "--annotator", "Bo", *answer.split()])
    out, err = capfd.readouterr()
    assert status in (0, 3), err
    for text in (out, err, *(_text_of(path) for path in tmp_path.rglob("*") if path.is_file())):
        assert trial.leaks(text) == []
        is_table = line.startswith(("results", "release export"))
        assert not (is_table and SOLO in text and any(name in text for name in MODELS)), "a score of a single item"


def _text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _own_packet(trial: Trial, store: ProjectFile) -> object:
    """Everything that an SQL tool reads in the project that a rater opens from a packet."""
    packet, own = trial.folder / "bo.packet", trial.folder / "bo.annotator"
    packets.export_packet(store, packet, person="Bo")
    with closing(packets.open_packet(packet, own)) as opened, opened.read() as db:
        connection = db.connection()
        names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars().all()
        tables = {
            name: [list(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"')]
            for name in names
            if not name.startswith("subject_search")
        }
    assert tables["pair"] and tables["assignment"] and not tables["blind_key"] and not tables["response"]
    return [tables, _text_of(own)]


_Look = Callable[[Trial, ProjectFile], object]


def _with_results(look: Callable[[ProjectFile, score_data.ResultData], object]) -> _Look:
    return lambda _, store: look(store, score_data.load_results(store))


LOOKS: dict[str, _Look] = {
    "notebook: responses": lambda trial, _: notebook.open_project(trial.path, annotator="Bo").responses().to_pylist(),
    "notebook: scores": lambda trial, _: notebook.open_project(trial.path, annotator="Bo").scores().to_pylist(),
    "notebook: results": lambda trial, _: notebook.open_project(trial.path, annotator="Bo").results().to_pylist(),
    "notebook: runs": lambda trial, _: notebook.open_project(trial.path, annotator="Bo").runs().to_pylist(),
    "notebook: judgements": lambda trial, _: notebook.open_project(trial.path, annotator="Bo").judgements().to_pylist(),
    "window, Judge: pairs": lambda _, store: blind_judging.load_judging_queue(store),
    "window, Judge: own verdicts": lambda _, store: blind_judging.my_verdicts(store),
    "window, Judge: results": lambda _, store: agreement.study_report(store),
    "window, Judge: models": lambda _, store: model_pairs.compare_models(store),
    "window, Judge: check of the map": lambda _, store: blind_judging.verify_study(store),
    "window, Results: answers of a run": _with_results(
        lambda store, data: answer_list.read_answers(store, data, Target("items", data.entries[0].run.id))
    ),
    "window, Results: answers to an item": _with_results(
        lambda store, data: answer_list.read_answers(store, data, Target("item", id=data.entries[0].run.id))
    ),
    "window, Results: an answer": lambda trial, store: response_explanation.explain_response(store, trial.responses[0]),
    "window, Results: two answers": lambda trial, store: response_explanation.compare_answers(
        store, trial.responses[0], trial.responses[1]
    ),
    "window, Runs: items": lambda trial, store: run_log.load_run_items(store, trial.runs[0]),
    "window, Runs: requests": lambda trial, store: run_log.list_requests(store, trial.runs[0]),
    "window, Runs: a request": lambda trial, store: run_log.request_log(store, trial.runs[0], trial.items[0], 0),
    "window, Consensus: disagreements": lambda _, store: disagreements.load_disagreements(store, settled=True),
    "window, Consensus: conflicts": lambda _, store: disagreements.load_conflicts(store),
    "window, desk": lambda trial, store: triage.load_subject(store, trial.items[0]),
    "window, history": lambda _, store: [undo.undo_label(store), projects.stage_counts(store)],
    "packet: all its tables": _own_packet,
}


@pytest.mark.parametrize("look", LOOKS)
def test_no_page_notebook_or_packet_tells_a_model(trial: Trial, look: str) -> None:
    with closing(trial.open()) as store:
        try:
            found = LOOKS[look](trial, store)
        except KnownError as error:
            found = str(error)
    assert trial.leaks(json.dumps(found, default=repr, ensure_ascii=False)) == []
    # A row's repr is no JSON: names and items in one of them count as well.
    parts = found if isinstance(found, (list, tuple)) else [found]
    assert [part for part in map(repr, parts) if any(name in part for name in MODELS) and "x1" in part] == []


def test_a_look_leaks_without_a_study(trial: Trial) -> None:
    """The criterion of these tests finds leaks: the same looks tell somebody who is no rater everything."""
    with closing(projects.open_project(trial.path, annotator="Ada")) as store:
        members.add_annotator(store, "Cy")
    with closing(projects.open_project(trial.path, annotator="Cy")) as store:
        data = score_data.load_results(store)
        shown = [
            response_explanation.explain_response(store, trial.responses[0]),
            list(answer_list.read_answers(store, data, Target("items", trial.runs[0]))),
        ]
    assert all(trial.leaks(json.dumps(found, default=repr)) for found in shown)


def test_a_rater_sees_no_figure_that_one_item_moves(trial: Trial) -> None:
    """A word of one text as a criterion would tell whose score rises."""
    with closing(trial.open()) as store:
        view = triage.load_subject(store, trial.items[0])
        preview = blast_radius.preview_criterion(store, view, CRITERION.replace("zebra", "zebra1x0"), Workbench())
        assert preview.radius is None
        data = score_data.load_results(store)
        for name in set(named_tables.TABLES) - {"leaderboard", "rank-intervals", "passes", "ranks", "scaling", "pairs",
                                                "cost", "decoding", "diversity", "errors"}:  # fmt: skip
            with pytest.raises(BadInputError, match="rater of the blind study"):
                named_tables.make_table(store, data, name)
        with pytest.raises(BadInputError, match="rater of the blind study"):
            rescoring.rescore_responses(store, trial.runs[0])


def test_a_rater_makes_no_study_with_a_text_that_they_know(trial: Trial) -> None:
    with closing(trial.open()) as store:
        pairs = blind_judging.candidate_pairs_of_accepted(store, "response", f"model:{MODELS[0]}", "reference")
        known = NewStudy(name="known", kind="response", name_a=f"model:{MODELS[0]}", name_b="reference", raters=("Bo",))
        with pytest.raises(BadInputError, match="a rater of the blind study"):
            blind_judging.create_blind_study(store, known, pairs)
