"""Which process works on a run: one that was killed must not keep the run from being resumed."""

from __future__ import annotations

import os
import socket

from annotator.base.clock import now, parse

BEAT_S = 5.0
"""How often a process that works on a run says so."""
_SILENT_S = 60.0


def owner_here() -> str:
    """Return the mark of this process: host and process number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_live(owner: str, beat_at: str | None) -> bool:
    """Tell whether the process of that mark still works: it spoke of late and, if it is on this host, exists."""
    if not owner or beat_at is None or (now() - parse(beat_at)).total_seconds() > _SILENT_S:
        return False
    host, _, number = owner.rpartition(":")
    if host != socket.gethostname() or os.name != "posix" or not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)  # signal 0 asks only whether there is such a process
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
