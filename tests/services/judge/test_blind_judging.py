"""Blind judging: what raters see, what is kept, and that the map committed to is the one used."""

from __future__ import annotations

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.metrics.agreement.blind_comparisons import RaterJudgement, verdict_on_a
from annotator.model.rows.judging_rows import CandidatePair
from annotator.services.judge import agreement, blind_judging, study_files
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import REPEAT_GAP, ServingPlan, assign_servings, draw_a_first, first_side
from annotator.services.project import members, packets, projects, undo
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.text.blinding.scrub import scrub_names


def _pairs_file(path: Path, count: int = 4) -> Path:
    rows = [
        {
            "subject": str(number),
            "a": f"human text {number}",
            "b": f"GPT-4 text {number}",
            "b_seconds": 2,
            "b_cost": 0.5,
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def study(store: ProjectFile, tmp_path: Path) -> str:
    for name in ("Bo", "Cy"):
        members.add_annotator(store, name)
    pairs = study_files.read_candidate_pairs(store, _pairs_file(tmp_path / "pairs.jsonl"))
    plan = ServingPlan(repeats=0.5)
    wanted = NewStudy(
        name="first",
        kind="requirement",
        name_a="human",
        name_b="gpt-4",
        raters=("Ada", "Bo"),
        plan=plan,
        secret="fixed",
    )
    return blind_judging.create_blind_study(store, wanted, pairs)[0]


def _as(store: ProjectFile, name: str) -> None:
    members.switch_annotator(store, name)


def _judge_all(store: ProjectFile, choose: Any) -> int:
    count = 0
    while (pair := next(iter(blind_judging.load_judging_queue(store).pairs), None)) is not None:
        blind_judging.judge_pair(store, pair.assignment_id, choose(pair), seconds=3.0)
        count += 1
    return count


def test_a_rater_sees_no_name_and_goes_through_all_pairs_once(store: ProjectFile, study: str) -> None:
    pair = next(iter(blind_judging.load_judging_queue(store).pairs), None)
    assert pair is not None and (pair.position, pair.total, pair.done) == (0, 6, 0)
    assert "GPT" not in pair.first + pair.second and "[model]" in pair.first + pair.second
    assert _judge_all(store, lambda pair: "tie") == 6
    assert next(iter(blind_judging.load_judging_queue(store).pairs), None) is None
    [row] = projects.list_studies(store)
    assert (row.mine, row.done, row.pairs, row.names, row.sealed) == (6, 6, 4, None, False)


def test_counts_and_next_pairs_are_of_one_moment(store: ProjectFile, study: str) -> None:
    seen = [blind_judging.load_judging_queue(store)]
    with ThreadPoolExecutor(1) as pool:
        judging = pool.submit(_judge_all, store, lambda pair: "tie")
        while not judging.done():
            seen.append(blind_judging.load_judging_queue(store))
    seen.append(blind_judging.load_judging_queue(store))
    assert all(row.study and (row.study.done < row.study.mine) == bool(row.pairs) for row in seen)
    assert [row.pairs[0].done for row in seen if row.pairs] == [
        row.study.done for row in seen if row.pairs and row.study
    ]


def test_a_pair_that_is_wanted_comes_first_while_it_waits(store: ProjectFile, study: str) -> None:
    last = blind_judging.my_pairs(store)[-1].assignment_id
    found = blind_judging.load_judging_queue(store, first=last)
    assert found.study and found.study.id == study
    assert [pair.assignment_id == last for pair in found.pairs] == [True, False]
    blind_judging.judge_pair(store, last, "tie")
    assert last not in [pair.assignment_id for pair in blind_judging.load_judging_queue(store, first=last).pairs]


def test_undo_brings_a_pair_back_until_the_batch_is_sealed(store: ProjectFile, study: str) -> None:
    first = next(iter(blind_judging.load_judging_queue(store).pairs), None)
    assert first is not None
    blind_judging.judge_pair(store, first.assignment_id, "1")
    assert next(iter(blind_judging.load_judging_queue(store).pairs), None) != first
    with pytest.raises(BadInputError, match="already"):
        blind_judging.judge_pair(store, first.assignment_id, "2")
    undo.undo_last_act(store)
    assert next(iter(blind_judging.load_judging_queue(store).pairs), None) == first
    with pytest.raises(BadInputError, match="still to be judged"):
        blind_judging.seal_own_batch(store)
    _judge_all(store, lambda pair: "2")
    blind_judging.seal_own_batch(store)
    before = projects.list_studies(store)
    assert "Judge" not in (undo.undo_label(store) or "")
    assert projects.list_studies(store) == before
    with pytest.raises(BadInputError, match="sealed"):
        blind_judging.seal_own_batch(store)


def test_nobody_judges_for_another(store: ProjectFile, study: str) -> None:
    pair = next(iter(blind_judging.load_judging_queue(store).pairs), None)
    assert pair is not None
    _as(store, "Bo")
    with pytest.raises(BadInputError, match="somebody else"):
        blind_judging.judge_pair(store, pair.assignment_id, "1")
    for bad in ("3", "win", ""):
        with pytest.raises(BadInputError, match="verdict must be"):
            blind_judging.judge_pair(store, pair.assignment_id, bad)
    with pytest.raises(BadInputError, match="no assignment"):
        blind_judging.judge_pair(store, "nonsense", "1")


def test_the_report_knows_a_from_b_and_hides_the_names(store: ProjectFile, study: str) -> None:
    for name in ("Ada", "Bo"):
        _as(store, name)
        with pytest.raises(BadInputError, match="when your batch is sealed"):
            agreement.study_report(store)
        _judge_all(store, lambda pair: "1" if "human" in pair.first else "2")
    for look in (agreement.study_report, agreement.judgement_rows):
        with pytest.raises(BadInputError, match="when your batch is sealed"):
            look(store)  # What others judged would sway verdicts that can still be taken back.
    for name in ("Ada", "Bo"):
        _as(store, name)
        blind_judging.seal_own_batch(store)
    _as(store, "Cy")
    report = agreement.study_report(store, rate=7.5)
    assert (report.panel.wins, report.panel.ties, report.panel.losses) == (4, 0, 0)
    assert report.names == ("A", "B") and report.agreement.raw.value == 1.0
    assert report.agreement.kappa.value is None and "chance" in report.agreement.kappa.reason
    assert report.cost.human_money == pytest.approx(12 * 3 / 3600 * 7.5)
    assert report.cost.made["b"] == {"seconds": 8.0, "cost": 2.0}
    assert report.cost.made["a"] == {"seconds": None, "cost": None}
    assert [line.intra.items for line in report.raters] == [2, 2]
    with pytest.raises(BadInputError, match="reason"):
        blind_judging.unblind_sides(store, None, " ")
    assert blind_judging.unblind_sides(store, None, "writing the paper")[0] == ("human", "gpt-4")
    assert agreement.study_report(store).names == ("human", "gpt-4")
    assert undo.undo_last_act(store) is None, "an unblinding cannot be undone"
    _as(store, "Ada")
    assert agreement.study_report(store).names == ("A", "B"), "each person unblinds for themselves"


def test_unblinding_ends_the_study(store: ProjectFile, study: str) -> None:
    _judge_all(store, lambda pair: "1")
    _as(store, "Bo")
    pair = blind_judging.load_judging_queue(store).pairs[0]
    blind_judging.judge_pair(store, pair.assignment_id, "1")
    _as(store, "Ada")
    with pytest.raises(BadInputError, match="when your batch is sealed"):
        blind_judging.unblind_sides(store, None, "curious", close_unsealed=True)
    blind_judging.seal_own_batch(store)
    with pytest.raises(BadInputError, match=r"Not every batch is sealed: Bo \(1 of 6 judged\)"):
        blind_judging.unblind_sides(store, None, "curious")
    blind_judging.unblind_sides(store, None, "Bo is away", close_unsealed=True)
    report = agreement.study_report(store)
    [look] = report.unblindings
    assert (look.annotator, look.reason) == ("Ada", "Bo is away (closed unsealed: Bo (1 of 6 judged))")
    assert any("Unblinded by Ada on" in note for note in agreement.study_notes(report))
    assert (report.raters_done, len(report.batches)) == (1, 2)
    undone = undo.undo_last_act(store)
    assert undone is not None and "Import" in undone.label, "neither the verdicts nor the study can be undone"
    undo.redo_last_act(store)
    _as(store, "Bo")
    assert undo.undo_last_act(store) is None
    [row] = projects.list_studies(store)
    assert row.unblinded and row.ended and row.names is None
    assert blind_judging.load_judging_queue(store).pairs == ()
    other = blind_judging.my_pairs(store)[-1]
    with pytest.raises(BadInputError, match=r"Ada unblinded this study on .* no more judgements"):
        blind_judging.judge_pair(store, other.assignment_id, "2")
    assert blind_judging.unblind_sides(store, None, "for the paper")[0] == ("human", "gpt-4"), "others may look as well"


@pytest.mark.file_only("copies the file; packets are merged into a server elsewhere")
def test_a_verdict_given_elsewhere_after_unblinding_does_not_count(
    store: ProjectFile, study: str, tmp_path: Path
) -> None:
    _judge_all(store, lambda pair: "tie")
    blind_judging.seal_own_batch(store)
    path = tmp_path / "bo.annotator"
    store.copy_to(path)
    blind_judging.unblind_sides(store, None, "done", close_unsealed=True)
    before = agreement.study_report(store)
    with closing(projects.open_project(path, annotator="Bo")) as other:
        blind_judging.judge_pair(other, blind_judging.load_judging_queue(other).pairs[0].assignment_id, "1")
    assert packets.import_packet(store, path).added["judgement"] == 1
    report = agreement.study_report(store)
    assert (report.late, report.panel, report.single) == (1, before.panel, before.single)
    assert any("1 judgement was made after the study was unblinded" in note for note in agreement.study_notes(report))
    assert [row[-1] for row in agreement.judgement_rows(store)] == [False] * 6 + [True]


def test_the_map_verifies_and_a_changed_one_does_not(store: ProjectFile, study: str) -> None:
    _judge_all(store, lambda pair: "1")
    assert blind_judging.verify_study(store).ok
    with store.write() as db:
        db.connection().exec_driver_sql("UPDATE judgement SET \"order\" = 'left-right'")
    assert not blind_judging.verify_study(store).orders_ok
    with store.write() as db:
        db.connection().exec_driver_sql("UPDATE blind_key SET name_a = 'gpt-4', name_b = 'human'")
    assert not blind_judging.verify_study(store).map_ok


def test_bad_pairs_and_studies_are_refused(store: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    lines = [b"[1]", b"\xff", b'{"subject": "0", "a": "x"}', b"[" * 99999,
             b'{"subject": "9", "a": "x", "b": "y"}',
             b'{"subject": "0", "a": "x", "b": "y", "b_cost": -1}',
             b'{"subject": "0", "a": "x", "b": " "}']  # fmt: skip
    for line in lines:
        path.write_bytes(line)
        with pytest.raises(BadInputError):
            study_files.read_candidate_pairs(store, path)
    pairs = study_files.read_candidate_pairs(store, _pairs_file(path))
    sound = NewStudy(name="s", kind="domain", name_a="a", name_b="b", raters=("Ada",))
    for wanted in (
        replace(sound, name=" ", kind="requirement"),
        replace(sound, kind="poem"),
        replace(sound, raters=("Eve",)),
        replace(sound, raters=()),
        replace(sound, plan=ServingPlan(plan="balanced", raters_per_pair=2)),
        replace(sound, plan=ServingPlan(plan="each", pairs_per_rater=9)),
        replace(sound, plan=ServingPlan(plan="sideways")),
        replace(sound, plan=ServingPlan(repeats=2.0)),
    ):
        with pytest.raises(BadInputError):
            blind_judging.create_blind_study(store, wanted, pairs)
    with pytest.raises(BadInputError, match="nothing to compare"):
        blind_judging.create_blind_study(store, sound, ())
    assert projects.list_studies(store) == ()


def test_pairs_from_the_project_itself(store: ProjectFile) -> None:
    from annotator.services.prompt import paraphrases

    keys = [str(number) for number in range(4)]
    assert blind_judging.candidate_pairs(store, "paraphrase", "original", "human", keys) == ()
    paraphrases.save_prompt(store, "0", "How are two mappings joined?")
    [pair] = blind_judging.candidate_pairs(store, "paraphrase", "original", "human", keys)
    assert (pair.text_a[:8], pair.text_b[:7]) == ("How do I", "How are")
    with pytest.raises(BadInputError, match="no side nobody"):
        blind_judging.candidate_pairs(store, "response", "nobody", "human", keys)


@given(
    pairs=st.integers(1, 60),
    raters=st.integers(1, 6),
    plan=st.sampled_from(["all", "balanced", "each", "overlap"]),
    share=st.floats(0, 1),
    repeats=st.floats(0, 1),
    secret=st.text(max_size=5),
)
def test_plans_share_out_fairly(pairs: int, raters: int, plan: str, share: float, repeats: float, secret: str) -> None:
    names, people = [f"p{n}" for n in range(pairs)], [f"r{n}" for n in range(raters)]
    wanted = ServingPlan(
        plan=plan, raters_per_pair=min(2, raters), pairs_per_rater=max(1, pairs // 2), overlap=share, repeats=repeats
    )
    sides = {name: ("left", "right")[n % 3 == 0] for n, name in enumerate(names)}
    served = assign_servings("s", names, people, wanted, secret, sides)
    first = [item for item in served if item.serving == 1]
    per_pair, per_rater = Counter(item.pair_id for item in first), Counter(item.annotator_id for item in first)
    assert len({(item.annotator_id, item.pair_id) for item in first}) == len(first)
    if plan == "all":
        assert set(per_pair.values()) == {raters}
    if plan == "balanced":
        assert set(per_pair.values()) == {min(2, raters)}
    if plan == "each":
        assert set(per_rater.values()) == {max(1, pairs // 2)}
        assert max(per_pair.values()) - min(per_pair[name] for name in names) <= 1
    if plan in ("balanced", "overlap"):
        assert len(per_pair) == pairs
        assert max(per_rater.values()) - min(per_rater[name] for name in people) <= 1
    a_first = [item for item in first if (item.order == "left-right") == (sides[item.pair_id] == "left")]
    for of_one, counts in ((attrgetter("annotator_id"), per_rater), (attrgetter("pair_id"), per_pair)):
        leading = Counter(map(of_one, a_first))
        assert all(abs(2 * leading[name] - count) <= 1 for name, count in counts.items())
    for rater in people:
        mine = [item for item in served if item.annotator_id == rater]
        assert [item.position for item in mine] == list(range(len(mine)))
        place = {(item.pair_id, item.serving): item for item in mine}
        for item in mine:
            if item.serving == 2:
                earlier = place[item.pair_id, 1]
                assert earlier.order != item.order and earlier.position < item.position
                if repeats <= 0.5 and per_rater[rater] >= 3 * REPEAT_GAP:
                    assert item.position - earlier.position >= REPEAT_GAP


@pytest.mark.file_only("takes more than a minute, and its rows are those of the other tests here")
@pytest.mark.parametrize("count", [55, 275])
def test_five_raters_and_items_of_known_truth(store: ProjectFile, tmp_path: Path, count: int) -> None:
    """A simulated study: the application's tables equal those computed from what the raters meant."""
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rows = [{"subject": str(number % 4), "a": f"text A {number}", "b": f"text B {number}"} for number in range(count)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    raters = tuple(f"rater{number}" for number in range(5))
    for name in raters:
        members.add_annotator(store, name)
    wanted = NewStudy(
        name="big",
        kind="requirement",
        name_a="human",
        name_b="llm",
        raters=raters,
        plan=ServingPlan(repeats=0.1),
        secret="known",
    )
    blind_judging.create_blind_study(store, wanted, study_files.read_candidate_pairs(store, path))
    rng = random.Random(5)
    truth = [rng.choices(["win", "tie", "lose"], [0.3, 0.6, 0.1])[0] for _ in range(count)]
    meant: dict[tuple[str, int], str] = {}
    repeated: dict[str, list[bool]] = {name: [] for name in raters}
    orders: Counter[bool] = Counter()
    for name in raters:
        _as(store, name)
        while pairs := blind_judging.my_pairs(store, only_open=True):
            for pair in pairs:
                number, a_first = int(pair.first.rsplit(" ", 1)[1]), "A" in pair.first
                said = truth[number] if rng.random() < 0.85 else rng.choice(["win", "tie", "lose"])
                if (name, number) in meant:
                    repeated[name].append(meant[name, number] == said)
                else:
                    meant[name, number] = said
                    orders[a_first] += 1
                choice = "tie" if said == "tie" else ("1" if (said == "win") == a_first else "2")
                assert verdict_on_a(choice, a_first) == said
                blind_judging.judge_pair(store, pair.assignment_id, choice)
        blind_judging.seal_own_batch(store)
    _as(store, "Ada")
    assert blind_judging.verify_study(store).ok
    # The coins follow from new ids each time, so the limit is one that chance alone does not pass.
    assert stats.chisquare([orders[True], orders[False]]).pvalue > 1e-6 and sum(orders.values()) == 5 * count
    report = agreement.study_report(store)
    votes = [Counter(meant[name, number] for name in raters) for number in range(count)]
    majority = Counter(next((word for word, n in vote.items() if n > 2), "tie") for vote in votes)
    assert (report.panel.wins, report.panel.ties, report.panel.losses) == (
        majority["win"], majority["tie"], majority["lose"],
    )  # fmt: skip
    assert report.panel.p == pytest.approx(stats.binomtest(majority["win"], majority["win"] + majority["lose"]).pvalue)
    observed = sum(sum(n * (n - 1) for n in vote.values()) / 20 for vote in votes) / count
    shares = [sum(vote[word] for vote in votes) / (5 * count) for word in ("win", "tie", "lose")]
    chance = sum(share * share for share in shares)
    assert report.agreement.fleiss.value == pytest.approx((observed - chance) / (1 - chance))
    assert report.agreement.raw.value == pytest.approx(observed)
    gwet = sum(share * (1 - share) for share in shares) / 2
    assert report.agreement.ac1.value == pytest.approx((observed - gwet) / (1 - gwet))
    for line in report.raters:
        same = repeated[line.name]
        assert (line.intra.items, line.intra.raw.value) == (len(same), pytest.approx(sum(same) / len(same)))


def test_the_first_side_is_a_fair_coin_and_swaps() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    drawn = [draw_a_first({("r", "p"), ("s", "p"), ("r", "q"), ("s", "q")}, str(number)) for number in range(4000)]
    counts = [sum((rater, pair) in first for first in drawn) for rater in "rs" for pair in "pq"]
    assert all(stats.binomtest(count, 4000).pvalue > 0.001 for count in counts)
    first = [first_side("s", "r", str(number), 1) for number in range(4000)]
    again = [first_side("s", "r", str(number), 2) for number in range(4000)]
    assert all(a != b for a, b in zip(first, again, strict=True))
    assert stats.chisquare(list(Counter(first).values())).pvalue > 0.001


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("As an AI language model, I think", "[model], I think"),
        ("by code-llama-13b and Claude 3.5 Sonnet", "by [model] and [model]"),
        ("a palm tree, the gemini project, Step 2, O(1)", "a palm tree, the gemini project, Step 2, O(1)"),
        ("Hi, I am Claude. Not GPT-4o, nor Grok", "Hi, I am [model]. Not [model], nor [model]"),
        ("o3-mini, trained by Google", "[model], trained by [model]"),
        ("meta-llama/Llama-3.1-8B-Instruct and Claude 3 Opus", "[model] and [model]"),
        ("我是由阿里云开发的通义千问", "我是由[model]开发的[model]"),
        ("作为一个AI语言模型 我叫Kimi", "[model] 我叫[model]"),
        ("By Gemini:\n```python\nimport openai\n```\nClaude", "By [model]:\n```python\nimport openai\n```\n[model]"),
        ("from openai import OpenAI\nclient = OpenAI()", "from openai import OpenAI\nclient = OpenAI()"),
        ("call `openai.chat` as GPT does", "call `openai.chat` as [model] does"),
        ("phi-2 and Mei: mei = 1; Al", "[model] and [person]: mei = 1; Al"),
        ("x = gptlike(y)", "x = gptlike(y)"),
    ],
)
def test_names_are_scrubbed(text: str, clean: str) -> None:
    assert scrub_names(text, ["phi-2"], ["Mei", "Al"]).text == clean


@given(st.text())
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    once = scrub_names(text, ["phi-2"], ["Mei"]).text
    assert scrub_names(once, ["phi-2"], ["Mei"]).text == once


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ('"""Ask `GPT-4` of OpenAI."""\nmodel = "gpt-4"\nclient = OpenAI()\n', "python"),
        ("const reply = `from ${openai}`; // Claude", "javascript"),
        ("fn main() { let gpt = OpenAI::new(); }", "rust"),
        ('package p\nfunc ask() string { return "by Gemini 1.5" }', "go"),
    ],
)
def test_code_is_never_changed(code: str, language: str) -> None:
    assert scrub_names(code, ["gpt"], ["Ada"], language=language).text == code


def test_code_without_a_fence_is_left_alone_between_sentences(store: ProjectFile) -> None:
    code = 'import openai\n\n\ndef ask(text):\n    # GPT-4 is slow.\n    return openai.ask(text, model="gpt-4")'
    answer = f"# Claude's answer\n\nI am Claude. Use this:\n\n{code}\n\nIt calls Claude."
    study = NewStudy(name="s", kind="response", name_a="one", name_b="two", raters=(store.annotator.name,))
    pair = CandidatePair(
        subject_id=triage.load_subject_row(store, "0").id, text_a=answer, text_b="no", facts_a={}, facts_b={}
    )
    (hidden,) = blind_judging.preview_hidden(store, study, [pair])
    assert hidden.pair.text_a == f"# [model]'s answer\n\nI am [model]. Use this:\n\n{code}\n\nIt calls [model]."


def test_names_that_the_question_has_tell_nothing() -> None:
    found = scrub_names("Call OpenAI's API, says Claude", keep="How do I call the OpenAI API?")
    assert (found.text, found.hidden) == ("Call OpenAI's API, says [model]", ("Claude",))


def test_both_bad_counts_as_a_tie() -> None:
    assert verdict_on_a("both_bad", True) == "tie"
    assert RaterJudgement(item="i", rater="r", choice="both_bad", a_first=True).choice == "both_bad"
