"""The variants of the teams: their names, what the overview reports of them, and that each is another search."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import (
    PATENTS,
    TEXTS,
    Variant,
    baselines,
    described,
    system,
    systems,
    variants_of,
)
from leadline.show.papers.published import table

TEAMS = [name for name in systems() if variants_of(name)]
ALL = [(team, one) for team in TEAMS for one in variants_of(team)]
# Of 400 patents of two fields of chemistry, none names anything of biology.
FOUND = [(team, one) for team, one in ALL if not one.name.startswith("biology")]
EVERY = pytest.mark.parametrize(("team", "variant"), FOUND, ids=[f"{team}:{one.name}" for team, one in FOUND])


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("survey")
    main(["simulate", "office", "-o", str(folder / "office"), "--patents", "400", "--topics", "4", "--articles", "60",
          "--surveys", "6", "--length", "60", "-q"])  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def rich(offices: Path) -> SearchContext:
    """An office with articles, with every derived field in its index."""
    from leadline.collections.documents.collection import Collection
    from leadline.retrieval.choices import DERIVED, FIELDS

    origin = str(offices / "office/collection")
    Index.build(
        Collection.open(origin), offices / "index", fields=[*FIELDS, *DERIVED], workers=1, origin=origin
    )  # fmt: skip
    return SearchContext.open(offices / "index")


@pytest.fixture(scope="module")
def surveys(offices: Path) -> ll.Topics:
    return ll.Topics.read(offices / "office/surveys.xml")


def test_the_eight_teams_are_there() -> None:
    assert TEAMS == ["bitem", "cmu", "dutir", "iowa", "msoe", "purdue", "scai", "york"]


@EVERY
def test_a_variant_finds_documents_for_the_topics_of_its_tasks(
    team: str, variant: Variant, rich: SearchContext, surveys: ll.Topics, offices: Path
) -> None:
    patents = ll.Topics.read(offices / "office/topics.tsv")
    for task, topics in ((PATENTS, patents), (TEXTS, surveys)):
        if task in variant.tasks:
            assert len(variant.pipeline.run(rich, topics, 50).topics) > len(topics) / 2
        else:
            with pytest.raises(InputError, match=r"is a patent, and the variant|not patents of|is not a patent of"):
                variant.pipeline.run(rich, topics)


def text_of_run(name: str, context: SearchContext, topics: ll.Topics) -> bytes:
    return system(name).run(context, topics, name="same").to_bytes()


@pytest.mark.parametrize("derived", [True, False])
def test_no_two_teams_give_the_same_run_for_texts(
    derived: bool, rich: SearchContext, surveys: ll.Topics, offices: Path, tmp_path: Path
) -> None:
    context = rich
    if not derived:  # an index without noun phrases, entities and sentences
        Index.build(rich.collection, tmp_path, workers=1, origin=str(rich.collection.folder))
        context = SearchContext.open(tmp_path)
    runs = {name: text_of_run(name, context, surveys) for name in ("baseline", *TEAMS) if name not in ("cmu", "iowa")}
    assert [(a, b) for a, b in combinations(runs, 2) if runs[a] == runs[b]] == []


def test_no_two_variants_are_the_same_run(rich: SearchContext, surveys: ll.Topics, offices: Path) -> None:
    patents = ll.Topics.read(offices / "office/topics.tsv")
    texts = {f"{team}:{one.name}": one.text for team, one in FOUND if one.text is not None}
    asked = {f"{team}:{one.name}": one.patent for team, one in FOUND if one.patent is not None}
    for pipelines, topics in ((texts, surveys), (asked, patents)):
        runs = {name: pipeline.run(rich, topics, name="same").to_bytes() for name, pipeline in pipelines.items()}
        assert [(a, b) for a, b in combinations(runs, 2) if runs[a] == runs[b]] == []


def test_names_of_the_overview_are_names_too() -> None:
    assert system("bitem:BiTeM09PAcl") == system("bitem:claims-only")
    submitted = {team: sum(len(one.runs.split()) for one in variants_of(team)) for team in TEAMS}
    # SCAI's manual run and DUT09TSRun5, which no table has, are missing.
    known = {"bitem": 15, "cmu": 2, "dutir": 9, "iowa": 3, "msoe": 10, "purdue": 3, "scai": 38, "york": 9}
    assert submitted == known
    runs = [run for _, one in ALL for run in one.runs.split()]
    assert len(set(runs)) == len(runs)


def test_a_team_is_its_best_run_of_each_task_by_the_overview(rich: SearchContext, surveys: ll.Topics) -> None:
    assert system("cmu") == system("cmu:CMU09Chmtcdd")  # it has one task
    best = {
        "bitem": ("BiTeM09PAcba", "BiTeM09po"),
        "dutir": ("DUTIRRun3", "DUT09TSRun6"),
        "msoe": ("msoe09TSx4ta", "msoe09TSx3"),
        "purdue": ("purduePA09r2", "purdueTS09r1"),
        "scai": ("SCAI09PAf1e", "SCAI09TSNP"),  # of the automatic ones
        "york": ("york09caPA01", "york09ca07"),
    }
    for team, (patent, text) in best.items():
        named = {run: one for one in variants_of(team) for run in one.runs.split()}
        assert system(team) == Variant("best", "", named[patent].patent, named[text].text).pipeline
    assert "= bitem:combination-a, for texts families" in ll.systems("bitem").items[0].does


def test_a_wrong_variant_is_one_line_with_the_nearest_name() -> None:
    with pytest.raises(
        InputError, match=r"variant of bitem: 'clams' is not one of baseline, .*; did you mean claims\?"
    ):
        system("bitem:clams")
    with pytest.raises(InputError, match="system: baseline has no variants: write --system baseline"):
        system("baseline:claims")
    with pytest.raises(InputError, match=r"'bitme' is not one of .*; did you mean bitem\?"):
        system("bitme:claims")
    with pytest.raises(InputError, match="variant x: has no pipeline"):
        Variant("x", "nothing")


def test_runs_and_what_is_reported_are_those_of_the_overview() -> None:
    """Every run is in a table of the overview, and the scores are its scores, rounded."""
    prior_art = {row["run"]: row for row in table("trec_chem_2009_pa_full")}
    short = {row["run"].removesuffix("_sm"): row for row in table("trec_chem_2009_pa_short")}
    measured = {what: {run: float(row[what]) for run, row in prior_art.items()} for what in ("MAP", "bpref")}
    measured["short MAP"] = {run: float(row["MAP"] or "nan") for run, row in short.items()}
    survey: dict[str, list[float]] = {}
    for row in table("trec_chem_2009_ts_xinfap"):
        survey[row["run"]] = [value for name, value in row.items() if name != "run"]
    known = {*prior_art, *short, *survey}
    checked = 0
    for _, one in ALL:
        runs = one.runs.split()
        assert not [run for run in runs if run not in known and run != "DUT09TSRun5"], one.name
        for what, number in re.findall(r"(short MAP|MAP|bpref|xinfAP) (0\.\d+)", one.reported):
            if what in measured:
                values = [measured[what][run] for run in runs if run in measured[what]]
            else:
                values = [sum(survey[run]) / 18 for run in runs if run in survey]
            assert any(abs(value - float(number)) < 0.0006 for value in values), (one.name, what, number, values)
            checked += 1
    assert checked > 75


def test_the_list_of_systems(capsys: pytest.CaptureFixture[str]) -> None:
    listed = ll.systems()
    assert repr(listed) == f"<SystemList {len(systems()) + len(baselines())} systems, {len(ALL)} variants>"
    assert {"bitem", "bitem:claims", "baseline", "cmu:whole-text"} <= set(listed.names)
    claims = next(one for one in listed.items if one.name == "bitem:claims-only")
    assert (claims.tasks, claims.runs) == (("prior art",), ("BiTeM09PAcl",))
    assert claims.about == described("bitem")
    assert "bitem:claims" in str(ll.systems("bitem"))
    main(["systems"])
    assert "bitem:claims" in capsys.readouterr().out
    main(["systems", "cmu"])
    shown = capsys.readouterr().out
    assert "What is guessed: which of the two runs is which" in shown
    assert "CMU09Chmtcd" in shown
    main(["systems", "bitem:claims", "--format", "tsv"])
    assert capsys.readouterr().out.splitlines()[1:] == ["bitem:claims\tprior art\treranked by claims\t\t+3 % MAP"]
    main(["systems", "cmu:whole-text"])
    shown = capsys.readouterr().out
    assert "What is guessed" in shown
    assert "cmu:title-claims" not in shown
    main(["systems", "--format", "tsv"])
    assert (
        "cmu:title-claims\tprior art\tthe words of title and claims\tCMU09Chmtcd\tMAP 0.065" in capsys.readouterr().out
    )
    with pytest.raises(SystemExit):
        main(["systems", "bitme"])
    assert "did you mean bitem?" in capsys.readouterr().err


def test_the_command_takes_a_variant(offices: Path, rich: SearchContext, tmp_path: Path) -> None:
    topics = str(offices / "office/topics.tsv")
    main(["run", str(offices / "index"), topics, "--system", "bitem:claims", "-o", str(tmp_path / "c.run"), "-q"])
    assert (tmp_path / "c.run").read_text().split()[5] == "bitem:claims"
    made = ll.make_run(rich, ll.Topics.read(topics), "bitem:claims")
    assert made.topics == ll.read_run(tmp_path / "c.run").topics


def test_dates_in_a_narrative_limit_a_run(
    offices: Path, rich: SearchContext, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need = ll.Topics.of(
        [Topic("TS-1", "valve", narrative="Documents published after 2000 that describe the invention.")]
    )
    need.write(tmp_path / "need.xml")
    day = {row["id"]: str(row["publication"]) for row in rich.collection.records.iter_rows(named=True)}
    main(["run", str(offices / "index"), str(tmp_path / "need.xml"), "-o", str(tmp_path / "after.run")])
    assert 'limited to "published after 2000", which excludes' in capsys.readouterr().err
    after = ll.read_run(tmp_path / "after.run").ranking("TS-1")
    assert all(day[document] > "2000-12-31" for document, _ in after)
    main(["run", str(offices / "index"), str(tmp_path / "need.xml"), "-o", str(tmp_path / "any.run"), "--any-date"])
    assert "limited" not in capsys.readouterr().err
    assert any(day[document] <= "2000" for document, _ in ll.read_run(tmp_path / "any.run").ranking("TS-1"))
    words = ll.make_run(rich, need, "baseline", narratives="words")
    assert len(words.ranking("TS-1")) > len(ll.make_run(rich, need, "baseline").ranking("TS-1")) == len(after)
