"""The sandbox's images: one per language group, built from our Dockerfiles on a Debian base."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.jobs.lanes import map_in_order
from annotator.jobs.progress import Progress
from annotator.sandbox.languages import LANGUAGES, NEWER_PYTHON, PYTHON
from annotator.sandbox.libraries import REPOSITORY

if TYPE_CHECKING:
    from docker import DockerClient

BASE, OLDER_BASE = "base", "base12"
_RELEASES = {BASE: ("trixie", "debian:13-slim"), OLDER_BASE: ("bookworm", "debian:12-slim")}
"""The Debian release of each base, and its image in registries."""
_OLDER_BASE_GROUPS = (PYTHON,)
"""Groups on the older base: repositories and published items need Python 3.11."""
_PARALLEL_BUILDS = 3
"""Builds at a time: one downloads while others unpack and compile."""
MIRROR = "http://deb.debian.org/debian"
_EXCLUDED_FOLDERS = ("proc", "sys", "dev", "run", "tmp", "var/cache/apt/archives", "var/lib/apt/lists")
GROUPS: tuple[str, ...] = tuple(dict.fromkeys((BASE, OLDER_BASE, *(item.group for item in LANGUAGES), NEWER_PYTHON)))


class Images:
    """Names, finds and builds images on one engine."""

    def __init__(self, client: DockerClient, mirror: str = MIRROR) -> None:
        """Use an engine; ``mirror`` is where Debian's packages come from when no registry serves a base image."""
        self._client = client
        self._mirror = mirror

    def tag(self, group: str) -> str:
        """Return a group's image name: it changes with everything the image is made from."""
        base = _base_of(group)
        parts = [_dockerfile(base)] if group == base else [_dockerfile(base), _dockerfile(group), *_copied_files(group)]
        digest = hashlib.sha256(_RELEASES[base][0].encode())
        for part in parts:
            digest.update(part.name.encode() + b"\0" + part.read_bytes() + b"\0")
        return f"{REPOSITORY}:{group}-{digest.hexdigest()[:12]}"

    def present(self, group: str) -> bool:
        """Return whether the group's image exists."""
        return self.exists(self.tag(group))

    def build(self, groups: Collection[str], progress: Progress) -> tuple[str, ...]:
        """Build the images that do not exist yet, their bases first; return the groups that were built.

        Raises `MissingEnvironmentError` with the last lines of the build that failed.
        """
        requested = {*groups, *map(_base_of, groups)}
        if PYTHON in groups:
            requested |= {NEWER_PYTHON, _base_of(NEWER_PYTHON)}
        missing = [group for group in GROUPS if group in requested and not self.present(group)]
        bases = [group for group in missing if group == _base_of(group)]
        others = [group for group in missing if group not in bases]
        progress.report(0, len(missing), "looking")
        for groups_to_build in (bases, others):
            for group in map_in_order(partial(self._build_group, progress), groups_to_build, workers=_PARALLEL_BUILDS):
                progress.report(missing.index(group) + 1, len(missing), f"{group}: built")
        return tuple(missing)

    def _build_group(self, progress: Progress, group: str) -> str:
        progress.tell(progress.done, None, f"{group}: building")
        base = _base_of(group)
        self._build(group, self._find_debian_image(base, progress) if group == base else self.tag(base), progress)
        self._remove_older(group)
        return group

    def _remove_older(self, group: str) -> None:
        """Remove images of the group built by other versions of this program; images in use stay."""
        from docker.errors import DockerException

        current = self.tag(group)
        for image in self._client.images.list(name=REPOSITORY):
            for tag in image.tags:
                if tag.rpartition("-")[0] == f"{REPOSITORY}:{group}" and tag != current:
                    with suppress(DockerException):
                        self._client.images.remove(tag)

    def exists(self, name: str) -> bool:
        """Return whether an image exists. Raises `MissingEnvironmentError` if the engine does not answer."""
        from docker.errors import DockerException, ImageNotFound

        try:
            self._client.images.get(name)
        except ImageNotFound:
            return False
        except (DockerException, OSError) as error:
            raise MissingEnvironmentError(f"The Docker engine does not answer: {error}") from error
        return True

    def _build(self, group: str, base: str, progress: Progress) -> None:
        from docker.errors import DockerException

        proxies = {name: value for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy")}
        lines: list[str] = []
        try:
            for event in self._client.api.build(
                fileobj=build_context(group),
                custom_context=True,
                tag=self.tag(group),
                buildargs={"BASE": base, **proxies},
                network_mode="host",
                rm=True,
                forcerm=True,
                decode=True,
            ):
                progress.check()
                lines = [*lines[-30:], str(event.get("stream") or event.get("error") or "").rstrip()]
                if "error" in event:
                    raise MissingEnvironmentError(
                        f"The sandbox image {group} could not be built: {str(event['error'])[:300]}",
                        details=tuple(line for line in lines if line)[-8:],
                    )
        except (DockerException, OSError) as error:
            raise MissingEnvironmentError(f"The sandbox image {group} could not be built: {error}") from error

    # -- the Debian image below the base --------------------------------------------------------------------------

    def _find_debian_image(self, base: str, progress: Progress) -> str:
        """Return an image of bare Debian: from a registry, or built here."""
        from docker.errors import DockerException

        release, image = _RELEASES[base]
        local_image = f"{REPOSITORY}:root-{release}"
        for name in (local_image, image):
            if self.exists(name):
                return name
        progress.report(0, 0, f"asking the registry for {image}")
        try:
            self._client.images.pull(image)
        except (DockerException, OSError):
            self._bootstrap(base, local_image, progress)
            return local_image
        return image

    def _bootstrap(self, base: str, tag: str, progress: Progress) -> None:
        release, image = _RELEASES[base]
        if shutil.which("debootstrap") is None or os.geteuid() != 0:
            raise MissingEnvironmentError(
                f"No registry gives {image}, and making a Debian base here needs debootstrap and root. "
                "Connect to a registry, or install debootstrap and run annotator sandbox build as root."
            )
        progress.report(0, 0, f"making a Debian base ({release}) with debootstrap, about a minute")
        with tempfile.TemporaryDirectory(prefix="annotator-root-") as folder:
            root = Path(folder) / "root"
            process = subprocess.run(
                ["debootstrap", "--variant=minbase", release, str(root), self._mirror],
                capture_output=True,
                text=True,
                check=False,
            )
            if process.returncode:
                raise MissingEnvironmentError(
                    f"debootstrap could not make a Debian base from {self._mirror}.",
                    details=tuple(process.stdout.strip().splitlines()[-5:]),
                )
            self._import(root, tag)

    def _import(self, root: Path, tag: str) -> None:
        command = ["tar", "--numeric-owner", "-C", str(root), "-cf", "-"]
        command += [f"--exclude=./{name}/*" for name in _EXCLUDED_FOLDERS]
        with subprocess.Popen([*command, "."], stdout=subprocess.PIPE) as tar:
            assert tar.stdout is not None
            self._client.api.import_image_from_stream(tar.stdout, repository=REPOSITORY, tag=tag.partition(":")[2])
        with suppress(OSError):
            tar.wait()


def _base_of(group: str) -> str:
    return OLDER_BASE if group in (OLDER_BASE, *_OLDER_BASE_GROUPS) else BASE


def _dockerfile(group: str) -> Path:
    return resource_path("sandbox", "images", f"{BASE if group == OLDER_BASE else group}.Dockerfile")


def _copied_files(group: str) -> list[Path]:
    """Return the files that a group's Dockerfile copies into its image."""
    lines = _dockerfile(group).read_text(encoding="utf-8").splitlines()
    return [
        resource_path("sandbox", "images", word)
        for line in lines
        if line.startswith("COPY")
        for word in line.split()[1:-1]
    ]


def build_context(group: str) -> io.BytesIO:
    """Return the build context: the group's Dockerfile and what it copies, with fixed times and owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in (_dockerfile(group), *_copied_files(group)):
            data = path.read_bytes()
            member = tarfile.TarInfo("Dockerfile" if path.suffix == ".Dockerfile" else path.name)
            member.size = len(data)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(data))
    buffer.seek(0)
    return buffer


__all__ = ["BASE", "GROUPS", "MIRROR", "REPOSITORY", "Images"]
