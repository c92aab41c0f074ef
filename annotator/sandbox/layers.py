"""Images that add files to a group's image, such as a repository or libraries, and supervisors started from them.

The files are read-only in the container, like all of its root; an image is named by its content and built once.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from annotator.base.errors import MissingEnvironmentError
from annotator.sandbox.images import REPOSITORY
from annotator.sandbox.libraries import LIBRARIES, LibrarySet, libraries_image
from annotator.sandbox.links import Link
from annotator.sandbox.sandbox_places import DockerPlace

LAYER_ROOT = "/annotator"
_MAX_LAYERS = 12
"""Number of layers kept on the engine; making one more removes the oldest."""
_COMPILE_COMMAND = "python3 -I -m compileall -q --invalidation-mode unchecked-hash"
"""Compiles libraries to bytecode once, so that not every process has to. Nothing is run, and a file that is not valid
Python does not stop the others. Files of ``texts`` are never compiled, because tests change them."""

_NODE_LINES = (f"ENV NODE_PATH={LIBRARIES}:/usr/share/nodejs", f"RUN ln -sfn {LIBRARIES} /node_modules")
"""Where Node finds modules for ``require`` and for ``import``."""


class LayerPlace:
    """Starts supervisors from one image, whatever the group."""

    def __init__(self, place: DockerPlace, image: str) -> None:
        """Start from an image that `ensure_layer` made."""
        self._place = place
        self.image = image
        self.tools = place.tools

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        """Start a container. Raises `MissingEnvironmentError`."""
        del group
        return self._place.start_image(self.image, memory_mb, preload)


def ensure_layer(
    place: DockerPlace, group: str, folders: Mapping[str, Path], texts: Mapping[str, Mapping[str, bytes]]
) -> LayerPlace:
    """Return a starter whose containers have ``folders`` (copied) and ``texts`` below ``/annotator/NAME``.

    Links inside the folders are left out. Raises `MissingEnvironmentError` if the group's image is missing or the
    engine refuses.
    """
    from docker.errors import DockerException

    base = _base_image(place, group)
    archive, digest = _build_context(base, folders, texts)
    image = f"{REPOSITORY}:layer-{digest[:16]}"
    try:
        if not place.images.exists(image):
            _build_image(place, archive, image)
            _remove_oldest(place)
    except (DockerException, OSError) as error:
        raise MissingEnvironmentError(f"The layer with the repository could not be built: {error}") from error
    return LayerPlace(place, image)


def ensure_libraries(place: DockerPlace, libraries: LibrarySet, folder: Path) -> bool:
    """Build the image of a set of libraries from their folder, unless it exists; return whether it was built.

    Raises `MissingEnvironmentError` if the image for their language is missing or the engine refuses.
    """
    from docker.errors import DockerException

    base = _base_image(place, libraries.group)
    image = libraries_image(base, libraries.digest)
    try:
        if place.images.exists(image):
            return False
        extra_lines = _NODE_LINES if libraries.group == "javascript" else ()
        archive, _ = _build_context(base, {PurePosixPath(LIBRARIES).name: folder}, {}, extra_lines)
        _build_image(place, archive, image)
    except (DockerException, OSError) as error:
        raise MissingEnvironmentError(f"The libraries could not be put into an image: {error}") from error
    return True


def _base_image(place: DockerPlace, group: str) -> str:
    if not place.has(group):
        raise MissingEnvironmentError(
            f"The sandbox image for {group} is not built yet. Run: annotator sandbox build --languages {group}"
        )
    return place.images.tag(group)


def _build_image(place: DockerPlace, archive: io.BytesIO, image: str) -> None:
    for event in place.client.api.build(
        fileobj=archive, custom_context=True, tag=image, network_mode="none", rm=True, forcerm=True, decode=True
    ):
        if "error" in event:
            raise MissingEnvironmentError(f"The image could not be built: {str(event['error'])[:300]}") from None


def _build_context(
    base: str, folders: Mapping[str, Path], texts: Mapping[str, Mapping[str, bytes]], extra_lines: Sequence[str] = ()
) -> tuple[io.BytesIO, str]:
    """Return the build context and the digest of what is in it, with fixed times, owners and modes."""
    digest = hashlib.sha256(base.encode())
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:

        def add(name: str, data: bytes) -> None:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(data))
            digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())

        names = sorted({*folders, *texts})
        lines = [f"FROM {base}", *(f"COPY {name} {LAYER_ROOT}/{name}" for name in names)]
        lines += extra_lines or [f"RUN {_COMPILE_COMMAND} {LAYER_ROOT}/{name} || true" for name in sorted(folders)]
        add("Dockerfile", "\n".join(lines).encode())
        for name in names:
            folder_entry = tarfile.TarInfo(name)
            folder_entry.type, folder_entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder_entry)
            for inner, data in sorted(texts.get(name, {}).items()):
                add(f"{name}/{inner}", data)
            if name in folders:
                for path in sorted(folders[name].rglob("*")):
                    if path.is_file() and not path.is_symlink():
                        add(f"{name}/{path.relative_to(folders[name]).as_posix()}", path.read_bytes())
    buffer.seek(0)
    return buffer, digest.hexdigest()


def _remove_oldest(place: DockerPlace) -> None:
    from docker.errors import DockerException

    layers = [
        (image.attrs.get("Created", ""), tag)
        for image in place.client.images.list(name=REPOSITORY)
        for tag in image.tags
        if tag.startswith(f"{REPOSITORY}:layer-")
    ]
    for _, tag in sorted(layers, reverse=True)[_MAX_LAYERS:]:
        try:
            place.client.images.remove(tag)
        except DockerException:
            continue
