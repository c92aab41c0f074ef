"""A dump looked at from all sides: the counter equals the funnel, pools are drawn with a seed, quotas follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.__main__ import main
from annotator.base.errors import BadInputError, UsageError
from annotator.mining.stackexchange import funnel
from annotator.mining.stackexchange.funnel import density_image
from annotator.mining.stackexchange.survey import FilterLine
from annotator.mining.stackexchange.tags import TagNode, TagTree, default_tag_tree
from annotator.services.select import quotas
from annotator.services.sources import generated_code, stackexchange_survey
from annotator.services.sources.stackexchange_survey import DumpOptions, DumpSurvey, PoolOptions
from annotator.store.file.project_file import ProjectFile

BEER = Path(__file__).parents[4] / "shared" / "data" / "stackexchange-beer" / "Posts.xml.gz"
TAGS = ("python", "pandas", "java", "json", "beer", "python|java", "reactjs", "bash")


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _dump(path: Path, count: int = 80) -> Path:
    rows = []
    for number in range(1, count + 1):
        first = number * 10
        tags = TAGS[number % len(TAGS)]
        rows.append(
            f'<row Id="{first}" PostTypeId="1" AcceptedAnswerId="{first + 1}" ViewCount="{number * number * 3}" '
            f'CreationDate="20{20 + number % 4}-0{1 + number % 9}-11T10:00:00.000" Score="2" Tags="|{tags}|" '
            f'Title="Question {number}" OwnerUserId="7" Body="&lt;p&gt;How?&lt;/p&gt;" />'
        )
        rows += [
            f'<row Id="{first + n}" PostTypeId="2" ParentId="{first}" CreationDate="2023-06-08T10:00:00.000" '
            f'Score="{n}" Body="so" />'
            for n in (1, 2, 3)
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<posts>" + "\n".join(rows) + "</posts>")
    return path


@pytest.fixture
def found(tmp_path: Path) -> DumpSurvey:
    return stackexchange_survey.survey_dump(_dump(tmp_path / "stackoverflow.com" / "Posts.xml"), DumpOptions())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.floats(-2, 20), st.floats(-0.02, 0.02))
def test_the_counter_counts_what_the_funnel_counts(found: DumpSurvey, intercept: float, slope: float) -> None:
    line = FilterLine(intercept, slope)
    counted = found.funnel_counter.count(line)
    kept, heads = found.result, tuple(found.result.heads())
    afresh = funnel.FunnelCounter(kept, kept.points(), heads, found.funnel_counter.tree)
    assert counted.funnel == afresh.count(line).funnel
    inside = [head.tags for head in heads if line.keeps(head.views, head.days)]
    assert counted.share == found.funnel_counter.tree.share(inside)
    assert sum(map(len, found.funnel_counter.selected(line).values())) == counted.funnel["selected"]
    dropped = {stage: found.funnel_counter.dropped(stage, line, 10_000) for stage in ("above", "placed", "selected")}
    assert len(dropped["above"]) == (counted.funnel["answered"] or 0) - (counted.funnel["above"] or 0)
    assert len(dropped["placed"]) == (counted.funnel["above"] or 0) - (counted.funnel["placed"] or 0)
    assert len(dropped["selected"]) == (counted.funnel["placed"] or 0) - (counted.funnel["selected"] or 0)


def test_below_the_line_of_a_large_dump_it_must_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stackexchange_survey, "SMALL_DUMP", 1)
    found = stackexchange_survey.survey_dump(_dump(tmp_path / "Posts.xml"), DumpOptions())
    assert found.funnel_counter.count(FilterLine()).funnel["selected"] is not None
    assert found.funnel_counter.count(FilterLine(4.5)).funnel["selected"] is not None, "there is room below the line"
    assert found.funnel_counter.count(FilterLine(1.0)).funnel["selected"] is None


def test_the_real_dump_gives_the_counts_of_its_readme() -> None:
    if not BEER.exists():
        pytest.skip("shared/data/stackexchange-beer is not here")
    from datetime import date

    found = stackexchange_survey.survey_dump(BEER, DumpOptions(as_of=date(2014, 6, 14)))
    counted = found.funnel_counter.count(FilterLine())
    assert (counted.funnel["questions"], counted.funnel["answered"], counted.funnel["above"]) == (244, 30, 14)


def test_another_tree_resolves_more(found: DumpSurvey) -> None:
    before = found.funnel_counter.count(FilterLine(0.0, 0.0)).share
    tree = TagTree([*found.funnel_counter.tree.nodes, TagNode(tag="beer", kind="tool", language="bash")])
    after = stackexchange_survey.survey_with_tree(found, tree).funnel_counter.count(FilterLine(0.0, 0.0)).share
    assert after.resolved == before.resolved + dict(before.unplaced)["beer"] and "beer" not in dict(after.unplaced)


def test_the_pool_goes_into_the_project_with_its_quotas(found: DumpSurvey, store: ProjectFile) -> None:
    counted = found.funnel_counter.count(FilterLine(0.0, 0.0))
    options = PoolOptions({"data science": 0.5, "back-end": 0.5, "front-end": 0.0, "IT operations": 0.0}, 8, 1, 5)
    cells = {cell.language: cell for cell in stackexchange_survey.divide_pool(counted, options)}
    report = stackexchange_survey.take_pool(store, found, counted, options)
    assert report.added == sum(cell.pool_size for cell in cells.values())
    rows = {row.label: row for row in quotas.quota_progress(store)}
    python = rows["data science · python"]
    assert (python.target, python.open) == (cells["python"].quota, cells["python"].pool_size)
    again = stackexchange_survey.take_pool(store, found, counted, options)
    assert (again.added, again.known) == (0, report.added), "the same seed draws the same"
    keys = {c.key for c in stackexchange_survey.pool_candidates(found, counted.line, tuple(cells.values()), 6)}
    assert keys != {c.key for c in stackexchange_survey.pool_candidates(found, counted.line, tuple(cells.values()), 5)}
    assert (
        stackexchange_survey.take_pool(store, found, counted, None).added
        == (counted.funnel["selected"] or 0) - report.added
    )
    with pytest.raises(UsageError, match="sum to 1"):
        stackexchange_survey.divide_pool(counted, PoolOptions({"back-end": 0.5}))


def test_a_project_keeps_its_tree(store: ProjectFile) -> None:
    assert stackexchange_survey.project_tree(store).nodes == default_tag_tree().nodes
    tree = TagTree([TagNode(tag="beer", kind="language", language="beer", area="drinks")])
    stackexchange_survey.save_tree(store, tree)
    assert stackexchange_survey.project_tree(store).nodes == tree.nodes
    stackexchange_survey.save_tree(store, None)
    assert stackexchange_survey.project_tree(store).nodes == default_tag_tree().nodes


def test_a_picture_of_points() -> None:
    import numpy as np

    image = density_image(np.array([0, 0, 100]), np.array([0.0, 0.0, 10.0]), (100.0, 10.0), (11, 5))
    assert image.shape == (5, 11) and image[4, 0] == 255 and 0 < image[0, 10] < 255
    assert image[4, 2] == 255 and not image[4, 3] and not image[0, 0], "a few points are discs"
    many = density_image(np.zeros(30_000, int), np.zeros(30_000), (100.0, 10.0), (11, 5))
    assert many[4, 0] == 255 and np.count_nonzero(many) == 1, "many points are pixels"
    assert not density_image(np.zeros(0, int), np.zeros(0), (100.0, 10.0), (3, 2)).any()


def _json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_pool_by_command(tmp_path: Path, store: ProjectFile, capsys: pytest.CaptureFixture[str]) -> None:
    store.close()
    dump, shares = _dump(tmp_path / "Posts.xml"), tmp_path / "shares.json"
    shares.write_text('{"data science": 0.5, "back-end": 0.3, "front-end": 0.1, "IT operations": 0.1}')
    arguments = ("mine", "stackexchange", dump, "--line", "0", "0", "--pool", "--size", "10", "--minimum", "2")
    answer = _json(capsys, *arguments, "--shares", shares, "--project", store.place)
    pool = sum(cell["pool"] for cell in answer["quotas"])
    assert answer["added"] == pool > 0
    shown = _json(capsys, "quotas", "show", store.place)
    assert sum(row["open"] for row in shown) == pool and {row["wanted"] for row in shown} >= {5}
    out = tmp_path / "o.jsonl"
    assert _json(capsys, *arguments, "--shares", shares, "--out", out, "--seed", "1")["written"] == pool
    for text, status in (("[]", 3), ("{", 3), ('{"back-end": true}', 3), ('{"back-end": 0.2}', 2)):
        shares.write_text(text)
        assert main([*map(str, arguments), "--shares", str(shares), "--out", str(out)]) == status
    with pytest.raises(BadInputError):
        stackexchange_survey.read_shares("3")


def test_chosen_code_is_taken(tmp_path: Path, store: ProjectFile) -> None:
    root = tmp_path / "clone"
    root.mkdir()
    (root / "c.py").write_text("# Generated by ChatGPT\ndef swap(a):\n    return a[1], a[0]\n")
    found = generated_code.mine_generated_code([root])
    (item,) = found.judged
    assert not item.is_kept
    assert generated_code.take_code(store, root, found, [item.id]).added == 1, "a person overrules the filters"
    with pytest.raises(BadInputError):
        generated_code.take_code(store, root, found, [])
