"""The release audit as Markdown, from the rows stored in a release: a table per phase, with shares and no total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotator.formats.write.export_folder import markdown_line
from annotator.model.rows.audit_rows import phase_shares

Row = Mapping[str, object]


def audit_text(project: str, version: str, rows: Sequence[Row]) -> str:
    """Return AUDIT.md."""
    lines = [f"# Audit of {markdown_line(project)} {markdown_line(version)}".rstrip(), ""]
    lines += ["| phase | met | not met | open | not applicable |", "|---|---:|---:|---:|---:|"]
    shares = phase_shares(rows)
    lines += [
        f"| {share.phase} | {share.met} of {share.points} | {share.not_met} | {share.open} | {share.not_applicable} |"
        for share in shares
    ]
    lines += ["", "Evidence is computed from the project, a statement is a person's; what nobody knows is open.", ""]
    for share in shares:
        lines += [f"## {share.phase}", "", "| point | state | by | evidence or statement |", "|---|---|---|---|"]
        lines += [_line(row) for row in rows if row["phase"] == share.phase]
        lines += [""]
    return "\n".join(lines)


def _line(row: Row) -> str:
    evidence = [str(row["evidence"])]
    if row["threshold"] is not None and row["value"] is not None:
        evidence.append(f"({row['value']:g}; {'at most' if row['at_most'] else 'at least'} {row['threshold']:g})")
    if row["statement"]:
        evidence.append(f"{row['person']}, {str(row['stated_at'])[:10]}: {row['statement']}")
    cells = (str(row["state"]), str(row["by"]), " ".join(part for part in evidence if part))
    return f"| {row['text']} (`{row['id']}`) | {' | '.join(map(markdown_line, cells))} |"
