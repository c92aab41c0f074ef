"""The choice of an endpoint: those of the project, the presets, or an address that is typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox

from annotator.model.rows.run_rows import SetupRow
from annotator.ui.widgets.fields import refill_box


def offer_endpoints(box: QComboBox, endpoints: Sequence[SetupRow]) -> None:
    """Fill an editable combo box with endpoints; typed text stays.

    A preset (version 0) is offered but never preselected, because requests to it cost money.
    """
    typed = box.currentText()
    refill_box(box, [(row.name, row.name) for row in endpoints], box.currentData())
    if typed or not any(row.version for row in endpoints):
        box.setEditText(typed)


def offer_models(box: QComboBox, names: Sequence[str]) -> None:
    """Fill an editable combo box with names of models; typed text stays."""
    typed = box.currentText()
    box.clear()
    box.addItems(names)
    if typed or not names:
        box.setEditText(typed)
