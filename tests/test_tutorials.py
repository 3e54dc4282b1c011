"""The commands of tutorials, how-to pages and guides work as printed, in order; what they show is what is printed."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from glob import glob
from pathlib import Path

import pytest

from leadline.cli import main

DOCS = Path(__file__).parents[1] / "docs"
REVIEW = DOCS / "tutorials/systematic-review.md"  # begins with files that a reviewer has
TUTORIALS = sorted(set((DOCS / "tutorials").glob("*.md")) - {REVIEW})
OTHERS = sorted([
    REVIEW, *(DOCS / "how-to").glob("*.md"), *(DOCS / "compare").glob("*.md"),
    *(DOCS / f"{name}.md" for name in (
        "campaign", "cases", "duplicates", "engines", "growth", "judging", "lab", "links", "living-collections",
        "prior-art", "query-language", "simulated-office", "strategies", "tuning",
    )),
])  # fmt: skip
RUN_ELSEWHERE = {  # pages whose commands need files of their own, and the tests that run them
    "formats": "collections/documents/test_formats.py", "machines": "judge/review/test_machines.py",
    "pools": "judge/pools/test_pools_document.py",
    "reviewing": "judge/review/test_review_document.py", "technical-survey": "test_technical_survey.py",
    "tour": "test_readme.py",
    "web": "commands/test_web_document.py",
}  # fmt: skip
SMALLER = {  # what is printed in a page, and what is run instead
    "prior-art": {"EP 1 437 003 A1": "{first}"},
    "campaign": {
        '"PRES@100 R@100" \\\n   ': '"PRES@100 R@100"',
        "--topics surveys.xml": "--topics topics.tsv",
        "submit LINK dutir1.run": "submit chem2027 dutir1.run --team dutir",
        "release chem2027 ts": "release chem2027 ts --incomplete",
        "simulate rehearsal": "status chem2027",  # tests/show/campaign rehearses
    },
    "duplicates": {"--class C07": "--class C09"},
    "links": {
        "US7412705": "{first}",
        "findability crawl --index crawl.index": "findability patents --index patents.index --front {first}",
        "stats crawl --against older-crawl": "stats edges.tsv --against edges.tsv",
    },
    "living-collections": {"EP1000003B1,EP1000004B1": "{first},{second}"},
    "simulated-office": {
        "-o office  ": "-o first --patents 200 ",
        "-o office --patents 100000": "-o second --patents 200",
        "-o office --articles 2000": "-o third --patents 200 --articles 20",
    },
}
SERVERS = (
    "leadline judge serve",
    "leadline review serve",
    "leadline serve",
)  # these go on until they are stopped; tests/show/serve starts them


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run_blocks(listed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for part in (part for block in listed for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]):
        line, _, shown = part.partition("\n")
        words = [each for word in shlex.split(line, comments=True) for each in sorted(glob(word)) or [word]]
        if words[:2] == ["mkdir", "-p"]:
            Path(words[2]).mkdir(exist_ok=True)
        elif line.startswith("leadline judge serve"):  # judged in the meantime
            shutil.copy("laptop/pool.txt.journal", "pool.txt.journal")
        elif not line.startswith((*SERVERS, "leadline demo")):  # tests/show/demo runs the demo
            assert words[0] == "leadline"
            capsys.readouterr()
            main(words[1:])  # ends the process if a command fails
            out, err = capsys.readouterr()
            assert not shown or shown.split() == (out + err).split(), line


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the first block of each tutorial makes."""
    (first,) = {blocks(page)[0] for page in TUTORIALS}
    folder = tmp_path_factory.mktemp("office")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("runs").mkdir()
        for line in first.splitlines()[1:]:
            main(shlex.split(line)[2:])
    return folder


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial(
    page: Path, office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    one_figure: None,
) -> None:  # fmt: skip
    shutil.copytree(office, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    monkeypatch.delenv("COLUMNS", raising=False)
    run_blocks(blocks(page)[1:], capsys)


@pytest.mark.parametrize("page", [page for page in OTHERS if blocks(page)], ids=lambda page: page.stem)
def test_a_how_to_page(
    page: Path, example_files: Path, begin_case: Callable[..., None], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(example_files, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    listed = blocks(page)
    if page.stem == "tuning":
        shutil.copy("topics.tsv", "others.tsv")
    if page.stem in SMALLER:  # patents that the small collection has, and fewer of them
        first, second = (
            line.split("\t")[0] for line in Path("topics.tsv").read_text(encoding="utf-8").splitlines()[1:3]
        )
        for printed, tried in SMALLER[page.stem].items():
            assert any(printed in block for block in listed)
            listed = [block.replace(printed, tried.format(first=first, second=second)) for block in listed]
    if page.stem == "campaign":
        shutil.rmtree("chem2027")
    if page.stem == "cases":
        begin_case(has_case=True)
    if page.stem == "duplicates":
        Path("ipc.csv").write_text("C02C,Water\n")
    if page.stem == "living-collections":
        Path("new.jsonl").write_text('{"id": "EP9000001A1", "title": "A valve"}\n')
    if page.stem == "judging":  # begins without a pool
        for path in Path().glob("pool.txt*"):
            path.unlink()
        Path("how.txt").write_text("Judge.")
    run_blocks(listed, capsys)


def test_every_command_of_a_page_is_run() -> None:
    pages = {page.stem for page in DOCS.rglob("*.md") if blocks(page)}
    assert pages == {page.stem for page in [*TUTORIALS, *OTHERS] if blocks(page)} | set(RUN_ELSEWHERE)
    for page, test in RUN_ELSEWHERE.items():
        assert f"{page}.md" in (DOCS.parent / "tests" / test).read_text(encoding="utf-8")
    texts = {page.name: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    assert [name for name, text in texts.items() if re.search(r"^ {4}\$? ?leadline ", text, re.MULTILINE)] == []
