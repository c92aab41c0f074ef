"""The project as of any moment: look at it, see what differs from now, bring one item or all of it back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from annotator.base.clock import as_text, now, parse
from annotator.base.errors import BadInputError, MissingEnvironmentError, UsageError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.history import Effect, Restoring
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import past
from annotator.store.history import restore as restoring
from annotator.store.history.past import PastFile
from annotator.store.judging import consensus
from annotator.store.queue import subjects

_AGO = re.compile(r"(\d+)\s*(min|minutes?|h|hours?|d|days?)(?:\s+ago)?")
_UNITS = {"m": 60, "h": 3600, "d": 86_400}


def moment(store: ProjectFile, text: str, *, before: bool = False) -> str:
    """Return the moment somebody means, as the project file writes it.

    ``text`` is the id of an act (or how it begins), a date and time in ISO 8601 (local time if it has no zone), or a
    time ago ("90 min", "2 h", "3 days ago"). With ``before`` an act's own effect is left out. Raises `UsageError` for
    anything else, `BadInputError` for a moment to come, and `MissingEnvironmentError` for a project on a server.
    """
    _expect_file(store)
    text = text.strip()
    found = _act_moment(store, text, before=before)
    if found is not None:
        return found
    ago = _AGO.fullmatch(text)
    if ago is not None:
        when = now() - timedelta(seconds=int(ago[1]) * _UNITS[ago[2][0]])
    else:
        try:
            when = datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise UsageError(
                f"{text or 'Nothing'} is no moment. Give a date and time (2026-11-21T10:30), a time ago (2 h, 3 days), "
                "or the id of an act from annotator history list."
            ) from error
    if when > now():
        raise BadInputError(f"{text} is still to come. Give a moment in the past.")
    return as_text(when)


def _expect_file(store: ProjectFile) -> None:
    """Raise `MissingEnvironmentError` for a project on a server, whose past cannot be laid over its present."""
    if store.shared:
        raise MissingEnvironmentError(
            f"{store.place.name} is on a server, where the history lists acts but does not go back in time. "
            "Make a file of it with annotator project copy, and look there."
        )


def local_text(moment_text: str) -> str:
    """Return a moment of the file as people here write it: date, and time to the second."""
    return parse(moment_text).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _act_moment(store: ProjectFile, text: str, *, before: bool) -> str | None:
    if len(text) < 8 or not re.fullmatch(r"[0-9a-fA-F-]+", text):
        return None
    with store.reader() as connection:
        moments = past.act_moments(connection, text.lower())
    if len(moments) > 1:
        raise UsageError(f"Several acts begin with {text}. Give more of the id.")
    if not moments:
        return None
    return as_text(parse(moments[0]) - timedelta(microseconds=1)) if before else moments[0]


def as_of(store: ProjectFile, moment_text: str) -> PastFile:
    """Open the project as it stood at a moment; everything that reads a project reads it, nothing can write it.

    Work is what stood by the acts and undos up to then. Runs and releases are those begun by then. Close it when done.
    """
    _expect_file(store)
    return PastFile(store, moment_text)


@contextmanager
def visit(store: ProjectFile, moment_text: str) -> Iterator[PastFile]:
    """Open the project as of a moment for the length of a block."""
    then = as_of(store, moment_text)
    try:
        yield then
    finally:
        then.close()


def preview(store: ProjectFile, moment_text: str, subject_ids: Sequence[str] | None = None) -> Restoring:
    """Return what restoring some subjects, or (None) all of the work, as of a moment would change."""
    wanted = None if subject_ids is None else {_identifier(store, item) for item in subject_ids}
    with visit(store, moment_text) as then, then.reader() as connection:
        return restoring.planned(connection, moment_text, wanted)


def compare(store: ProjectFile, moment_text: str, subject_id: str) -> tuple[Effect, ...]:
    """Return the fields of one subject that differ: ``before`` is now, ``after`` is then."""
    wanted = {_identifier(store, subject_id)}
    with visit(store, moment_text) as then, then.reader() as connection:
        return tuple(restoring.effects(connection, wanted))


def restore(
    store: ProjectFile, moment_text: str, subject_ids: Sequence[str] | None = None
) -> tuple[Restoring, Changes]:
    """Bring subjects, or (None) all work and the quotas, back to how they stood at a moment, as one act.

    Nothing is taken away: what is current now stays in the history, and undo takes the restoring back. Locked subjects
    and imports are left as they are, which the result says. Raises `BadInputError` if nothing would change.
    """
    wanted = None if subject_ids is None else {_identifier(store, item) for item in subject_ids}
    with visit(store, moment_text) as then, store.write() as db:
        db.connection()  # from here on nobody else writes, so that what is compared is what is replaced
        with then.reader() as connection:
            plan = restoring.planned(connection, moment_text, wanted)
            quotas = restoring.quotas_of_then(connection) if wanted is None else None
        locked = consensus.locked_keys(db, plan.subjects)
        if locked:
            names = ", ".join(list(locked.values())[:3])
            note = f"{len(locked)} locked subjects stay as they are, such as {names}."
            plan = replace(
                plan,
                effects=tuple(item for item in plan.effects if item.subject_id not in locked),
                left=(*plan.left, note),
            )
        if not plan.effects and quotas is None:
            reasons = " ".join(plan.left)
            raise BadInputError(f"Nothing would change: the work stands as it stood then. {reasons}".rstrip())
        label = Message("Restore {what} as of {moment}", what=_what(plan), moment=local_text(moment_text))
        return plan, restoring.write(db, store.annotator.id, plan.effects, label, quotas)


def _what(plan: Restoring) -> str:
    if not plan.effects:
        return Message("the quotas")
    return plan.effects[0].title if len(plan.subjects) == 1 else Message("{count} subjects", count=len(plan.subjects))


def _identifier(store: ProjectFile, id_or_key: str) -> str:
    with store.read() as db:
        return subjects.find(db, id_or_key).id
