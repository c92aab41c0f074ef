"""Packets: export a colleague's share as one file, merge it back, and merge two project files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.interchange import packet_files
from annotator.formats.interchange.packet_files import Packet
from annotator.model.changes import Changes
from annotator.model.rows import gate_numbers
from annotator.services.consensus import panel_votes
from annotator.services.project import packet_checks
from annotator.services.release import signatures
from annotator.store.file import people, schema
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.merge import row_union, shares
from annotator.store.merge.row_union import MergeOutcome, Row
from annotator.store.queue import stored_subjects
from annotator.store.soundness import hashes

SHARED_SETTINGS = (*panel_votes.SETTINGS, gate_numbers.SETTING)
"""Project settings that a packet carries. Opening a packet as a new project applies them; merging does not."""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The result of a merge: new rows by kind, rows already present, and conflicts stored side by side."""

    added: dict[str, int]
    known: int
    conflicts: int
    changes: Changes

    @property
    def total(self) -> int:
        """The number of new rows."""
        return sum(self.added.values())


def export_packet(
    store: ProjectFile,
    path: Path,
    *,
    person: str = "",
    subject_ids: Sequence[str] = (),
    passphrase: str = "",
    run_data: bool = False,
    key: Path | None = None,
) -> Packet:
    """Write a packet: the (blinded) share of a ``person``, or the whole project if no person is named.

    ``subject_ids`` are added to the assigned pairs of a share. With the SSH ``key`` of its author the packet is signed,
    in a file next to it. Raises `KnownError` for an unknown person or subject, an empty share, or an existing file.
    """
    if store.is_bound_to_annotator and person != store.annotator.name:
        raise BadInputError(
            f"Your role on the server may not read the whole project. Export your own share with --for "
            f"{store.annotator.name}."
        )
    with store.read() as db:
        project_id, name = people.load_project_identity(db)
        if person:
            recipient = people.find_annotator(db, person)
            extra_ids = [subject.id for subject in stored_subjects.find_subjects(db, subject_ids)]
            tables = shares.collect_share(db, recipient.id, extra_ids)
            if not tables.get("subject"):
                raise BadInputError(f"Nothing is assigned to {person} yet. Make a study for them, or name subjects.")
            for_id = recipient.id
            for_name = recipient.name
        else:
            tables = row_union.read_all(db, run_data=run_data)
            for_id = for_name = ""
        settings = {key: value for key in SHARED_SETTINGS if (value := people.read_setting(db, key)) is not None}
    packet = Packet(
        project_id=project_id,
        project_name=name,
        schema=schema.SCHEMA_VERSION,
        for_id=for_id,
        for_name=for_name,
        by_id=store.annotator.id,
        made_at=now_text(),
        tables=tables,
        settings=settings,
    )
    packet_files.write_packet(path, packet, passphrase)
    if key is not None:
        try:
            signatures.sign_packet(path, key)
        except BaseException:
            # Do not leave an unsigned packet behind.
            path.unlink(missing_ok=True)
            raise
    return packet


def import_packet(
    store: ProjectFile, path: Path, *, passphrase: str = "", unrelated: bool = False, others: bool = False,
    future: bool = False, signers: Path | None = None,
) -> MergeReport:  # fmt: skip
    """Merge a packet or another project file into a project: a union by identifier, nothing is overwritten.

    A file may only carry acts of its author; with ``others`` or ``unrelated`` it may carry acts of other people too.
    With ``future`` it may carry rows dated in the future.
    With ``signers``, a file of names in this project and their public keys, it may only carry acts of its signer.

    Merging is idempotent and does not depend on the order of the files. Raises `BadInputError` for a file of another
    project unless ``unrelated`` is set, and for a file that is neither a packet nor a project.
    """
    packet, signer = _read_signed(path, passphrase, signers) if signers else (_read_packet(path, passphrase), "")
    with store.write() as db:
        project_id, name = people.load_project_identity(db)
        if packet.project_id != project_id and not unrelated:
            raise BadInputError(
                f"{path.name} belongs to another project ({packet.project_name}, not {name}). Nothing was changed; "
                "confirm it to merge unrelated projects."
            )
        subjects = row_union.new_rows(db, {"subject": packet.tables.get("subject", ())})["subject"]
        merged = _merge(db, packet, path.name, others=others or unrelated, future=future, signer=signer)
        for problem in hashes.find_changed_subjects(db.connection(), [row["id"] for row in subjects]):
            raise BadInputError(f"{path.name} is refused: {problem}. Nothing was changed.")
    nouns = frozenset(merged.added) | ({"subject"} if merged.total else set())
    nouns |= {"conflict"} if merged.conflicts else set()
    return MergeReport(
        merged.added, merged.already_present, merged.conflicts,
        Changes(nouns, frozenset(), Message("Merge {name}", name=path.name)),
    )  # fmt: skip


def _read_signed(path: Path, passphrase: str, signers: Path) -> tuple[Packet, str]:
    """Return a packet and its signer, from a copy, so that exactly the verified bytes are read."""
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        for name in (path.name, f"{path.name}.sig"):
            source = path.with_name(name)
            if source.is_file():
                copyfile(source, Path(folder, name))
        signer = signatures.find_packet_signer(copy, signers)
        return _read_packet(copy, passphrase), signer


def _merge(
    db: Session, packet: Packet, file_name: str, *, others: bool, future: bool = False, signer: str = ""
) -> MergeOutcome:
    def check(tables: Mapping[str, Sequence[Row]]) -> None:
        checked = replace(packet, tables=tables)
        packet_checks.check_packet(db, checked, file_name, with_others=others, with_future=future, signer=signer)

    return row_union.merge_rows(db, packet.tables, older=packet.schema < schema.SCHEMA_VERSION, check=check)


def open_packet(path: Path, project: Path, *, passphrase: str = "") -> ProjectFile:
    """Create a project file from a packet and open it as the packet's recipient.

    Raises `BadInputError` if the file exists or the packet has no recipient.
    """
    packet = _read_packet(path, passphrase)
    if not packet.for_id:
        raise BadInputError(f"{path.name} is not a share for one person. Import it into a project instead.")
    store = ProjectFile.create(
        project, packet.project_name, packet.for_name, project_id=packet.project_id, annotator_id=packet.for_id
    )
    try:
        with store.write() as db:
            _merge(db, packet, path.name, others=True)
            for key in SHARED_SETTINGS:
                if key in packet.settings:
                    people.set_setting(db, key, packet.settings[key])
    except BaseException:
        store.close()
        for leftover in (project, Path(f"{project}-wal"), Path(f"{project}-shm")):
            leftover.unlink(missing_ok=True)
        raise
    return store


def _read_packet(path: Path, passphrase: str) -> Packet:
    if packet_files.is_packet(path):
        packet = packet_files.read_packet(path, passphrase)
        if packet.schema > schema.SCHEMA_VERSION:
            raise BadInputError(f"{path.name} was made by a newer version of Annotator. Update the program first.")
        return packet
    with closing(ProjectFile.open(path, read_only=True)) as other, other.read() as db:
        project_id, name = people.load_project_identity(db)
        return Packet(
            project_id=project_id,
            project_name=name,
            schema=schema.SCHEMA_VERSION,
            tables=row_union.read_all(db, run_data=True),
        )
