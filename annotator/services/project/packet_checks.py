"""Check a file before it is merged: it may contain only values that the program writes, and changes by its author.

For judgements this includes that the pair was served to the rater with the same sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from annotator.base.clock import now, parse_time
from annotator.base.errors import BadInputError, FutureDateError, OthersActsError
from annotator.formats.interchange.packet_files import Packet
from annotator.services.consensus import disagreements, panel_votes
from annotator.store.file import people
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging import rulings, stored_consensus
from annotator.store.merge import row_union

Row = Mapping[str, Any]

_METHODS = (*disagreements.METHODS, panel_votes.ALL_IN, panel_votes.CLOSED, rulings.OVERRIDE_METHOD, *rulings.METHODS)
_SERVICE_VALUES: Mapping[str, Mapping[str, Collection[object]]] = MappingProxyType(
    {"vote": {"question": tuple(panel_votes.QUESTIONS)}, "resolution": {"method": _METHODS}}
)
"""Allowed values that are defined in services instead of the tables: table -> column -> values."""
_TABLES_WITH_PERSON = ("run", "score_set", "release")
"""Further tables, besides those with changes, that record who made a row."""

# Clocks of two machines differ a little, but a row dated far ahead stays the newest until that date.
_MAX_CLOCK_SKEW = timedelta(days=1)


def check_packet(
    db: Session, packet: Packet, file_name: str, *, with_others: bool, with_future: bool = False, signer: str = ""
) -> None:
    """Raise `BadInputError` for the first row that the program would not have written.

    A file may only carry its author's acts; acts of other people are accepted with ``with_others``, because nothing
    proves that they are really theirs. A project file, or a packet of an older version, names no author: there it is
    the one person with new acts. If a ``signer`` is named, the author must be that person, and ``with_others`` does not
    hold: each person signs their own. Rows dated in the future are accepted with ``with_future``: the clock that dated
    them can no longer be set. Rows that this project already has are not checked again.
    """
    new_rows = row_union.new_rows(db, packet.tables)
    for table, rows in new_rows.items():
        for row in rows:
            _check_values(table, row)
            _check_time(table, row, with_future=with_future)
    _check_undo(db, packet, new_rows.get("change", ()))
    _check_judgements(db, packet, new_rows.get("judgement", ()))
    _check_openings(db, packet, new_rows.get("resolution", ()), with_others=with_others and not signer)
    if signer:
        signer_id = people.find_annotator(db, signer).id
        if packet.by_id not in ("", signer_id):
            raise BadInputError(
                f"{file_name} is signed by {signer} but was written by somebody else. Nothing was changed."
            )
        packet = replace(packet, by_id=signer_id)
    if signer or not with_others:
        _refuse_others(db, packet, new_rows, file_name, signer)


def _describe_row(table: str, row: Row) -> str:
    return f"{table} {row.get('id', '')}".strip()


def _check_values(table: str, row: Row) -> None:
    for column, values in _SERVICE_VALUES.get(table, {}).items():
        if row.get(column) not in values:
            allowed = ", ".join(sorted(map(str, values)))
            value = row.get(column)
            raise BadInputError(
                f"{_describe_row(table, row)} has the {column} {value!r}, which is not one of {allowed}. Nothing was "
                "changed."
            )
    if table == "judgement" and row.get("seconds") is not None and row["seconds"] < 0:
        raise BadInputError(f"{_describe_row(table, row)} has a negative duration. Nothing was changed.")


def _check_time(table: str, row: Row, *, with_future: bool) -> None:
    text = row.get("created_at")
    if text is None:
        return
    if parse_time(text) > now() + _MAX_CLOCK_SKEW and not with_future:
        raise FutureDateError(
            f"{_describe_row(table, row)} is dated in the future ({text}). Nothing was changed. Set the clock of the "
            "machine that it comes from, and merge again with --future: until that date, its rows count as the newest."
        )


def _check_undo(db: Session, packet: Packet, changes: Sequence[Row]) -> None:
    """Raise `BadInputError` for an undo or redo of somebody else's act."""
    targets = {str(row["target_id"]) for row in changes if row.get("target_id")}
    owners = row_union.fetch_change_authors(db, targets)
    owners |= {str(row["id"]): str(row["annotator_id"]) for row in packet.tables.get("change", ())}
    for row in changes:
        owner = owners.get(str(row.get("target_id")), row["annotator_id"])
        if owner != row["annotator_id"]:
            raise BadInputError(f"{_describe_row('change', row)} undoes another person's change. Nothing was changed.")


def _check_judgements(db: Session, packet: Packet, judgements: Sequence[Row]) -> None:
    """Raise `BadInputError` for a judgement on a pair that was not served to its rater, or with swapped sides."""
    slot_columns = ("pair_id", "annotator_id", "serving")
    served_orders = row_union.fetch_served_orders(db, {str(row["pair_id"]) for row in judgements})
    # This project's assignments win over the file's, so a file cannot serve the same pair with other sides.
    served_orders = {
        tuple(row[name] for name in slot_columns): row["order"] for row in packet.tables.get("assignment", ())
    } | served_orders
    served_pairs = {slot[0] for slot in served_orders}
    # Versions before schema 3 did not store assignments.
    for row in (row for row in judgements if row["pair_id"] in served_pairs):
        order = served_orders.get(tuple(row[name] for name in slot_columns))
        if order is None:
            raise BadInputError(
                f"{_describe_row('judgement', row)} is about a pair not served to its rater. Nothing was changed."
            )
        if order != row["order"]:
            raise BadInputError(
                f"{_describe_row('judgement', row)} has the sides of its pair swapped. Nothing was changed."
            )


def _check_openings(db: Session, packet: Packet, resolutions: Sequence[Row], *, with_others: bool) -> None:
    """Raise `BadInputError` for an opening of a panel's votes that shows them before all are in, or changes the panel.

    An opening fixes how many must approve. That may differ from the panel here only if acts of others are accepted.
    """
    openings = [row for row in resolutions if row["about"] == stored_consensus.PANEL]
    if not openings:
        return
    size, keep = panel_votes.panel_in(db)
    voters = {subject: set(votes) for subject, votes in stored_consensus.fetch_newest_votes(db, None).items()}
    for vote in packet.tables.get("vote", ()):
        voters.setdefault(vote["subject_id"], set()).add(vote["annotator_id"])
    for row in openings:
        opening = stored_consensus.read_opening(row["method"], row["outcome"])
        expected = (opening.voters or size) if opening.why == panel_votes.ALL_IN else 1
        if len(voters.get(row["subject_id"], ())) < expected:
            raise BadInputError(
                f"{_describe_row('resolution', row)} opens votes before all are in. Nothing was changed."
            )
        if not with_others and (opening.needed or keep, opening.voters or size) != (keep, size):
            raise BadInputError(
                f"{_describe_row('resolution', row)} opens votes of a panel in which {opening.needed} of "
                f"{opening.voters} must approve; in this project it is {keep} of {size}. Nothing was changed. Set the "
                "panel here to that size for the merge, or accept changes by others too (--others)."
            )


def _refuse_others(
    db: Session, packet: Packet, new_rows: Mapping[str, Sequence[Row]], file_name: str, signer: str
) -> None:
    acts = Counter(_iterate_authors(new_rows))
    if signer:
        acts.update(str(row["annotator_id"]) for table in _TABLES_WITH_PERSON for row in new_rows.get(table, ()))
    author = packet.by_id or (next(iter(acts)) if len(acts) == 1 else "")
    others = {person: count for person, count in acts.items() if person != author}
    if not others:
        return
    names = {str(row["id"]): str(row["name"]) for row in packet.tables.get("annotator", ())}
    names |= stored_consensus.fetch_annotator_names(db)
    names_with_counts = ", ".join(f"{names.get(person, person)} ({count})" for person, count in sorted(others.items()))
    if signer:
        raise BadInputError(
            f"{file_name} is signed by {signer} but contains changes by {names_with_counts}. Nothing was changed. "
            "Ask for packets that they have signed themselves."
        )
    raise OthersActsError(
        f"{file_name} contains changes by people other than {names.get(author, 'its author')}: "
        f"{names_with_counts}. Nothing was changed. Ask for their own packets, or accept changes by others too "
        "(--others)."
    )


def _iterate_authors(new_rows: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """Yield the author of each new act, and the person of each new row that is not by the author of its act."""
    owners = {str(row["id"]): str(row["annotator_id"]) for row in new_rows.get("change", ())}
    yield from owners.values()
    for table in undo_log.UNDOABLE:
        for row in new_rows.get(table, ()):
            person = str(row.get("annotator_id", ""))
            if person and owners.get(str(row.get("change_id"))) != person:
                yield person
