"""Fetch a package's source from the index: the exact version, checked against its digest, and never built."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message as Headers
from email.parser import HeaderParser
from pathlib import Path
from string import ascii_letters
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from annotator.base.errors import BadInputError
from annotator.base.ids import is_hex
from annotator.jobs.progress import Progress

INDEX = "https://pypi.org/simple"
_INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_JSON = "application/vnd.pypi.simple.v1+json"
TIMEOUT_S = 60.0
MAX_PAGE_BYTES = 64 * 1024 * 1024
MAX_FILE_BYTES = 256 * 1024 * 1024
_BLOCK = 1 << 16
_MAX_NAME_CHARS = 200
_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_VERSION_WORDS = ("", "release", "releases", "rel", "version")
"""Words before the number in a tag, besides the package's name."""
_SEPARATORS = "-_/@"
_URL_LABELS = ("source", "repository", "code", "sourcecode", "github", "gitlab", "homepage")


@dataclass(frozen=True, slots=True)
class PackageFile:
    """A file of one version: its name, address, SHA-256 digest, and publication day ("" if unknown)."""

    name: str
    address: str
    sha256: str
    published: str

    @property
    def is_sdist(self) -> bool:
        """Whether it is a source distribution."""
        return not self.name.endswith(".whl")


class _SecureRedirects(HTTPRedirectHandler):
    """Follows redirects to https only."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Refuse to leave https."""
        if urlsplit(newurl).scheme != "https":
            raise URLError(f"it leads to {urlsplit(newurl).scheme}, not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class PackageIndex:
    """A package index, read over https."""

    def __init__(self, address: str = "") -> None:
        """Use an index, by default that configured for uv or pip. Raises `BadInputError` if it is not https."""
        configured = next((os.environ[name] for name in _INDEX_VARIABLES if os.environ.get(name)), INDEX)
        self.address = (address or configured).rstrip("/")
        if urlsplit(self.address).scheme != "https":
            raise BadInputError("The package index is not an https address. Set UV_DEFAULT_INDEX to one that is.")
        self._opener: OpenerDirector = build_opener(_SecureRedirects())

    def files(self, name: str, version: str) -> list[PackageFile]:
        """Return the files of a version: the sdist first, then platform-independent wheels, then others.

        Raises `BadInputError` if the index does not have the version or cannot be reached.
        """
        address = f"{self.address}/{name}/"
        try:
            page = json.loads(self._read(address, MAX_PAGE_BYTES, accept=_JSON))
            files = [_package_file(item, address) for item in page["files"]]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadInputError(f"The package index sent an unreadable page for {name}.") from error
        matching = [item for item in files if item is not None and _is_version(item.name, version)]
        if not matching:
            raise BadInputError(f"The package index has no files of {name} {version}. Name one of its versions.")
        return sorted(matching, key=lambda item: (not item.is_sdist, "-none-any" not in item.name, item.name))

    def download(self, file: PackageFile, folder: Path, progress: Progress) -> Path:
        """Fetch a file into a folder. Raises `BadInputError` if it is unavailable, too large or its digest differs."""
        path = folder / file.name
        digest, total = hashlib.sha256(), 0
        with self._open(file.address) as stream, path.open("wb") as out:
            while block := self._block(stream, file.name):
                progress.report(0, 0, f"fetching {file.name}")
                total += len(block)
                if total > MAX_FILE_BYTES:
                    raise BadInputError(
                        f"{file.name} is larger than {MAX_FILE_BYTES // 1024**2} MB, so nothing was mined."
                    )
                digest.update(block)
                out.write(block)
        if digest.hexdigest() != file.sha256:
            raise BadInputError(f"{file.name} differs from its digest in the package index. Try again.")
        return path

    def _read(self, address: str, limit: int, accept: str = "*/*") -> bytes:
        with self._open(address, accept) as stream:
            data = b""
            while block := self._block(stream, address):
                data += block
                if len(data) > limit:
                    raise BadInputError(f"The page at {address} is longer than {limit // 1024**2} MB.")
        return data

    def _block(self, stream: IO[bytes], name: str) -> bytes:
        try:
            return stream.read(_BLOCK)
        except OSError as error:
            raise BadInputError(f"{name} could not be fetched completely ({error}). Try again.") from error

    def _open(self, address: str, accept: str = "*/*") -> IO[bytes]:
        if urlsplit(address).scheme != "https":
            raise BadInputError(f"{address} is not an https address, so it was not fetched.")
        try:
            request = Request(address, headers={"Accept": accept, "User-Agent": "annotator"})  # noqa: S310 - https, see above
            opened: IO[bytes] = self._opener.open(request, timeout=TIMEOUT_S)
        except HTTPError as error:
            problem = "does not exist there" if error.code == 404 else f"it refused ({error.code} {error.reason})"
            raise BadInputError(
                f"The package index was asked for {address}, which {problem}. Check the name."
            ) from error
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise BadInputError(
                f"The package index could not be asked ({reason}). Check the connection, or name a downloaded archive."
            ) from error
        return opened


def _package_file(item: Mapping[str, Any], page: str) -> PackageFile | None:
    digest = item.get("hashes", {}).get("sha256", "")
    name = str(item["filename"])
    if not is_hex(str(digest), (64,)) or len(name) > _MAX_NAME_CHARS or not name.isprintable():
        return None
    if not set(name).isdisjoint("/\\:"):
        return None
    return PackageFile(name, urljoin(page, str(item["url"])), str(digest), str(item.get("upload-time") or "")[:10])


def _is_version(name: str, version: str) -> bool:
    try:
        file_version = parse_wheel_filename(name)[1] if name.endswith(".whl") else parse_sdist_filename(name)[1]
    except (InvalidWheelFilename, InvalidSdistFilename):
        return False
    return file_version == Version(version)


def repository_address(metadata: str) -> str:
    """Return the repository address in a package's metadata, empty if there is none on a known host."""
    headers: Headers = HeaderParser().parsestr(metadata)
    addresses: dict[str, str] = {}
    for line in headers.get_all("Project-URL", []):
        label, _, address = str(line).partition(",")
        addresses.setdefault("".join(filter(str.isalpha, label.lower())), address.strip())
    addresses.setdefault("homepage", str(headers.get("Home-page", "")))
    ranked = [addresses[label] for label in _URL_LABELS if label in addresses] + list(addresses.values())
    return next(filter(None, map(_hosted_repository, ranked)), "")


def _hosted_repository(address: str) -> str:
    """Return the repository's https address if it is on a host of repositories, else ""."""
    try:
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2].removeprefix("www.")
    except ValueError:
        return ""
    folders = [part for part in parts.path.split("/") if part][:2]
    if (
        parts.scheme not in ("http", "https")
        or len(folders) < 2
        or not (host.partition(":")[0] in _HOSTS or host.startswith("git."))
    ):
        return ""
    return f"https://{host}/{'/'.join(folders)}".removesuffix(".git")


def tag_of(version: str, name: str, tags: Mapping[str, str]) -> str:
    """Return the tag of a version, "" if no usual spelling exists."""
    requested = Version(version)
    for tag in sorted(tags, key=lambda tag: (len(tag), tag)):
        rest = tag.removeprefix(f"python-{name}").removeprefix(name)
        number = rest.lstrip(f"{ascii_letters}{_SEPARATORS}")
        word = rest.removesuffix(number).strip(_SEPARATORS).rstrip("vV").rstrip(_SEPARATORS)
        try:
            if word in _VERSION_WORDS and Version(number.replace("_", ".")) == requested:
                return tag
        except InvalidVersion:
            continue
    return ""
