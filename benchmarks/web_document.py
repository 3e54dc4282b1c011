"""Run the commands of docs/web.md over PostgreSQL's documentation, and write what they print into the document.

    python benchmarks/web_document.py [--html FOLDER] [--write] [--check]

Every line of the document's console blocks that begins with `$` is run, in one folder and in order, against a server
on loopback. --write puts what is printed under each; --check compares, without what depends on the machine: rates,
times, and sizes. FOLDER is that of tools/install-postgresql-doc.sh by default.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/web.md"
INSIDE = "usr/share/doc/postgresql-doc-15/html"
PLACES = (Path("/") / INSIDE, ROOT / "build/postgresql-doc" / INSIDE)
ROBOTS = b"User-agent: *\nDisallow: /release-\n"
PORT = 8000
WIDTH = 100
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OF_THE_MACHINE = re.compile(r"[\d,.]+ a second|[\d.]+ [kM]?B\b|in [\d.]+ s\b|\d+ files")


class Site(SimpleHTTPRequestHandler):
    """A folder of files, and a robots.txt that forbids some of them."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path != "/robots.txt":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(ROBOTS)))
        self.end_headers()
        self.wfile.write(ROBOTS)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """The port of a server: that of the document, or the next free one with as many digits."""
    for port in range(PORT, PORT + 100):
        try:
            server = ThreadingHTTPServer(("127.0.0.1", port), partial(Site, directory=str(folder)))
        except OSError:
            continue
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield port
        finally:
            server.shutdown()
            server.server_close()
        return
    sys.exit(f"no port from {PORT} to {PORT + 99} is free")


def commands(text: str) -> list[str]:
    """The commands of the document, in their order."""
    return [line[2:] for block in _BLOCK.findall(text) for line in block.splitlines() if line.startswith("$ ")]


def printed(command: str, folder: Path, port: int) -> str:
    """What a command of the document prints, its notes last."""
    words = shlex.split(command.replace(f":{PORT}", f":{port}"))
    if words[0] != "leadline":
        sys.exit(f"{PAGE.name} has a command that is not leadline: {command}")
    settings = os.environ | {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "LEADLINE_COLOR": "never"}
    done = subprocess.run(
        [sys.executable, "-m", "leadline.cli", *words[1:]], cwd=folder, env=settings, capture_output=True, check=False
    )
    said = (done.stdout + done.stderr).decode().replace(f":{port}", f":{PORT}")
    if done.returncode:
        sys.exit(f"{command}\n{said}")
    return said.strip("\n")


def run_again(text: str, html: Path) -> str:
    """The document with what its commands print today."""
    with tempfile.TemporaryDirectory() as folder, served(html) as port:

        def block(match: re.Match[str]) -> str:
            said = [f"$ {each}\n{printed(each, Path(folder), port)}\n" for each in commands(match[0])]
            return "```console\n" + "\n".join(said) + "```"

        return _BLOCK.sub(block, text)


def of_any_machine(text: str) -> str:
    """What the commands print, without what depends on the machine."""
    return _OF_THE_MACHINE.sub("…", "\n".join(_BLOCK.findall(text)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--html", type=Path, default=next((each for each in PLACES if each.is_dir()), None))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true", help="compare with what is in the document")
    options = parser.parse_args()
    if options.html is None:
        sys.exit("skipped: there is no postgresql-doc-15; run tools/install-postgresql-doc.sh")
    before = PAGE.read_text(encoding="utf-8")
    text = run_again(before, options.html)
    if options.check:
        sys.exit(
            0 if of_any_machine(text) == of_any_machine(before) else f"{PAGE.name} is out of date: run with --write"
        )
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print("\n".join(_BLOCK.findall(text)))


if __name__ == "__main__":
    main()
