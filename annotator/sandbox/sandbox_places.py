"""Where code can run: Docker containers, bubblewrap, or (only if the user allows it) this machine itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.sandbox.containers import PROCESS, TOOLS, Containers, connect_to_docker, process_started
from annotator.sandbox.images import GROUPS, Images
from annotator.sandbox.languages import LANGUAGES
from annotator.sandbox.libraries import libraries_image, not_built_message, refuse_libraries, split_group
from annotator.sandbox.links import BOOT, Link, LinkClosedError, ProcessLink

if TYPE_CHECKING:
    from docker import DockerClient

PlaceName = Literal["docker", "bubblewrap", "local"]
PLACES: tuple[PlaceName, ...] = ("docker", "bubblewrap", "local")
_BOUND_FOLDERS = ("/usr", "/opt")
_LINKED_FOLDERS = ("/bin", "/sbin", "/lib", "/lib64", "/lib32")
_SETTINGS_PATHS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/R", "/etc/mono", "/etc/ssl", "/etc/java-17-openjdk",
             "/etc/java-21-openjdk", "/etc/localtime", "/etc/passwd", "/etc/group")  # fmt: skip
_PREFIX = "annotator-sandbox-"
_BUBBLEWRAP_TOOLS = "/annotator"
_BUBBLEWRAP_TMP_BYTES = "256000000"


class DockerPlace:
    """Supervisors in containers."""

    name: PlaceName = "docker"
    tools = TOOLS
    weakness = ""

    def __init__(self, client: DockerClient | None = None) -> None:
        """Use an engine and remove leftover containers of dead programs. Raises `MissingEnvironmentError`."""
        self.client = client or connect_to_docker()
        self.images = Images(self.client)
        self.owner = uuid.uuid4().hex
        """The label of this program's containers."""
        self._containers = Containers(self.client, self.owner)
        self._known: set[str] = set()
        self._containers.sweep()

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        """Start a container of the group's image. Raises `MissingEnvironmentError` if that is not built."""
        group, digest = split_group(group)
        if digest:
            return self._containers.start(self._with_libraries(group, digest), memory_mb, preload)
        if group not in self._known:
            if not self.images.has_image(group):
                names = [item.name for item in LANGUAGES if item.group == group]
                raise MissingEnvironmentError(
                    f"The sandbox image for {', '.join(names)} is not built yet. Run: annotator sandbox build "
                    f"--languages {names[0]}"
                )
            self._known.add(group)
        return self._containers.start(self.images.tag(group), memory_mb, preload)

    def _with_libraries(self, group: str, digest: str) -> str:
        """Return the image of a set of libraries. Raises `MissingEnvironmentError` if it is not built."""
        image = libraries_image(self.images.tag(group), digest)
        if image not in self._known:
            if not self.images.exists(image):
                raise MissingEnvironmentError(not_built_message(digest))
            self._known.add(image)
        return image

    def start_image(self, image: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        """Start a container of an image made from one of ours. Raises `MissingEnvironmentError`."""
        return self._containers.start(image, memory_mb, preload)

    def has(self, group: str) -> bool:
        """Return whether the group's image is built."""
        return self.images.has_image(group)

    def processor_s(self) -> dict[str, float]:
        """Return the processor seconds used by each container of this program, as counted by the engine."""
        from docker.errors import NotFound

        seconds_used = {}
        for item in self.client.api.containers(filters={"label": f"{PROCESS}={os.getpid()}"}):
            # An idle container may have been removed by now, and one that is ending has no figures.
            with suppress(NotFound, ValueError):
                stats = self.client.api.stats(item["Id"], stream=False, one_shot=True)
                seconds_used[str(item["Id"])] = stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9
        return seconds_used

    def close(self) -> None:
        """Remove the remaining containers of this program."""
        self._containers.sweep()
        self.client.close()


class BubblewrapPlace:
    """Supervisors in bubblewrap: this machine's own tools, read only, without network."""

    name: PlaceName = "bubblewrap"
    weakness = "bubblewrap keeps code in, but all of it runs as one user and only each process's memory is limited"
    tools = _BUBBLEWRAP_TOOLS

    def __init__(self) -> None:
        """Prepare the tools. Raises `MissingEnvironmentError` if bubblewrap does not work here."""
        program = shutil.which("bwrap")
        if program is None:
            raise MissingEnvironmentError("bubblewrap is not installed (Debian: bubblewrap).")
        find_python()
        self._program = program
        self._tools = LocalTools()
        try:
            process = subprocess.run([*self._argv(), "true"], capture_output=True, text=True, check=False, timeout=20)
        except (OSError, subprocess.TimeoutExpired) as error:
            self.close()
            raise MissingEnvironmentError(f"bubblewrap does not work here ({error}).") from error
        if process.returncode:
            self.close()
            raise MissingEnvironmentError(f"bubblewrap does not work here ({process.stderr.strip()[:200]}).")

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        """Start a supervisor; the tools are this machine's, whatever the group."""
        refuse_libraries(group)
        self._tools.make(group)
        del memory_mb
        argv = [*self._argv(), find_python(), "-I", "-c", BOOT]
        return _start_link(ProcessLink("bubblewrap", argv), {"isolation": "bubblewrap", "preload": list(preload)})

    def _argv(self) -> list[str]:
        argv = [self._program, "--unshare-all", "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv",
                "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8"]  # fmt: skip
        prefix = Path(sys.base_prefix)
        bound_paths = [*_BOUND_FOLDERS, *([str(prefix)] if not prefix.is_relative_to("/usr") else [])]
        for path in bound_paths:
            argv += ["--ro-bind-try", path, path]
        for path in _LINKED_FOLDERS:
            link = Path(path)
            argv += ["--symlink", str(link.readlink()), path] if link.is_symlink() else ["--ro-bind-try", path, path]
        for path in _SETTINGS_PATHS:
            argv += ["--ro-bind-try", path, path]
        argv += ["--proc", "/proc", "--dev", "/dev", "--size", _BUBBLEWRAP_TMP_BYTES, "--tmpfs", "/tmp",
                 "--ro-bind", str(self._tools.folder), _BUBBLEWRAP_TOOLS, "--chdir", "/",
                 "--cap-drop", "ALL"]  # fmt: skip
        return argv

    def has(self, group: str) -> bool:
        """Return whether the group exists; whether this machine has its tools shows only when they run."""
        return group in GROUPS

    def close(self) -> None:
        """Remove the tools."""
        self._tools.remove()


class LocalPlace:
    """Supervisors that are plain processes of this user, without isolation; used only if the user allowed it."""

    name: PlaceName = "local"
    weakness = "code runs on this machine without isolation"

    def __init__(self) -> None:
        self._tools = LocalTools()
        self.tools = str(self._tools.folder)

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        """Start a supervisor in a temporary folder of its own; the tools are this machine's, whatever the group."""
        refuse_libraries(group)
        self._tools.make(group)
        del memory_mb
        folder = _make_temporary_folder("local")
        setup = {"isolation": "local", "root": str(folder), "preload": list(preload)}
        return _start_link(ProcessLink("local", [find_python(), "-I", "-c", BOOT], folder), setup)

    def has(self, group: str) -> bool:
        """Return whether the group exists; whether this machine has its tools shows only when they run."""
        return group in GROUPS

    def close(self) -> None:
        """Remove the tools."""
        self._tools.remove()


Place = DockerPlace | BubblewrapPlace | LocalPlace


def open_place(*, allow_local: bool = False, only: PlaceName | None = None) -> Place:
    """Return the best available place: Docker, else bubblewrap, else (only if allowed) this machine.

    Raises `MissingEnvironmentError` saying what was tried.
    """
    tried = []
    for name, make in (("docker", DockerPlace), ("bubblewrap", BubblewrapPlace)):
        if only in (None, name):
            try:
                place: Place = make()
            except MissingEnvironmentError as error:
                tried.append(error.message)
            else:
                return place
    if allow_local and only in (None, "local"):
        return LocalPlace()
    raise MissingEnvironmentError(
        "Code cannot be run here safely. Start Docker, or install bubblewrap; annotator doctor says more.",
        details=tuple(tried),
    )


class LocalTools:
    """A folder for compiled tools like those in the images; it is removed with the place that it belongs to."""

    def __init__(self) -> None:
        sweep_temporary()
        self.folder = _make_temporary_folder("tools")
        self.folder.chmod(0o755)

    def make(self, group: str) -> None:
        """Compile a group's tools before its first supervisor starts, as far as this machine has the compilers."""
        if group != "java" or (self.folder / "guard").exists():
            return
        sources = (
            str(resource_path("sandbox", "images", name)) for name in ("Guard.java", "Tests.java", "Compile.java")
        )
        for argv in (["javac", "-nowarn", "-d", "guard", *sources], ["jar", "-cf", "guard.jar", "-C", "guard", "."]):
            if shutil.which(argv[0]) is not None:
                subprocess.run(argv, cwd=self.folder, capture_output=True, check=False)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _make_temporary_folder(purpose: str) -> Path:
    pid = os.getpid()
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-{pid}-{process_started(pid)}-"))


def sweep_temporary() -> int:
    """Remove temporary folders of dead programs (mostly killed ones); return their number."""
    removed = 0
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*-*-*"):
        pid, started = path.name.removeprefix(_PREFIX).split("-")[1:3]
        if pid.isdigit() and process_started(int(pid)) != started:
            shutil.rmtree(path, ignore_errors=True)
            removed += 1
    return removed


def find_python() -> str:
    """Return a Python that is visible inside the sandbox: the one that runs this program, without its environment.

    A frozen bundle cannot run the supervisor itself; there it is a Python of the system, which a sandbox shows.
    Raises `MissingEnvironmentError` if there is none.
    """
    if getattr(sys, "frozen", False):
        python = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
        if python is None:
            raise MissingEnvironmentError(
                "Running code without Docker requires Python on this machine, and none was found. Install Python 3.11 "
                "or later, or Docker."
            )
        return python
    base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    return str(base) if base.exists() else sys.executable


def _start_link(link: ProcessLink, setup: dict[str, Any]) -> Link:
    try:
        link.start(setup)
    except LinkClosedError as error:
        link.close()
        raise MissingEnvironmentError(f"The supervisor in {link.name} ended as soon as it was started.") from error
    return link
