"""The choice of an endpoint: those of the project, the presets, or an address that is typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox

from annotator.model.rows.runs import SetupRow
from annotator.ui.widgets.fields import refill


def offer_endpoints(box: QComboBox, endpoints: Sequence[SetupRow]) -> None:
    """Offer endpoints in a box that lets type; what was typed stays.

    A preset (version 0) is offered, and never chosen by itself: it would ask for money.
    """
    typed = box.currentText()
    refill(box, [(row.name, row.name) for row in endpoints], box.currentData())
    if typed or not any(row.version for row in endpoints):
        box.setEditText(typed)
