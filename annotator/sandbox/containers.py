"""Docker containers: one per link, locked down as far as Docker allows, labelled so that leftovers are found."""

from __future__ import annotations

import os
import platform
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import MissingEnvironmentError
from annotator.sandbox.links import BOOT, Link, LinkClosedError, SocketLink

if TYPE_CHECKING:
    import socket

    from docker import APIClient, DockerClient
    from requests import Response

LABEL = "org.annotator"
OWNER, PROCESS, STARTED, HOST = f"{LABEL}.owner", f"{LABEL}.pid", f"{LABEL}.started", f"{LABEL}.host"
TOOLS = "/opt/annotator"
UIDS = 4096
_CAPABILITIES = ["SETUID", "SETGID", "KILL", "DAC_OVERRIDE"]
_MAX_PIDS = 128
_TMP_MB, _TMP_INODES = 256, 16_384
_IPC_LIMITS = {"kernel.shmmni": "0", "kernel.msgmni": "0", "kernel.sem": "0 0 0 0"}


def connect_to_docker(timeout: int = 60) -> DockerClient:
    """Return a client of the engine that ``DOCKER_HOST`` or the chosen context names.

    Raises `MissingEnvironmentError` saying what to do if there is none.
    """
    import docker
    from docker.errors import DockerException

    try:
        address = _find_address()
        client = docker.DockerClient(base_url=address, timeout=timeout) if address else docker.from_env(timeout=timeout)
        client.ping()
    except (DockerException, OSError, ValueError) as error:
        if "permission denied" in str(error).lower():
            raise MissingEnvironmentError(
                "A Docker engine is running, but you have no permission to use it, so code cannot be run in the "
                "sandbox. Add yourself to its group with 'sudo usermod -aG docker $USER' and log in again, or install "
                "bubblewrap."
            ) from error
        raise MissingEnvironmentError(
            "No Docker engine answers, so code cannot be run in the sandbox. Start Docker (Debian: install docker.io "
            f"and start the docker service), or set DOCKER_HOST. The engine said: {_shorten_error(error)}"
        ) from error
    return client


def _find_address() -> str:
    """Return the engine's address by Docker's own rules: the environment first, then the current context."""
    if os.environ.get("DOCKER_HOST"):
        return ""
    from docker.context import ContextAPI

    name = os.environ.get("DOCKER_CONTEXT") or ""
    context = ContextAPI.get_context(name) if name else ContextAPI.get_current_context()
    return str(context.Host) if context is not None and context.name != "default" and context.Host else ""


def _shorten_error(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def process_started(pid: int) -> str:
    """Return when a process of this machine started (kernel ticks), empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


class Containers:
    """Starts and removes the containers of one owner (one program that uses the sandbox)."""

    def __init__(self, client: DockerClient, owner: str) -> None:
        """Use an engine; ``owner`` is a name that no other program uses."""
        self._client = client
        self._owner = owner

    def start(self, image: str, memory_mb: int, preload: tuple[str, ...]) -> ContainerLink:
        """Start a container and its supervisor. Raises `MissingEnvironmentError` if the engine refuses."""
        from docker.errors import DockerException

        api = self._client.api
        try:
            container = api.create_container(
                image,
                ["python3", "-I", "-c", BOOT],
                stdin_open=True,
                labels=self.labels(),
                host_config=api.create_host_config(**_host_config(memory_mb)),
                working_dir="/",
                user="0",
                environment={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
            )
            identity = str(container["Id"])
            attached, stream = _attach(api, identity)
            api.start(identity)
        except (DockerException, OSError) as error:
            raise MissingEnvironmentError(
                f"The sandbox container could not be started: {_shorten_error(error)}"
            ) from error
        link = ContainerLink(self._client, identity, attached, stream)
        try:
            link.start(
                {
                    "isolation": "container",
                    "uid_base": 100_000 + UIDS * random.SystemRandom().randrange(400_000),
                    "uid_count": UIDS,
                    "preload": list(preload),
                }
            )
        except LinkClosedError as error:
            link.close()
            raise MissingEnvironmentError("The sandbox container ended as soon as it was started.") from error
        return link

    def labels(self) -> dict[str, str]:
        """Return the labels that identify containers of this program."""
        pid = os.getpid()
        return {OWNER: self._owner, PROCESS: str(pid), STARTED: process_started(pid), HOST: platform.node()}

    def sweep(self) -> int:
        """Remove the containers of this owner and of owners that have ended; return their number."""
        from docker.errors import DockerException

        removed = 0
        for item in self._client.api.containers(all=True, filters={"label": OWNER}):
            labels = item.get("Labels") or {}
            has_running_owner = labels.get(HOST) != platform.node() or (
                labels.get(STARTED, "?") == process_started(int(labels.get(PROCESS) or 0))
            )
            if labels.get(OWNER) == self._owner or not has_running_owner:
                try:
                    self._client.api.remove_container(item["Id"], force=True, v=True)
                    removed += 1
                except DockerException:
                    continue
        return removed


def _attach(api: APIClient, identity: str) -> tuple[Response, socket.socket]:
    """Attach to a container; return the response whose connection carries its streams, and that connection's socket.

    The client's own ``attach_socket`` keeps the response only in a reference cycle; if that is collected in the wrong
    order, an error is written to the terminal. Raises `OSError` if the engine closed the connection.
    """
    answer = api.post(
        f"{api.base_url}/v{api.api_version}/containers/{identity}/attach",
        params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1},
        headers={"Connection": "Upgrade", "Upgrade": "tcp"},
        timeout=api.timeout,
        stream=True,
    )
    answer.raise_for_status()
    connection = answer.raw.connection
    if connection is None or connection.sock is None:
        raise OSError("The engine closed the connection to the container.")
    return answer, connection.sock


class ContainerLink(SocketLink):
    """A link that removes its container when it is closed."""

    def __init__(self, client: DockerClient, identity: str, attached: Response, stream: socket.socket) -> None:
        """Take over the container's attached socket and the response that it belongs to."""
        super().__init__(identity[:12], stream)
        self._client, self._attached = client, attached
        self.identity = identity

    def close(self) -> None:
        """Close the socket and remove the container."""
        from docker.errors import DockerException

        super().close()
        self._attached.close()
        try:
            self._client.api.remove_container(self.identity, force=True, v=True)
        except (DockerException, OSError):
            return


def _host_config(memory_mb: int) -> dict[str, Any]:
    """Return the container's limits; no user setting may loosen them."""
    return {
        "network_mode": "none",
        "read_only": True,
        "auto_remove": False,
        "log_config": {"type": "none"},
        "tmpfs": {"/tmp": f"size={_TMP_MB}m,nr_inodes={_TMP_INODES},mode=1777,nosuid,nodev,exec"},
        "cap_drop": ["ALL"],
        "cap_add": _CAPABILITIES,
        "security_opt": ["no-new-privileges"],
        "pids_limit": _MAX_PIDS,
        "mem_limit": f"{memory_mb}m",
        "memswap_limit": f"{memory_mb}m",
        "shm_size": "16m",
        "sysctls": _IPC_LIMITS,
        "ipc_mode": "private",
    }


__all__ = ["Containers", "Link", "connect_to_docker", "process_started"]
