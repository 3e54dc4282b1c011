"""The commands of docs/web.md run, and print what the document says."""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

for _package in ("aiohttp", "protego", "selectolax", "warcio"):
    pytest.importorskip(_package, reason=f"the crawler needs the package {_package}")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "web_document.py"
WORDS = ("isolation", "level", "serializable", "transaction", "vacuuming", "table", "index", "storage", "query")


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("web_document", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_commands_run_on_a_small_site(
    script: ModuleType,
    tmp_path: Path,
    in_process: Callable[..., subprocess.CompletedProcess[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def printed(command: str, folder: Path, port: int) -> str:
        words = shlex.split(command.replace(f":{script.PORT}", f":{port}"))
        done = in_process(folder, *words[1:])
        assert (words[0], done.returncode) == ("leadline", 0), done.stderr
        return (done.stdout + done.stderr).decode().strip("\n")

    monkeypatch.setattr(script, "printed", printed)
    names = [f"page-{number}.html" for number in range(20)]
    for number, name in enumerate(["index.html", "release-1.html", *names]):
        text = " ".join(f"{WORDS[(number * step + 3) % len(WORDS)]} number {step * number}" for step in range(1, 40))
        anchors = "".join(f'<a href="{each}">on {WORDS[place % len(WORDS)]}</a> ' for place, each in enumerate(names))
        page = (
            f"<title>{WORDS[number % len(WORDS)]} {number}</title><p>{text}.</p><a href=release-1.html>old</a>{anchors}"
        )
        (tmp_path / name).write_text(page)
    text = script.PAGE.read_text(encoding="utf-8")
    assert len(script.commands(text)) >= 10
    found = script.run_again(text, tmp_path)
    assert "21 pages asked for" in found
    assert "refused: 1 robots.txt" in found
    assert script.commands(found) == script.commands(text)


@pytest.mark.soak
def test_the_document_has_what_the_commands_print(script: ModuleType, soak: bool) -> None:
    if not soak:
        pytest.skip("crawls the whole documentation: `make soak` runs it")
    if not any(place.is_dir() for place in script.PLACES):
        pytest.skip("needs postgresql-doc-15: make services")
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
