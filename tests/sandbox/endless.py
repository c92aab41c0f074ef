"""A call that never ends, and whether it runs: seen by the name that it gives its process."""

from __future__ import annotations

import uuid

from docker.errors import DockerException

from annotator.sandbox.sandbox_places import DockerPlace

# Of this process alone: others may run the same tests at the same time. A process's name has 15 characters at most.
NAME = f"endless{uuid.uuid4().hex[:8]}"
BODY = f"    import ctypes\n    ctypes.CDLL(None).prctl(15, {NAME.encode()!r}, 0, 0, 0)\n    while True: pass"


def is_endless_running(place: DockerPlace) -> bool:
    """Return whether a container of any program of this machine runs the call by now."""
    for container in place.client.api.containers():
        try:
            processes = place.client.api.top(container["Id"], "-eo pid,comm")["Processes"]
        except DockerException:
            continue  # It ended since it was listed.
        # Nothing is listed of one that has not started yet.
        if any(NAME in words for words in processes or ()):
            return True
    return False
