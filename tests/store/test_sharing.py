"""Several processes on one queue, some of them killed: each subject is given once and decided once, none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.base.addresses import ServerAddress
from tests.benchmarks.sharing import share

pytestmark = pytest.mark.slow


def _check(database: ServerAddress, folder: Path, items: int, clients: int, kills: int) -> None:
    found = share(database, folder, items, clients=clients, kills=kills, seconds=4.0, think=0.02)
    assert found.killed == kills
    assert (found.decided, found.decisions, found.lost, found.twice) == (items, items, 0, 0)


def test_four_clients_and_kills(database: ServerAddress, tmp_path: Path) -> None:
    _check(database, tmp_path, 100, 4, 2)


def test_eight_clients_five_thousand_subjects_and_kills(database: ServerAddress, tmp_path: Path) -> None:
    _check(database, tmp_path, 5000, 8, 40)
