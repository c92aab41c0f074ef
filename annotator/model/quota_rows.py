"""How far a quota is, as lists show it."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.model.rows import QueueFilter, SubjectRow


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """How far a quota of the project is: accepted subjects, and open ones that could still fill it.

    ``values`` are its conditions as (dimension, value) pairs; ``shown`` is the filter that shows its subjects.
    """

    label: str
    values: tuple[tuple[str, str], ...]
    wanted: int
    filled: int
    open: int
    shown: QueueFilter

    def holds(self, row: SubjectRow) -> bool:
        """Say whether a subject counts towards this quota."""
        return all(str(getattr(row, name)).casefold() == value.casefold() for name, value in self.values)
