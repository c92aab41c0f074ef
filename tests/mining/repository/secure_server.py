"""An https server on this machine: git repositories by git's own program, and a package index of plain files."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Server:
    address: str
    certificate: Path
    folder: Path
    asked: list[str]

    def add_package_file(self, name: str, file: Path, **more: str) -> None:
        """Offer a file of a package: the page is written over with all that was added."""
        place = self.folder / "simple" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / file.name).write_bytes(file.read_bytes())
        page = place / "index.json"
        files = json.loads(page.read_text())["files"] if page.exists() else []
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        files.append({"filename": file.name, "url": file.name, "hashes": {"sha256": digest}, **more})
        page.write_text(json.dumps({"files": files}))


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(
            [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    certificate, secret = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, secret


class _Handler(BaseHTTPRequestHandler):
    server: _Https

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path.startswith("/away/"):
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:1{self.path.removeprefix('/away')}")
            self.end_headers()
        elif self.path.startswith("/simple/"):
            self._give(self.server.folder / self.path.lstrip("/"))
        else:
            self._git()

    def do_POST(self) -> None:
        """Answer like a question without a body; git's program tells them apart."""
        self.do_GET()

    def _give(self, path: Path) -> None:
        path = path / "index.json" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _git(self) -> None:
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        done = subprocess.run(
            ["git", "-c", "uploadpack.allowAnySHA1InWant=true", "http-backend"], input=body, capture_output=True,
            check=False,
            env={
                "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.server.folder), "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""), "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            },
        )  # fmt: skip
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = [line.partition(": ")[::2] for line in head.decode().splitlines()]
        status = next((value for name, value in lines if name == "Status"), "200")
        self.send_response(int(status.split()[0]))
        for name, value in lines:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


class _Https(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: Path, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.asked: list[str] = []
        self.socket = context.wrap_socket(self.socket, server_side=True)


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """Serve the repositories (``NAME.git``) and packages (``simple/NAME``) of a folder over https."""
    folder.mkdir(parents=True, exist_ok=True)
    certificate, secret = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, secret)
    server = _Https(folder, context)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Server(f"https://localhost:{server.server_port}", certificate, folder, server.asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
