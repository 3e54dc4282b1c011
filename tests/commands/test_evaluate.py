"""`leadline evaluate` as a user types it: what it prints, where, and with which status."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars
import pytest
import zstandard

QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d4 1\n3 0 d9 0\n"
RUN = b"1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n1 Q0 d8 3 1.0 tag\n"


def test_tsv_has_a_header_and_exact_values(leadline: Any) -> None:
    result = leadline("evaluate", "qrels.txt", "a.run", "-m", "PRES@100 P@3", "--by-topic", "--format", "tsv")
    assert result.returncode == 0
    lines = [line.split("\t") for line in result.stdout.decode().splitlines()]
    assert lines[0] == ["run", "topic", "measure", "value"]
    assert ["a", "1", "P@3", "0.33333333333333331"] in lines
    assert ["a", "3", "P@3", "nan"] in lines
    assert ["a", "all", "P@3", "0.16666666666666666"] in lines
    assert len(lines) == 1 + 2 * 4


def test_alignment_is_said_and_can_be_silenced(leadline: Any) -> None:
    said = leadline("evaluate", "qrels.txt", "a.run").stderr.decode()
    assert "1 of 3 topics; missing 2 (scored 0)" in said
    assert "1 topic with nothing relevant, left out of means: 3" in said
    assert leadline("evaluate", "qrels.txt", "a.run", "--quiet").stderr == b""


def test_every_format(leadline: Any, tmp_path: Path) -> None:
    for name in ("table", "tsv", "csv", "json", "latex", "markdown", "parquet"):
        result = leadline("evaluate", "qrels.txt", "a.run", "-m", "AP", "--format", name, "-o", f"out.{name}")
        assert (result.returncode, result.stdout) == (0, b""), name
    assert json.loads((tmp_path / "out.json").read_text())[0]["run"] == "a"
    assert polars.read_parquet(tmp_path / "out.parquet")["measure"].to_list() == ["AP"]
    assert r"\toprule" in (tmp_path / "out.latex").read_text()
    assert not list(tmp_path.glob(".*part"))


def test_compressed_files_and_standard_input(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(RUN))
    (tmp_path / "c.run.xz").write_bytes(lzma.compress(RUN))
    (tmp_path / "d.run.zst").write_bytes(zstandard.compress(RUN))
    result = leadline(
        "evaluate", "qrels.txt", "-", "b.run.gz", "c.run.xz", "d.run.zst", "-m", "AP", "--format", "tsv", stdin=RUN
    )
    lines = [line.split("\t") for line in result.stdout.decode().splitlines()[1:]]
    assert {line[0] for line in lines} == {"stdin", "b", "c", "d"}
    assert len({line[3] for line in lines}) == 1


def test_standard_input_can_be_read_in_two_orders(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "claims").write_bytes(b"1 1 d1 1 0.5\n1 1 d3 1 0.5\n1 2 d2 1 0.5\n")
    run = b"1 Q0 d1 2 3.0 t 150\n1 Q0 d2 1 2.0 t 150\n"
    result = leadline(
        "evaluate", "claims", "-", "-m", "AP CT(variant=cikm,theta=given)@2", "--format", "tsv", stdin=run
    )
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) == 3


def test_patterns_and_folders(leadline: Any, tmp_path: Path) -> None:
    for team in ("x", "y"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "bm25.run").write_bytes(RUN)
    result = leadline("evaluate", "qrels.txt", "x", "y/*.run", "-m", "AP", "--format", "csv")
    assert [line.split(",")[0] for line in result.stdout.decode().splitlines()[1:]] == ["x/bm25", "y/bm25"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 Q0 d1 1 3.0 t\n1 Q0 d2 2 2.0\n", "x.run:2: 5 fields, expected 6 (topic Q0 document rank score tag)"),
        (b"\n# c\n1 Q0 d1 1 three t\n", "x.run:3: score 'three' is not a number"),
        (b"1 Q0 d1 1 nan t\n", "x.run:1: score is NaN, which has no place in a ranking"),
        (
            b"1 Q0 d1 1 3 t\r\n2 Q0 d1 1 3 t\r\n1 Q0 d1 2 2 t",
            "x.run:3: document 'd1' is listed twice for topic 1 (first on line 1)",
        ),
        (QRELS, "x.run:1: 4 fields, expected 6 (topic Q0 document rank score tag); this looks like judgements"),
        (b"", "x.run: is empty"),
        (b"\n\n# nothing\n", "x.run: is empty"),
        ("1 Q0 d1 1 3 t".encode("utf-16"), "x.run: is UTF-16 text; save it as UTF-8"),
        (b"\x1f\x8bnot gzip at all", "x.run: is damaged"),
        (b"8 Q0 d1 1 3 t\n", "have no topic in common: the run has 8, the judgements have 1, 2, 3"),
        (b"01 Q0 d1 1 3 t\n", "they differ in leading zeros"),
        (b"1 Q0 D1 1 3 t\n", "share 1 topic but not one document"),
    ],
)
@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_bad_runs_are_refused(leadline: Any, tmp_path: Path, text: bytes, message: str, engine: str) -> None:
    (tmp_path / "x.run").write_bytes(text)
    assert message in leadline.error("evaluate", "qrels.txt", "x.run", env={"LEADLINE_ENGINE": engine})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 0 d1\n", "q.txt:1: 3 fields, expected 4 (topic 0 document grade)"),
        (b"1 0 d1 1\n1 0 d2 one\n", "q.txt:2: grade 'one' is not a whole number"),
        (b"1 0 d1 1\n\n1 0 d1 0\n", "q.txt:3: document 'd1' is judged twice for topic 1 (first on line 1)"),
        (RUN, "q.txt:1: 6 fields, expected 4 (topic 0 document grade); this looks like a run"),
        (b"1 0 d1 1 1\n1 0 d2 1\n", "q.txt:2: 4 fields, but other lines have 5"),
        (b"1 1 d1 1 1\n1 2 d2 1 1\n", "can be read in several ways; say which with --qrels-format"),
        (b"", "q.txt: is empty"),
    ],
)
def test_bad_judgements_are_refused(leadline: Any, tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "q.txt").write_bytes(text)
    assert message in leadline.error("evaluate", "q.txt", "a.run")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "nosuch.run"], "nosuch.run: no such file"),
        (["qrels.txt", "b.run"], "did you mean a.run?"),
        (["qrels.txt", "*.trec"], "*.trec: no file fits this pattern"),
        (["qrels.txt", "a.run", "-m", "CT@10"], "CT@10 needs judgements by subtopic"),
        (["qrels.txt", "a.run", "-m", "xinfAP"], "xinfAP needs judgements with a stratum"),
    ],
)
def test_wrong_input_has_status_1(leadline: Any, arguments: list[str], message: str) -> None:
    assert message in leadline.error("evaluate", *arguments)


def test_an_unknown_column_lists_the_columns(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "info.csv").write_text("run,team\na,one\n")
    words = ["evaluate", "qrels.txt", "a.run", "--runs-info", "info.csv", "--per", "taem"]
    assert "info.csv has no column 'taem'; it has team; did you mean team?" in leadline.error(*words, status=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "PRSE@100"], "-m: no measure 'PRSE'; did you mean PRES"),
        (["-m", "PRES@0"], "PRES@0: effort must be at least 1, got 0"),
        (["-m", "IPrec@2"], "IPrec@2: recall must be between 0 and 1, got 2"),
        (["-m", "nDCG(discount=jk,base=0)@5"], "base must be above 1, got 0"),
        (["-m", "nDCG(gian=exp)@10"], "nDCG has no option 'gian'; did you mean gain?"),
        (["-m", "P"], "P needs an effort, such as P@100"),
        (["-m", "P(rel=1,rel=2)@5"], "rel is given twice"),
        (["-m", "F(beta=0.5)@0"], "at least 1"),
        (["-m", ""], "no measure named"),
        (["-m", "R@10 AP(rel=2"], "'R@10 AP(rel=2' has a bracket that is not closed"),
        (["--format", "tvs"], "-f/--format: 'tvs' is not one of table, tsv"),
        (["--format", "tvs"], "did you mean tsv?"),
        (["--order", "up"], "--order: 'up' is not one of score, rank, file"),
        (["--format", "parquet"], "name a file with -o"),
        (["--best", "0"], "--best: must be at least 1, got 0"),
        (["--per", "team"], "--per: needs --runs-info FILE"),
        (["--ties", "--unjudged", "right"], "--ties: cannot be combined with --unjudged"),
        (["--like", "trec_eval", "--format", "tsv"], "--format: cannot be combined with --like trec_eval"),
        (["--like", "trec_eval", "-m", "PRES@100"], "trec_eval has no measure"),
        (["--like", "trec_eval", "--unjudged", "right"], "must be wrong or condensed"),
        (["-", "-"], "-: standard input can be read only once"),
    ],
)
def test_wrong_usage_has_status_2(leadline: Any, arguments: list[str], message: str) -> None:
    assert message in leadline.error("evaluate", "qrels.txt", "a.run", *arguments, status=2)


def test_unknown_options_and_missing_arguments_have_status_2(leadline: Any) -> None:
    assert "required: RUN; see `leadline evaluate --help`" in leadline.error("evaluate", "qrels.txt", status=2)
    wrong = leadline.error("evaluate", "qrels.txt", "a.run", "--fromat", "tsv", status=2)
    assert wrong == "unknown option --fromat; did you mean --format?"


def test_subsets_and_tables_of_teams(leadline: Any, tmp_path: Path) -> None:
    for name, score in (("b", 9.0), ("c", 0.5), ("d", 0.1)):
        (tmp_path / f"{name}.run").write_bytes(RUN + f"1 Q0 d3 9 {score} t\n".encode())
    (tmp_path / "info.csv").write_text("run,team\na,one\nb,one\nc,two\nd,two\n")
    (tmp_path / "topics.txt").write_text("1\n")
    result = leadline(
        "evaluate", "qrels.txt", "a.run", "b.run", "c.run", "d.run", "-m", "AP", "--topics", "topics.txt",
        "--runs-info", "info.csv", "--best", "1", "--per", "team", "--format", "tsv",
    )  # fmt: skip
    assert [line.split("\t")[0] for line in result.stdout.decode().splitlines()[1:]] == ["b", "c"]
    assert result.stderr.decode().count("1 of 1 topic") == 1


def test_ties_and_unjudged(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "t.run").write_bytes(b"1 Q0 d1 1 1 t\n1 Q0 d2 2 1 t\n1 Q0 d8 3 1 t\n")
    result = leadline("evaluate", "qrels.txt", "t.run", "-m", "RR", "--ties", "--by-topic", "--format", "tsv")
    lines = [line.split("\t") for line in result.stdout.decode().splitlines()]
    assert lines[0] == ["run", "topic", "measure", "value", "lowest", "highest"]
    assert lines[1][:3] == ["t", "1", "RR"]
    assert [float(value) for value in lines[1][3:]] == [1 / 3, 1 / 3, 1.0]
    values = {}
    for how in ("wrong", "condensed", "right"):
        result = leadline("evaluate", "qrels.txt", "t.run", "-m", "P@3", "--unjudged", how, "--by-topic", "-f", "tsv")
        values[how] = float(result.stdout.decode().splitlines()[1].split("\t")[3])
    assert values == {"wrong": 1 / 3, "condensed": 1 / 3, "right": 2 / 3}


def test_a_small_evaluation_loads_neither_numba_nor_frames(leadline: Any, tmp_path: Path) -> None:
    code = (
        "import sys; from leadline.cli import main; main(['evaluate', 'qrels.txt', 'a.run', '-q'])\n"
        "assert not {'numba', 'llvmlite', 'polars', 'pandas', 'rich'} & set(sys.modules), 'too much was imported'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)


def test_output_follows_links_and_spares_devices(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "real.tsv").write_text("old")
    (tmp_path / "link.tsv").symlink_to(tmp_path / "real.tsv")
    assert leadline("evaluate", "qrels.txt", "a.run", "-m", "AP", "-f", "tsv", "-o", "link.tsv").returncode == 0
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_text().startswith("run\ttopic")
    assert leadline("measures", "-o", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("output", ["", "qrels.txt/x", "nosuch/x", "n" * 300])
def test_output_that_cannot_be_written_is_refused(leadline: Any, output: str) -> None:
    assert "cannot be written" in leadline.error("evaluate", "qrels.txt", "a.run", "-m", "AP", "-q", "-o", output)


def test_a_cut_archive_is_damaged(leadline: Any, tmp_path: Path) -> None:
    text = b"".join(b"1 Q0 x%d 1 %d.0 t\n" % (d, -d) for d in range(9000)) + RUN
    for ending, pack in ((".gz", gzip.compress), (".xz", lzma.compress), (".zst", zstandard.compress)):
        packed = pack(text)
        (tmp_path / f"cut{ending}").write_bytes(packed[: len(packed) // 2])
        assert "is damaged" in leadline.error("evaluate", "qrels.txt", f"cut{ending}")
    (tmp_path / "two.zst").write_bytes(zstandard.compress(RUN) + zstandard.compress(b"2 Q0 d4 1 1 t\n"))
    assert leadline("evaluate", "qrels.txt", "two.zst", "-q").returncode == 0


def test_a_pipe_can_be_a_run(leadline: Any, tmp_path: Path) -> None:
    command = f"{sys.executable} -m leadline.cli evaluate qrels.txt <(cat a.run) -m AP -f tsv -q"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.json", '{"1": {"d1": 3}, "1": {"d2": 3}}', "'1' stands twice in one object"),
        ("r.json", '{"1": {"d1": {"x": 1}}}', "expected numbers"),
        ("r.jsonl", '{"topic": "1", "document": "d1", "score": 3}\n{oops', "r.jsonl:2: is not readable JSON"),
        ("r.csv", "topic,document\n1,d1\n", "no column score"),
        ("r.csv", "topic,document,score\n1,d1,high\n", "row 1: score 'high' is not a number"),
    ],
)
def test_bad_tables_are_refused(leadline: Any, tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    assert message in leadline.error("evaluate", "qrels.txt", name)


def test_one_record_a_line_may_be_one_record(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"topic": "1", "document": "d1", "score": 3}\n')
    assert leadline("evaluate", "qrels.txt", "r.jsonl", "-q").returncode == 0


def test_grades_beyond_reason_are_refused(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('{"1": {"d1": 3000000000}}')
    assert "at most nine digits" in leadline.error("evaluate", "q.json", "a.run")


def test_no_run_is_first_by_a_measure_of_effort(leadline: Any, tmp_path: Path) -> None:
    (tmp_path / "one.run").write_bytes(b"1 Q0 d1 1 3.0 tag\n")
    for measure, why in (("last_rel", "it counts effort"), ("num_ret", "neither more of it nor less is better")):
        said = leadline("evaluate", "qrels.txt", "a.run", "one.run", "-m", measure).stdout.decode()
        assert said.startswith(f"{measure} puts no run first: {why}")
    assert leadline("evaluate", "qrels.txt", "a.run", "one.run", "-m", "AP").stdout.startswith(b"First of 2 runs: ")
