"""A plain installation runs README, the tour and every tutorial, and what is said of extras and versions is so."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

import leadline
from leadline.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "tools/docs"))
from printed import ALONE, README, TOUR, commands, follow, python_of

sys.path.insert(0, str(Path(__file__).parent))
from only_required import write_site

ROOT = Path(__file__).parents[1]
REVIEW = ROOT / "docs/tutorials/systematic-review.md"  # begins with files that a reviewer has
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_IN_ALL = {"all", "gpu", "serve", "docs", "peers", "test", "dev"}  # large, empty, or for who develops leadline
PAGES = (
    "serve lab --no-open",
    "judge serve pool.txt --documents office/collection",
    "review serve review --documents office/collection --query coating",
)
needs_shell = pytest.mark.skipif(os.name == "nt", reason="README is written for a shell")


class Newcomer:
    """Follows pages in a shell, with the programs of an installation."""

    def __init__(self, programs: Path, environment: dict[str, str]) -> None:
        self.programs = programs
        self.environment = {**environment, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        self.environment.pop("COLUMNS", None)

    def run(self, folder: Path, line: str) -> str:
        command = ["sh", "-c", line]
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert "--system york" not in line or "the package chemicals" in done.stderr, "a package is hidden in silence"
        return done.stdout + done.stderr

    def follow(self, page: Path, folder: Path) -> Path:
        """The folder in which the commands and the Python of a page were run."""
        text = page.read_text(encoding="utf-8")
        inside, printed = follow(text, folder, self.run)
        for (line, shown), said in zip(commands(text), printed, strict=True):
            assert not shown or shown.split() == said.split(), line
        if code := python_of(text):
            if "qrels.txt" in code and not (inside / "qrels.txt").exists():
                shutil.copy(inside / "office/qrels.citations.txt", inside / "qrels.txt")
            (inside / "page.py").write_text(code, encoding="utf-8")
            self.run(inside, "python page.py")
        return inside

    def open_pages(self, folder: Path) -> None:
        """Serve a lab, a pool and a review of the tour until each says where it is."""
        self.run(folder, "leadline lab init lab")
        for pages in PAGES:
            command = [self.programs / "leadline", *pages.split(), "--port", "0"]
            pipe = subprocess.PIPE
            with subprocess.Popen(command, cwd=folder, env=self.environment, stdout=pipe, stderr=pipe) as one:
                assert one.stdout is not None
                is_open = any(b"http://127.0.0.1:" in line for line in one.stdout)
                one.terminate()
                assert is_open, f"{pages}\n{one.communicate()[1].decode()}"


# Each line is a folder and a command; it is answered with the command's status and what it said.
ONE_PROCESS = """
import contextlib, io, json, os, shlex, sys
from leadline.cli import main

for asked in sys.stdin:
    folder, line = json.loads(asked)
    os.chdir(folder)
    said, status = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)], 0
    with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
        try:
            main(shlex.split(line, comments=True)[1:])
        except SystemExit as ended:
            status = ended.code or 0
    print(json.dumps([status, "".join(each.buffer.getvalue().decode() for each in said)]), flush=True)
"""


class QuickNewcomer(Newcomer):
    """Gives all commands to one process: to begin one takes longer than most commands of README."""

    def __enter__(self) -> QuickNewcomer:
        command = [sys.executable, "-c", ONE_PROCESS]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=self.environment, stdin=pipe, stdout=pipe, encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def run(self, folder: Path, line: str) -> str:
        if not line.startswith("leadline "):
            return super().run(folder, line)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(folder), line]), file=self.process.stdin, flush=True)
        status, said = json.loads(self.process.stdout.readline())
        assert status == 0, f"{line}\n{said}"
        return str(said)


@needs_shell
def test_nothing_but_what_is_required_is_needed(tmp_path: Path) -> None:
    """The short form of the next test, for README: modules that a plain installation has not are hidden."""
    site, programs = tmp_path / "site", tmp_path / "programs"
    site.mkdir()
    programs.mkdir()
    write_site(site)
    for name, words in (("leadline", "-m leadline.cli "), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}"$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    source = Path(leadline.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{source}"}
    with QuickNewcomer(programs, environment) as newcomer:
        newcomer.follow(README, tmp_path)


@pytest.fixture(scope="module")
def installed(soak: bool, tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """An environment in which the wheel is installed, as it is built from this source, and what it requires."""
    if not soak:
        pytest.skip("makes an environment of its own, in `make soak`; the test before is the short form")
    folder = tmp_path_factory.mktemp("installed")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    made = folder / "environment"
    venv.create(made, with_pip=True)
    pip = [made / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    for words in (["wheel", "--no-deps", "-w", folder, ROOT], ["install", "-c", ROOT / "constraints.txt"]):
        wheels = folder.glob("*.whl") if words[0] == "install" else ()
        done = subprocess.run(
            [*pip, *words, *wheels], env=environment, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return Newcomer(made / "bin", environment)


@needs_shell
@pytest.mark.soak
@pytest.mark.parametrize("page", ALONE, ids=lambda page: page.stem)
def test_a_page_works_after_a_plain_installation(page: Path, installed: Newcomer, tmp_path: Path) -> None:
    inside = installed.follow(page, tmp_path)
    if page == TOUR:
        manifest = json.loads((inside / "runs/york.run.manifest.json").read_text(encoding="utf-8"))
        assert manifest["packages"] == {"chemicals": None}
        installed.open_pages(inside)


@needs_shell
@pytest.mark.soak
def test_a_review_works_after_a_plain_installation(installed: Newcomer, example_files: Path, tmp_path: Path) -> None:
    shutil.copytree(example_files, tmp_path / "copy")
    installed.follow(REVIEW, tmp_path / "copy")


def test_every_tutorial_is_among_the_pages_that_are_run() -> None:
    assert {*ALONE, REVIEW} >= set((ROOT / "docs/tutorials").glob("*.md"))


def test_all_has_every_extra_that_a_user_may_want_and_the_page_names_each() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = re.fullmatch(r"leadline\[([a-z,]+)\]", everything)
    assert named is not None
    assert set(named[1].split(",")) == extras.keys() - NOT_IN_ALL
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `leadline\[(\w+)\]`", page, re.MULTILINE)
    assert set(listed) == (extras.keys() - NOT_IN_ALL) | {"all", "gpu"}


def test_every_extra_that_a_message_names_is_one() -> None:
    texts = [path.read_text(encoding="utf-8") for folder in ("src", "docs") for path in (ROOT / folder).rglob("*.??")]
    named = {
        name for text in texts for names in re.findall(r"leadline\[([a-z,]+)\]", text) for name in names.split(",")
    }
    assert {"chemistry", "pandas", "web"} <= named
    assert named <= PROJECT["optional-dependencies"].keys()


@pytest.mark.parametrize(("package", "function"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_data_frame_of_a_package_that_is_missing(
    package: str, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = leadline.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["AP"])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError) as raised:
        getattr(scores, function)()
    assert str(raised.value) == f'{function}: needs the package {package}: pip install "leadline[pandas]"'


def test_the_citation_has_the_version_and_the_licence() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {leadline.__version__}\n" in citation
    assert f"\nlicense: {PROJECT['license']}\n" in citation
    assert f"\n  - name: {PROJECT['authors'][0]['name']}\n" in citation


def test_every_target_of_make_that_is_named_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    pages = [
        README,
        ROOT / "CONTRIBUTING.md",
        ROOT / "docs/install.md",
        ROOT / ".ci/run",
        *(ROOT / ".github").rglob("*.*"),
    ]
    texts = [page.read_text(encoding="utf-8") for page in pages if page.is_file()]
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    named = {name for text in texts for name in re.findall(r"(?:`|^\$ |^| run: )make ([a-z-]+)", text, re.MULTILINE)}
    named |= {name for text in tests for name in re.findall(r"[:(`] ?make (services|soak|wheels)\b", text)}
    assert {"demo", "test", "services", "package"} <= named
    assert named <= targets
