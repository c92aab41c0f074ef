"""View the project as of a past moment, compare it with now, and restore one subject or all work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from string import hexdigits

from annotator.base.clock import now, parse_time, time_text
from annotator.base.errors import BadInputError, MissingEnvironmentError, UsageError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.history_rows import Effect, Restoring
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import past
from annotator.store.history import restore as restoring
from annotator.store.history.past import PastFile
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects

_TIME_AGO = re.compile(r"(\d+)\s*(min|minutes?|h|hours?|d|days?)(?:\s+ago)?")
_SECONDS_PER_UNIT = {"m": 60, "h": 3600, "d": 86_400}


def parse_moment(store: ProjectFile, text: str, *, before: bool = False) -> str:
    """Parse a moment and return it in the project file's time format.

    ``text`` is the id of an act (or the start of one), a date and time in ISO 8601 (local time if it has no zone), or a
    time ago ("90 min", "2 h", "3 days ago"). With ``before`` the moment is just before the act. Raises `UsageError` for
    anything else, `BadInputError` for a future moment, and `MissingEnvironmentError` for a project on a server.
    """
    _require_file(store)
    text = text.strip()
    act_moment = _find_act_moment(store, text, before=before)
    if act_moment is not None:
        return act_moment
    time_ago = _TIME_AGO.fullmatch(text)
    if time_ago is not None:
        moment = now() - timedelta(seconds=int(time_ago[1]) * _SECONDS_PER_UNIT[time_ago[2][0]])
    else:
        try:
            moment = datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise UsageError(
                f"{text or 'Nothing'} is not a moment in time. Give a date and time (2026-11-21T10:30), a time ago "
                "(2 h, 3 days), "
                "or the id of a change from annotator history list."
            ) from error
    if moment > now():
        raise BadInputError(f"{text} is in the future. Give a moment in the past.")
    return time_text(moment)


def _require_file(store: ProjectFile) -> None:
    """Raise `MissingEnvironmentError` for a server project, which cannot be opened as of a past moment."""
    if store.shared:
        raise MissingEnvironmentError(
            f"{store.place.name} is on a server, where the history lists changes but cannot show earlier states. "
            "Copy it to a file with annotator project copy, and view that."
        )


def local_moment_text(moment_text: str) -> str:
    """Return a stored moment as local date and time, to the second."""
    return parse_time(moment_text).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _find_act_moment(store: ProjectFile, text: str, *, before: bool) -> str | None:
    if len(text) < 8 or not set(text) <= {*hexdigits, "-"}:
        return None
    with store.reader() as connection:
        moments = past.find_act_moments(connection, text.lower())
    if len(moments) > 1:
        raise UsageError(f"Several changes have ids that start with {text}. Give more characters.")
    if not moments:
        return None
    return time_text(parse_time(moments[0]) - timedelta(microseconds=1)) if before else moments[0]


def open_as_of(store: ProjectFile, moment_text: str) -> PastFile:
    """Open a read-only view of the project as it was at a moment; close it when done.

    Its work is the result of all acts and undos up to then; its runs and releases are those started by then.
    """
    _require_file(store)
    return PastFile(store, moment_text)


@contextmanager
def visit_moment(store: ProjectFile, moment_text: str) -> Iterator[PastFile]:
    """Open the project as of a moment as a context manager."""
    with closing(open_as_of(store, moment_text)) as past_project:
        yield past_project


def preview_restore(store: ProjectFile, moment_text: str, subject_ids: Sequence[str] | None = None) -> Restoring:
    """Return the changes that restoring subjects (None: all work) as of a moment would make."""
    ids_to_restore = None if subject_ids is None else {_find_subject_id(store, item) for item in subject_ids}
    with visit_moment(store, moment_text) as past_project, past_project.reader() as connection:
        return restoring.plan_restoring(connection, moment_text, ids_to_restore)


def compare_with_moment(store: ProjectFile, moment_text: str, subject_id: str) -> tuple[Effect, ...]:
    """Return a subject's fields that differ between now (``before``) and that moment (``after``)."""
    subject_ids = {_find_subject_id(store, subject_id)}
    with visit_moment(store, moment_text) as past_project, past_project.reader() as connection:
        return tuple(restoring.find_effects(connection, subject_ids))


def restore_as_of(
    store: ProjectFile, moment_text: str, subject_ids: Sequence[str] | None = None
) -> tuple[Restoring, Changes]:
    """Restore subjects (None: all work and the quotas) to their state at a moment, as one undoable change.

    The current state stays in the history, and the restore can be undone. Locked subjects and imports are not restored;
    the result names them. Raises `BadInputError` if nothing would change.
    """
    ids_to_restore = None if subject_ids is None else {_find_subject_id(store, item) for item in subject_ids}
    with visit_moment(store, moment_text) as past_project, store.write() as db:
        db.connection()  # Takes the write lock: the state that is compared must be the state that is replaced.
        with past_project.reader() as connection:
            plan = restoring.plan_restoring(connection, moment_text, ids_to_restore)
            quotas = restoring.load_earlier_quotas(connection) if ids_to_restore is None else None
        locked = stored_consensus.find_locked_keys(db, plan.subjects)
        if locked:
            names = ", ".join(list(locked.values())[:3])
            note = f"{len(locked)} locked subjects stay as they are, such as {names}."
            plan = replace(
                plan,
                effects=tuple(item for item in plan.effects if item.subject_id not in locked),
                notes=(*plan.notes, note),
            )
        if not plan.effects and quotas is None:
            reasons = " ".join(plan.notes)
            raise BadInputError(f"Nothing would change: the work is still the same. {reasons}".rstrip())
        label = Message(
            "Restore {what} as of {moment}", what=_describe_scope(plan), moment=local_moment_text(moment_text)
        )
        return plan, restoring.write_restoring(db, store.annotator.id, plan.effects, label, quotas)


def _describe_scope(plan: Restoring) -> str:
    if not plan.effects:
        return Message("the quotas")
    return plan.effects[0].title if len(plan.subjects) == 1 else Message("{count} subjects", count=len(plan.subjects))


def _find_subject_id(store: ProjectFile, id_or_key: str) -> str:
    with store.read() as db:
        return stored_subjects.find_subject(db, id_or_key).id
