"""The funnel: the line, the survey with its bookmark, the counts of a real dump and of made ones."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import InterruptedWorkError, KnownError, MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.mining.stackexchange import archives, funnel
from annotator.mining.stackexchange.ledger import PAGE_SIZE, Ledger
from annotator.mining.stackexchange.posts import find_newest_day
from annotator.mining.stackexchange.questions import selected_questions
from annotator.mining.stackexchange.survey import FilterLine, SurveyOptions, survey_posts
from annotator.mining.stackexchange.survey_result import SurveyResult
from annotator.mining.stackexchange.tags import TagNode, TagTree, default_tag_tree

from . import made_dump

BEER = Path(__file__).parents[4] / "shared" / "data" / "stackexchange-beer" / "Posts.xml.gz"
OPTIONS = SurveyOptions(made_dump.AS_OF)
TREE = TagTree(
    TagNode(
        tag=tag,
        kind="language" if tag in made_dump.EXPLICIT else "framework",
        language=name,
        area=name,
        parent="",
        weight=1 + (tag in made_dump.HEAVY),
    )
    for tag, name in made_dump.LANGUAGES.items()
)


def test_the_line_has_the_published_thresholds() -> None:
    line = FilterLine()
    assert line.threshold(0) == pytest.approx(148.4, abs=0.05)
    assert [round(line.threshold(days)) for days in (365, 1000, 2000, 3000)] == [532, 4915, 162_755, 5_389_698]
    kept = {(0, 149): True, (0, 148): False, (1000, 4915): True, (1000, 4914): False, (0, 0): False, (-9999, -3): False}
    for (days, views), expected in kept.items():
        assert line.keeps(views, days) is expected
    ends = FilterLine.through((0, 5), (3000, 15.5))
    assert ends.intercept == 5 and ends.slope == pytest.approx(0.0035)


def test_the_other_logarithms_are_what_they_are() -> None:
    assert FilterLine(base=10).threshold(0) == pytest.approx(1e5)
    assert round(FilterLine(base=2).threshold(0)) == 32
    assert round(FilterLine(base=2).threshold(3000)) == 46_341
    assert FilterLine(slope=1e9).threshold(3000) == math.inf


@pytest.mark.parametrize("values", [{"base": 1}, {"base": math.nan}, {"slope": math.inf}, {"intercept": math.nan}])
def test_no_line_is_drawn_through_nothing(values: dict[str, float]) -> None:
    with pytest.raises(KnownError):
        FilterLine(**values)
    with pytest.raises(KnownError):
        FilterLine.through((3, 1), (3, 2))


@given(
    st.lists(st.tuples(st.integers(-5, 2**40), st.integers(-500, 9000)), min_size=1),
    st.sampled_from([FilterLine(), FilterLine(3, 0.001), FilterLine(base=2), FilterLine(base=10)]),
)
def test_one_by_one_and_all_at_once_agree(pairs: list[tuple[int, int]], line: FilterLine) -> None:
    views, days = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    assert line.keeps_all(views, days).tolist() == [line.keeps(*pair) for pair in pairs]


@given(st.lists(st.tuples(st.integers(0, 40 * PAGE_SIZE), st.integers(0, 255)), max_size=300), st.integers(1, 4))
def test_a_ledger_remembers_whatever_its_size(
    tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[int, int]], pages: int
) -> None:
    folder, truth = tmp_path_factory.mktemp("ledger"), {}
    with Ledger(folder / "scratch", pages) as ledger:
        for identity, value in writes:
            ledger.set(identity, value)
            truth[identity] = value
        ledger.save(folder / "copy")
    with Ledger(folder / "copy", pages, writable=False) as ledger:
        assert {identity: ledger.get(identity) for identity in truth} == truth
        assert ledger.get(99 * PAGE_SIZE) == 0


def test_a_real_dump_gives_its_published_counts(tmp_path: Path) -> None:
    if not BEER.exists():
        pytest.skip("the shared data is not here")
    assert find_newest_day(BEER) == "2014-05-02"
    counts = survey_posts(BEER, SurveyOptions(date(2014, 6, 14)), tmp_path)
    assert counts.types == {"1": 244, "2": 448, "4": 18, "5": 18} and counts.bad == {}
    kept = SurveyResult(tmp_path)
    heads, points = list(kept.heads()), kept.points()
    assert len(points) == 30
    found = _count_funnel(kept, default_tag_tree())
    assert [stage.count for stage in found.stages] == [244, 30, 14, 0, 0]
    everything = TagTree(
        TagNode(tag=tag, kind="language", language=tag, area="") for tag in {tag for head in heads for tag in head.tags}
    )
    read = list(selected_questions(kept, everything, "beer.stackexchange.com"))
    assert len(read) == 14 and all(item.answers[0].accepted and len(item.answers) >= 3 for item in read)
    assert {item.credit.licence for item in read} == {"CC-BY-SA-3.0"}


@pytest.mark.parametrize("bars", [False, True])
def test_made_dumps_give_the_counts_they_were_made_with(tmp_path: Path, bars: bool) -> None:
    path = tmp_path / "Posts.xml"
    truth = made_dump.write(path, 20_000, seed=3, bars=bars)
    survey_posts(path, OPTIONS, tmp_path / "work")
    kept = SurveyResult(tmp_path / "work")
    found = _count_funnel(kept, TREE)
    wanted = [truth.questions, truth.answered, truth.above, truth.placed, truth.selected]
    assert [stage.count for stage in found.stages] == wanted and truth.selected > 20
    assert sum(count for _, count in found.languages) == truth.selected
    assert [item.id for item in selected_questions(kept, TREE)] == sorted(truth.ids)


def test_a_longer_dump_takes_no_more_memory(tmp_path: Path) -> None:
    peaks = []
    for posts in (3000, 24_000):
        path = tmp_path / f"{posts}.xml"
        made_dump.write(path, posts)
        tracemalloc.start()
        survey_posts(path, OPTIONS, tmp_path / str(posts))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Eight times the posts; what is kept of each is a byte, in pages of 32 KB.
    assert peaks[1] < peaks[0] * 1.3, peaks


def test_a_line_that_is_dragged_counts_again(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    made_dump.write(path, 20_000)
    survey_posts(path, OPTIONS, tmp_path / "drawn")
    kept = SurveyResult(tmp_path / "drawn")
    heads = list(kept.heads())
    higher = replace(OPTIONS, line=FilterLine(6.0, 0.0035))
    survey_posts(path, higher, tmp_path / "higher")
    other = SurveyResult(tmp_path / "higher")
    dragged = _count_funnel(kept, TREE, higher.line)
    assert dragged == _count_funnel(other, TREE)
    lower = _count_funnel(kept, TREE, FilterLine(4.0, 0.0035))
    assert lower["above"] > len(heads) and lower["selected"] is None and not lower.languages


def _files(folder: Path) -> dict[str, object]:
    kept = SurveyResult(folder)
    return {
        "points": (folder / "points.bin").read_bytes(),
        "posts": (folder / "posts.jsonl").read_bytes(),
        "counts": kept.counts,
        "heads": list(kept.heads()),
    }


def test_a_cut_off_reading_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "BLOCK_BYTES", 4096)
    path = tmp_path / "Posts.xml"
    made_dump.write(path, 4000)
    survey_posts(path, OPTIONS, tmp_path / "whole")
    stops, folder = 0, tmp_path / "parts"
    while True:
        progress = _StopAfter(25)
        try:
            survey_posts(path, OPTIONS, folder, progress, checkpoint_bytes=50_000)
        except InterruptedWorkError:
            stops += 1
            with pytest.raises(MissingEnvironmentError):
                SurveyResult(folder)
        else:
            break
    assert stops > 5
    assert _files(folder) == _files(tmp_path / "whole")


class _StopAfter(Progress):
    """Cancelled after so many reports."""

    def __init__(self, reports: int) -> None:
        super().__init__()
        self._left = reports

    def report(self, done: int, total: int | None = None, text: str = "") -> None:
        self._left -= 1
        if not self._left:
            self.cancel()
        super().report(done, total, text)


def test_a_killed_reading_goes_on_from_its_last_bookmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "BLOCK_BYTES", 4096)
    path = tmp_path / "Posts.xml"
    made_dump.write(path, 4000)
    survey_posts(path, OPTIONS, tmp_path / "whole")

    class Killed(Progress):
        def report(self, done: int, total: int | None = None, text: str = "") -> None:
            if done > 1_000_000:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        survey_posts(path, OPTIONS, tmp_path / "parts", Killed(), checkpoint_bytes=400_000)
    survey_posts(path, OPTIONS, tmp_path / "parts")
    assert _files(tmp_path / "parts") == _files(tmp_path / "whole")


def test_another_dump_or_line_starts_anew(tmp_path: Path) -> None:
    path, folder = tmp_path / "Posts.xml", tmp_path / "work"
    made_dump.write(path, 2000)
    first = survey_posts(path, OPTIONS, folder)
    assert survey_posts(path, OPTIONS, folder) == first
    survey_posts(path, replace(OPTIONS, answers=1), folder)
    assert len(SurveyResult(folder).points()) > 0 and SurveyResult(folder).options.answers == 1
    made_dump.write(path, 3000, seed=9)
    assert survey_posts(path, OPTIONS, folder).rows == 3000
    (folder / "state.json").write_text("{broken")
    assert survey_posts(path, OPTIONS, folder).rows == 3000


def _count_funnel(survey: SurveyResult, tree: TagTree, line: FilterLine | None = None) -> funnel.Funnel:
    counter = funnel.FunnelCounter(survey, survey.points(), list(survey.heads()), tree)
    return counter.count(line or survey.options.line).funnel


def _survey_of(tmp_path: Path, *rows: str) -> SurveyResult:
    path = tmp_path / "Posts.xml"
    path.write_text("<posts>" + "".join(f"<row {row}/>" for row in rows) + "</posts>")
    survey_posts(path, OPTIONS, tmp_path / "work")
    return SurveyResult(tmp_path / "work")


QUESTION = (
    'Id="10" PostTypeId="1" AcceptedAnswerId="13" CreationDate="2023-06-14T00:00:00" ViewCount="149" Tags="|python|"'
)
ANSWERS = tuple(f'Id="{n}" PostTypeId="2" ParentId="10" Score="{n - 10}" Body="a{n}"' for n in (11, 12, 13))


def test_answers_may_come_before_their_question(tmp_path: Path) -> None:
    kept = _survey_of(tmp_path, ANSWERS[0], ANSWERS[2], QUESTION, ANSWERS[1])
    (found,) = selected_questions(kept, default_tag_tree())
    assert [(answer.id, answer.accepted) for answer in found.answers] == [(13, True), (12, False), (11, False)]
    assert found.answers[0].body == "a13\n"


@pytest.mark.parametrize(
    ("change", "stage"),
    [
        (("149", "148"), 2),
        ((' AcceptedAnswerId="13"', ""), 1),
        ((' ViewCount="149"', ""), 2),
        ((' Tags="|python|"', ""), 3),
        (("python", "sql"), 4),
        (("python", "cobol"), 3),
        ((' ViewCount="149"', ' ViewCount="many"'), 1),
        ((' CreationDate="2023-06-14T00:00:00"', ""), 1),
        (("2023-06-14", "yesterday!"), 1),
    ],
)
def test_every_stage_drops_what_it_should(tmp_path: Path, change: tuple[str, str], stage: int) -> None:
    kept = _survey_of(tmp_path, QUESTION.replace(*change), *ANSWERS)
    found = _count_funnel(kept, default_tag_tree())
    assert [item.count for item in found.stages] == [1] * stage + [0] * (5 - stage)


def test_two_good_answers_are_not_enough(tmp_path: Path) -> None:
    kept = _survey_of(tmp_path, QUESTION, ANSWERS[0], ANSWERS[1], ANSWERS[2].replace('Score="3"', 'Score="0"'))
    assert len(kept.points()) == 0


def test_rows_that_cannot_be_used_are_counted_by_reason(tmp_path: Path) -> None:
    kept = _survey_of(
        tmp_path, QUESTION, QUESTION, 'PostTypeId="1"', 'Id="x" PostTypeId="1"', 'PostTypeId="2"',
        'Id="-1" PostTypeId="1"', 'Id="5" PostTypeId="2" ParentId="99999999999"', 'Id="6"',
        *(f'PostTypeId="t{n}"' for n in range(100)), *ANSWERS,
    )  # fmt: skip
    assert kept.counts.bad == {
        "an Id twice": 1, "no Id": 1, "not a whole number": 1, "no ParentId": 1, "unusable Id": 1,
        "unusable ParentId": 1,
    }  # fmt: skip
    assert len(kept.counts.types) == 32 and kept.counts.questions == 1 and len(kept.points()) == 1


@pytest.mark.parametrize("answers", [0, 8])
def test_answers_are_counted_up_to_seven(answers: int) -> None:
    with pytest.raises(KnownError):
        SurveyOptions(made_dump.AS_OF, answers=answers)
