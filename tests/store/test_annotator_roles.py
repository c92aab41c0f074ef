"""An annotator's login role on a real server: it works whole, and with any SQL client it tells no secrets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.addresses import ServerAddress
from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.tables.judging_tables import Conflict
from annotator.model.tables.run_tables import ModelUnderTest, Response
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.criterion import blast_radius, revisions
from annotator.services.judge import blind_judging, rater_changes, study_files
from annotator.services.project import draft_journal, members, packets, projects, server_copy, undo
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.server.server_project import ServerProject, upgrade_server
from tests.server import Server

pytestmark = pytest.mark.slow

YES = {"realistic": "yes", "uses_llm": "yes"}
NO = {"realistic": "no", "uses_llm": "abstain"}
SECRET_MODEL = "hidden-model-7b"
TABLES = ("blind_key", "response", "score", "failure", "run_scores", "run_counts", "vote", "conflict", "resolution")


@pytest.fixture
def store(database: ServerAddress, tmp_path: Path) -> Iterator[ServerProject]:
    rows = tmp_path / "rows.jsonl"
    lines = [
        {"id": f"{number}", "title": f"Title {number}", "prompt": f"Question {number}", "reference": "x = 1",
         "language": "python", "task": "question", "licence": "MIT", "provenance": {"source": "made"}}
        for number in range(4)
    ]  # fmt: skip
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = ServerProject.make(database, "Demo", "Ada")
    imports.import_paths(made, "jsonl", [rows])
    for name in ("Bo", "Cy"):
        members.add_annotator(made, name)
    yield made
    made.close()


@pytest.fixture
def seat(store: ServerProject, postgres: Server) -> Iterator[Callable[[str], ServerProject]]:
    """Return a function that opens the project as a person through a login role of their own."""
    opened, logins = list[ServerProject](), list[str]()

    def reach(name: str) -> ServerProject:
        login = f"{name.lower()}_{store.address.database}"
        if login not in logins:
            postgres.execute("postgres", f"CREATE ROLE {login} LOGIN")
            logins.append(login)
            server_copy.set_annotator_role(store.address, name, login)
        opened.append(ServerProject.reach(replace(store.address, user=login)))
        return opened[-1]

    yield reach
    for project in opened:
        project.close()
    for login in logins:
        postgres.execute(store.address.database, f"DROP OWNED BY {login} CASCADE")
        postgres.execute("postgres", f"DROP ROLE {login}")


def _subjects(store: ServerProject) -> list[str]:
    return [row.id for row in triage.queue_page(store, QueueFilter()).rows]


class Client:
    """Any SQL client of a person's login, which knows nothing of the program's settings."""

    def __init__(self, project: ServerProject, search_path: str = "annotator_role, annotator") -> None:
        import psycopg

        address = project.address
        self.connection = psycopg.connect(
            host=dict(address.options)["host"], port=address.port, user=address.user, dbname=address.database,
            autocommit=True, options=f"-c search_path={search_path.replace(' ', '')}",
        )  # fmt: skip

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        done = self.connection.execute(sql)  # type: ignore[arg-type]
        return done.fetchall() if done.description else []

    def refuses(self, sql: str) -> bool:
        import psycopg

        try:
            self.run(sql)
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectNotInPrerequisiteState):
            return True
        return False


VOTE = """
INSERT INTO vote (id, subject_id, annotator_id, change_id, created_at, active, question, choice)
SELECT '{id}', '{subject}', '{person}', (SELECT id FROM change LIMIT 1), '2026-01-01', 1, 'realistic', 'yes'
"""
OPEN = """
INSERT INTO resolution (id, subject_id, annotator_id, change_id, created_at, active, about, method, outcome, rationale)
SELECT '{id}', '{subject}', '{person}', (SELECT id FROM change LIMIT 1), '2026-01-01', 1, 'panel', 'all in', 'open 1 1',
'' RETURNING id
"""


def test_everything_an_annotator_does_works_through_the_role(
    store: ServerProject, seat: Callable[[str], ServerProject]
) -> None:
    bo, (first, second, *_) = seat("Bo"), _subjects(store)
    assert bo.annotator.name == "Bo" and projects.stage_counts(bo).decisions == 0
    triage.decide_subjects(bo, [first, second], Verdict.ACCEPT)
    triage.label_rows(bo, [triage.queue_row_of(bo, first)], "difficulty", "hard")
    paraphrases.save_prompt(bo, first, "The first question in other words")
    revisions.save_criterion(bo, first, "grading:\n  keywords:\n    - x\n")
    aspect_reviews.add_comment(bo, first, "a remark")
    aspect_reviews.add_review(bo, second, {"difficulty": 4}, "hard")
    three_experts.save_artefact_edit(bo, second, "solution", "x = 2", "shorter")
    aspect_reviews.set_locked(bo, second, True, "done")
    aspect_reviews.set_locked(bo, second, False, "not yet")
    panel_votes.cast_vote(bo, first, YES)
    assert panel_votes.vote_state(bo, first).mine == YES
    assert undo.undo_last_act(bo) and panel_votes.vote_state(bo, first).mine == {}
    assert undo.redo_last_act(bo) and panel_votes.vote_state(bo, first).mine == YES
    assert disagreements.load_disagreements(bo) == () and disagreements.load_conflicts(bo) == ()
    assert panel_votes.panel_rows(bo) and undo.load_acts(bo).rows
    assert blast_radius.blast_radius(bo, triage.load_subject(bo, first), "grading: {}", lambda _: None) is None
    paraphrase = triage.load_subject(bo, first).paraphrase
    assert paraphrase and paraphrase.text.startswith("The first")
    assert [row.id for row in triage.queue_page(bo, QueueFilter(text="Question")).rows]


def test_a_sealed_vote_is_a_secret_until_the_panel_has_voted(
    store: ServerProject, seat: Callable[[str], ServerProject]
) -> None:
    panel_votes.set_panel(store, 3, 2)
    subject = _subjects(store)[0]
    bo, cy = seat("Bo"), seat("Cy")
    panel_votes.cast_vote(store, subject, NO)
    panel_votes.cast_vote(bo, subject, YES)
    client = Client(cy)
    assert {choice for (choice,) in client.run("SELECT choice FROM vote")} == {"sealed"}
    assert client.run("SELECT id FROM vote WHERE choice IN ('yes', 'no', 'abstain')") == []
    assert client.refuses("SELECT choice FROM annotator.vote")
    assert client.run("SELECT count(*) FROM pg_stats WHERE tablename = 'vote' AND schemaname = 'annotator'") == [(0,)]
    # Nobody opens the vote before: not by closing it, as somebody else, with a smaller panel or another voter.
    me, other = cy.annotator.id, bo.annotator.id
    assert client.refuses(OPEN.format(id="r1", subject=subject, person=me))
    assert client.refuses(VOTE.format(id="v1", subject=subject, person=other))
    assert client.refuses("UPDATE project SET settings = '{\"panel_voters\": 2}'")
    assert client.refuses("INSERT INTO annotator (id, created_at, name, role) VALUES ('x', '', 'X', 'expert')")
    assert client.refuses("UPDATE vote SET active = 0")
    assert client.refuses("DELETE FROM vote") and client.refuses("TRUNCATE annotator.vote")
    for act in (panel_votes.close_panel_vote, lambda project, *_: panel_votes.set_panel(project, 2)):
        with pytest.raises(BadInputError, match="Only the chair"):
            act(cy, subject, "I want to see")
    # What is taken back again shows nothing: neither in the transaction that casts the last vote, nor after it.
    client.run("BEGIN")
    client.run(VOTE.format(id="v2", subject=subject, person=me))
    client.run("SAVEPOINT one")
    client.run(OPEN.format(id="r2", subject=subject, person=me))
    client.run("RELEASE one")
    assert client.run(f"SELECT DISTINCT choice FROM vote WHERE annotator_id <> '{me}'") == [("sealed",)]
    assert client.refuses("UPDATE vote SET active = 0 WHERE id = 'v2'")
    client.run("ROLLBACK")
    assert {state.tally for state in (panel_votes.vote_state(cy, subject),)} == {None}
    panel_votes.cast_vote(cy, subject, YES)
    opened = panel_votes.vote_state(cy, subject)
    assert opened.tally and opened.tally["realistic"] == {"yes": 2, "no": 1}
    assert opened.kept is panel_votes.vote_state(store, subject).kept is True
    assert {choice for (choice,) in client.run("SELECT choice FROM vote")} == {"yes", "no", "abstain"}
    assert client.refuses(f"UPDATE vote SET active = 0 WHERE annotator_id = '{me}'")
    assert undo.undo_last_act(bo) is None


def test_the_chair_closes_a_vote_in_a_role(store: ServerProject, seat: Callable[[str], ServerProject]) -> None:
    panel_votes.set_panel(store, 3)
    subject, bo = _subjects(store)[0], seat("Bo")
    panel_votes.cast_vote(store, subject, NO)
    panel_votes.set_chair(store, "Bo")
    panel_votes.close_panel_vote(bo, subject, "the others are away")
    assert panel_votes.vote_state(bo, subject).approvals == 0
    with pytest.raises(MissingEnvironmentError, match="may not"):
        panel_votes.set_panel(bo, 1)


def test_votes_of_experts_fill_no_seat(store: ServerProject, seat: Callable[[str], ServerProject]) -> None:
    panel_votes.set_panel(store, 2)
    subject, bo = _subjects(store)[0], seat("Bo")
    panel_votes.cast_vote(store, subject, NO)
    three_experts.save_artefact_edit(bo, subject, "solution", "x = 2", "shorter")
    client, me = Client(bo), bo.annotator.id
    client.run(VOTE.format(id="v1", subject=subject, person=me))
    assert client.refuses(OPEN.format(id="r1", subject=subject, person=me))
    assert client.run(f"SELECT DISTINCT choice FROM vote WHERE annotator_id <> '{me}'") == [("sealed",)]


def test_blind_keys_and_the_models_of_answers_are_secrets(
    store: ServerProject, seat: Callable[[str], ServerProject], tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(
        "".join(json.dumps({"subject": f"{n}", "a": f"one {n}", "b": f"two {n}"}) + "\n" for n in range(3))
    )
    new = blind_judging.NewStudy(
        name="first", kind="requirement", name_a="people", name_b=SECRET_MODEL, raters=("Bo", "Cy")
    )
    study = blind_judging.create_blind_study(store, new, study_files.read_candidate_pairs(store, pairs))[0]
    with store.write() as db:
        model = ModelUnderTest(name=SECRET_MODEL)
        db.add(model)
        db.flush()
        for subject in _subjects(store):
            db.add(Response(subject_id=subject, model_id=model.id, text=f"an answer to {subject}", content_hash="h"))
    bo = seat("Bo")
    [pair, _] = blind_judging.load_judging_queue(bo).pairs
    blind_judging.judge_pair(bo, pair.assignment_id, "1", "clearer")
    assert undo.undo_last_act(bo)
    while waiting := blind_judging.load_judging_queue(bo).pairs:
        if len(waiting) == 1:
            rater_changes.skip_pair(bo, waiting[0].assignment_id, "no idea")
        else:
            blind_judging.judge_pair(bo, waiting[0].assignment_id, "2")
    rater_changes.take_up_skipped(bo)
    blind_judging.judge_pair(bo, blind_judging.load_judging_queue(bo).pairs[0].assignment_id, "tie")
    blind_judging.seal_own_batch(bo)
    client = Client(bo)
    assert client.run("SELECT * FROM blind_key") == []
    assert all(client.refuses(f"SELECT 1 FROM annotator.{table}") for table in TABLES)
    insert = "INSERT INTO unblinding (id, study_id, annotator_id, change_id, created_at, active, reason)"
    assert client.refuses(f"{insert} SELECT 'u', '{study}', '{bo.annotator.id}', id, '', 1, '' FROM change LIMIT 1")
    for read in (blind_judging.verify_study, lambda project, name: blind_judging.unblind_sides(project, name, "now")):
        with pytest.raises(BadInputError, match="kept from raters"):
            read(bo, "first")
    # A stored answer can be tried on an item that no blind study compares, and only there.
    hidden, (*_, free) = triage.load_subject(bo, _subjects(store)[0]), _subjects(store)
    assert hidden.responses == () and len(triage.load_subject(bo, free).responses) == 1
    assert client.run("SELECT subject_id FROM response") == [(free,)]
    assert client.refuses("UPDATE pair SET subject_id = 'x'") and client.refuses("UPDATE response SET text = ''")
    client.run("UPDATE study SET active = 0")
    assert client.run("SELECT subject_id FROM response") == [(free,)]
    client.run("UPDATE study SET active = 1")
    # Whatever else the login may read names no side.
    readable = client.run(
        "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables "
        "WHERE table_schema IN ('annotator', 'annotator_role') AND table_name <> 'model_under_test'"
    )
    texts = [str(client.run(f"SELECT * FROM {name}")) for (name,) in readable if not client.refuses(f"TABLE {name}")]
    assert len(texts) > 20 and not any(SECRET_MODEL in text for text in texts)
    blind_judging.unblind_sides(store, "first", "done", close_unsealed=True)
    assert client.run("SELECT name_b FROM blind_key") == [(SECRET_MODEL,)]
    assert len(triage.load_subject(bo, _subjects(store)[0]).responses) == 1
    with pytest.raises(MissingEnvironmentError, match="may not"), bo.write() as db:
        db.add(Response(subject_id=free, model_id=model.id, text="forged", content_hash="h"))
    assert projects.list_studies(bo)[0].unblinded


def test_conflicts_of_merged_files_tell_no_sealed_choice(
    store: ServerProject, seat: Callable[[str], ServerProject]
) -> None:
    panel_votes.set_panel(store, 3)
    subject = _subjects(store)[0]
    with store.write() as db:
        side = {"annotator_id": store.annotator.id, "subject_id": subject, "question": "realistic", "choice": "no"}
        for table, content in (("vote", side), ("blind_key", {"name_a": SECRET_MODEL}), ("prompt", {"text": "seen"})):
            db.add(Conflict(table_name=table, row_id="1", ours=content, theirs=content))
    client = Client(seat("Bo"))
    said = str(client.run("SELECT ours, theirs FROM conflict"))
    assert "choice" not in said and SECRET_MODEL not in said and "seen" in said and "realistic" in said
    assert len(disagreements.load_conflicts(seat("Bo"))) == 3


def test_a_role_is_one_person_who_takes_nothing_of_the_whole(
    store: ServerProject, seat: Callable[[str], ServerProject], tmp_path: Path
) -> None:
    bo = seat("Bo")
    with pytest.raises(BadInputError, match="belongs to Bo"):
        ServerProject.reach(replace(bo.address, annotator="Ada"))
    with pytest.raises(BadInputError, match="belongs to Bo"):
        members.switch_annotator(bo, "Ada")
    panel_votes.cast_vote(store, _subjects(store)[0], NO)
    for act in (
        lambda: server_copy.copy_project(bo.address, tmp_path / "copy.annotator"),
        lambda: packets.export_packet(bo, tmp_path / "whole.packet"),
        lambda: packets.export_packet(bo, tmp_path / "hers.packet", person="Ada"),
        lambda: upgrade_server(bo.address) if upgrade_server(store.address) else None,
        bo.integrity,
        lambda: members.rename_project(bo, "Mine"),
        lambda: server_copy.set_annotator_role(bo.address, "Bo", bo.address.user),
    ):
        with pytest.raises(KnownError, match=r"may not|be read by a role|read all of it"):
            act()
    assert not list(tmp_path.glob("*.annotator")) and not list(tmp_path.glob("*.packet"))


def test_a_role_that_reads_the_secrets_in_another_way_is_refused(
    store: ServerProject, seat: Callable[[str], ServerProject], postgres: Server
) -> None:
    database = store.address.database
    login = f"eve_{database}"
    postgres.execute("postgres", f"CREATE ROLE {login} LOGIN")
    with pytest.raises(BadInputError, match="no role nobody_here"):
        server_copy.set_annotator_role(store.address, "Bo", "nobody_here")
    with pytest.raises(BadInputError, match="no annotator Dee"):
        server_copy.set_annotator_role(store.address, "Dee", login)
    with pytest.raises(BadInputError, match="superuser"):
        server_copy.set_annotator_role(store.address, "Bo", "postgres")
    for give, take in (
        (f"GRANT pg_read_all_data TO {login}", f"REVOKE pg_read_all_data FROM {login}"),
        (f"GRANT postgres TO {login}", f"REVOKE postgres FROM {login}"),
        (f"ALTER ROLE {login} CREATEROLE", f"ALTER ROLE {login} NOCREATEROLE"),
        ("GRANT SELECT ON annotator.blind_key TO PUBLIC", "REVOKE SELECT ON annotator.blind_key FROM PUBLIC"),
        ("GRANT SELECT (text) ON annotator.response TO PUBLIC", "REVOKE ALL ON annotator.response FROM PUBLIC"),
    ):
        postgres.execute(database, give)
        with pytest.raises(BadInputError, match="in another way"):
            server_copy.set_annotator_role(store.address, "Bo", login)
        postgres.execute(database, take)
    server_copy.set_annotator_role(store.address, "Bo", login)
    with pytest.raises(BadInputError, match="another person's"):
        server_copy.set_annotator_role(store.address, "Cy", login)
    assert store.integrity() == ()
    postgres.execute(database, f"GRANT SELECT ON annotator.vote TO {login}")
    assert [problem for problem in store.integrity() if login in problem]
    server_copy.set_annotator_role(store.address, "Bo", login)
    assert store.integrity() == ()
    server_copy.set_annotator_role(store.address, "Bo", login, remove=True)
    with pytest.raises(MissingEnvironmentError, match="may not"):
        ServerProject.reach(replace(store.address, user=login, annotator="Bo"))
    postgres.execute("postgres", f"DROP ROLE {login}")


def test_an_upgrade_keeps_the_roles(
    store: ServerProject, seat: Callable[[str], ServerProject], postgres: Server
) -> None:
    bo = seat("Bo")
    upgrade_server(store.address)
    panel_votes.cast_vote(bo, _subjects(store)[0], YES)
    assert Client(bo).refuses("SELECT * FROM annotator.vote") and store.integrity() == ()


def test_drafts_never_reach_the_server(
    store: ServerProject, postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from annotator.base.clock import now_text
    from annotator.model.rows.draft_rows import Draft, DraftKey

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    key = DraftKey(store.annotator.id, "prompt.paraphrase", "s-1")
    draft_journal.save_draft(
        store, Draft(key=key, text="a draft of mine", subject_id="s-1", began_from="", written_at=now_text())
    )
    assert len(draft_journal.load_drafts(store)) == 1
    with store.read() as db:
        names = db.connection().exec_driver_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'annotator'")
        for name in names.scalars().all():
            found = db.connection().exec_driver_sql(
                f"SELECT 1 FROM \"{name}\" t WHERE t::text LIKE '%%draft of mine%%'"
            )
            assert found.first() is None, name


def test_no_code_of_an_annotator_runs_with_the_rights_of_the_owner(
    store: ServerProject, seat: Callable[[str], ServerProject]
) -> None:
    bo = seat("Bo")
    client = Client(bo)
    client.run("CREATE TYPE pg_temp.spy AS ENUM ('x')")
    client.run(
        "CREATE FUNCTION pg_temp.look(pg_temp.spy) RETURNS text LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '%', (SELECT string_agg(choice, ',') FROM annotator.vote); END $$"
    )
    client.run("CREATE CAST (pg_temp.spy AS text) WITH FUNCTION pg_temp.look(pg_temp.spy) AS IMPLICIT")
    for table in ("vote", "resolution"):
        client.run(f"CREATE TEMP TABLE forged_{table} (LIKE annotator_role.{table})")
        client.run(f"ALTER TABLE forged_{table} ALTER annotator_id TYPE pg_temp.spy USING 'x'")
        assert client.refuses(
            f"CREATE TRIGGER spy BEFORE INSERT ON forged_{table} FOR EACH ROW "
            f"EXECUTE FUNCTION annotator_role.write_{table}()"
        )
    with store.write() as db:
        db.connection().exec_driver_sql("GRANT EXECUTE ON FUNCTION annotator_role.write_vote() TO PUBLIC")
    assert [problem for problem in store.integrity() if bo.address.user in problem]


def test_no_plan_of_a_query_tells_what_a_view_hides(
    store: ServerProject, seat: Callable[[str], ServerProject], tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"subject": "0", "a": "one", "b": "two"}) + "\n")
    new = blind_judging.NewStudy(
        name="first", kind="requirement", name_a="people", name_b=SECRET_MODEL, raters=("Bo", "Cy")
    )
    blind_judging.create_blind_study(store, new, study_files.read_candidate_pairs(store, pairs))
    panel_votes.cast_vote(store, _subjects(store)[0], NO)
    with store.write() as db:
        model = ModelUnderTest(name=SECRET_MODEL)
        db.add(model)
        db.flush()
        subject = db.connection().exec_driver_sql("SELECT subject_id FROM pair").scalar_one()
        db.add(Response(subject_id=subject, model_id=model.id, text="an answer", content_hash="h"))
        db.flush()
        db.connection().exec_driver_sql("ANALYZE blind_key, response, vote")
    client = Client(seat("Bo"))
    for table, column, secret in (
        ("blind_key", "name_b", SECRET_MODEL), ("response", "text", "an answer"), ("vote", "choice", "abstain"),
    ):  # fmt: skip
        query = f"EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT 1 FROM {table} WHERE {column} = "
        texts = (secret, "x" * len(secret))
        plans = {str(client.run(f"{query}'{text}'")).replace(text, "?") for text in texts}
        assert len(plans) == 1, plans
