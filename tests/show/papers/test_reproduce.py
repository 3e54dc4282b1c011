"""The papers redone: their numbers beside ours, from published figures and from a small lab."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.cli import main
from leadline.errors import InputError
from leadline.show.papers import beyond, chem_2009, chem_2009_exhibits, cube_2013, pres_2010, robustness_2010, web_2012
from leadline.show.papers import published as figures
from leadline.show.papers.exhibit import STATES, Exhibit, Paper, PaperInputs, same_to, shipped_lab
from leadline.show.papers.papers_page import PAPERS, page, papers
from leadline.trust.rankings import tau_a


def exhibit(paper: Paper, name: str) -> Exhibit:
    return next(one for one in paper.exhibits if one.name.startswith(name))


@pytest.fixture(scope="module")
def published() -> dict[str, Paper]:
    return {paper.name: paper for paper in papers()}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs on eight topics, one of them with a name that would be a script."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "runs").mkdir()
    topics = [str(number) for number in range(8)]
    (folder / "qrels.txt").write_text("".join(f"{t} 0 d{place} 1\n" for t in topics for place in range(2 + int(t) % 3)))
    for number, name in enumerate(["one", "two", "three", "<script>alert(1)<script>"]):
        lines = []
        for topic in topics:
            order = dict.fromkeys((place * (number + 1) + int(topic)) % 30 for place in range(30))
            lines += [f"{topic} Q0 d{document} 0 {-place} x\n" for place, document in enumerate(order)]
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    return folder


def test_what_comes_out_of_the_published_figures(published: dict[str, Paper]) -> None:
    states = {
        name: {state: [one.name for one in paper.exhibits if one.state == state] for state in STATES}
        for name, paper in published.items()
    }
    assert states["pres-2010"]["same"] == ["Table 4"]
    # the ranks of system 2; an AP that the paper cut off or rounded up
    assert states["pres-2010"]["differs"] == ["Table 1", "Table 2", "Table 3"]
    assert states["robustness-2010"]["same"] == ["Table 1"]
    assert states["chem-2009"]["same"] == ["Table 2", "Tables 3, 4", "Table 5", "Table 6", "Tables 8, 14, 15"]
    assert states["chem-2009"]["differs"] == ["Table 1", "Table 11", "Table 7", "Percentages"]
    assert states["cube-2013"]["other"] == ["Figures 5, 6", "Figures 1 to 4", "Table 3"]
    assert "Section 5.4.1" in states["web-2012"]["differs"]  # 20 of 162 are not 0.05
    assert "Section 5.4.2" in states["web-2012"]["same"]
    # What was not published is shown for a simulated office, and nothing is left without an answer.
    assert states["pres-2010"]["other"] == ["Figure 7", "Figure 8"]
    assert states["chem-2009"]["other"] == [f"Figure {number}" for number in (3, 7, 8, 9, 10, 2, 1)]
    assert not [name for by_state in states.values() for name in by_state["needs"]]


def test_the_number_of_tables_and_figures(published: dict[str, Paper]) -> None:
    """Counted in the five papers: 23 tables and 35 figures; sections with numbers and our own studies come to them."""
    assert sum(paper.n_tables for paper in published.values()) == 23
    assert sum(paper.n_figures for paper in published.values()) == 35
    counts = {state: sum(paper.count(state) for paper in published.values()) for state in STATES}
    assert counts == {"same": 12, "differs": 10, "shown": 21, "other": 20, "needs": 0, "new": 1}
    others = [one.name for paper in published.values() for one in paper.exhibits if not one.parts]
    assert others == [
        "The same study on other runs", "Percentages", "Section 5.4.1", "Near-duplicates", "Section 5.4.2",
        "Simulated offices",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tables", "figures"),
    [("pres-2010", 4, 9), ("robustness-2010", 1, 4), ("chem-2009", 15, 12), ("cube-2013", 3, 6), ("web-2012", 0, 4)],
)
def test_every_table_and_figure_is_listed_once(
    published: dict[str, Paper], name: str, tables: int, figures: int
) -> None:
    paper = published[name]
    assert (paper.n_tables, paper.n_figures) == (tables, figures)
    listed = [part for one in paper.exhibits for part in one.parts]
    expected = [("figure", number + 1) for number in range(figures)]
    expected += [("table", number + 1) for number in range(tables)]
    assert sorted(listed) == expected
    assert all(one.state in STATES for one in paper.exhibits)


def test_parts_of_a_name() -> None:
    parts = Exhibit("Tables 3, 4, figures 7 to 9, figure 4(a)", "", "shown", "").parts
    assert parts == (("table", 3), ("table", 4), ("figure", 7), ("figure", 8), ("figure", 9), ("figure", 4))
    assert Exhibit("Section 5.4.1", "", "shown", "").parts == ()


def test_tau_of_the_48_runs(published: dict[str, Paper]) -> None:
    rows = exhibit(published["pres-2010"], "Table 4").tables[0].rows
    assert [(row[1], round(row[2], 3)) for row in rows] == [(0.56, 0.555), (0.87, 0.874), (0.66, 0.659)]


def test_lowest_tau_of_the_robustness_table() -> None:
    found = robustness_2010.printed_samples(100)
    assert found.lowest[0].tolist() == [0.50, 0.88, 0.90]
    assert found.mean[3, 2] == pytest.approx((0.97 + 0.99 + 0.98) / 3)


def test_european_scores_follow_from_the_others() -> None:
    row = next(row for row in chem_2009_exhibits.tables_3_and_4().tables[0].rows if row[0] == "BiTeM09PAcba")
    assert row[2] == pytest.approx((1000 * 0.1835 - 923 * 0.1871) / 77)
    assert row[1] == 0.1404


def test_slip_of_table_1() -> None:
    # The mean over the 77 European topics alone contributes 77 · 0.0254 / 100.
    assert "0.0189 here and 0.0239 there" in chem_2009_exhibits.table_1().finding
    assert "at least 0.0196" in chem_2009_exhibits.table_1().finding


def test_the_mean_over_all_topics() -> None:
    exhibit = chem_2009_exhibits.table_11()
    assert "197 are as printed; nDCG of BiTeM09PAcbb is printed as 0.4132 and computed as 0.4149" in exhibit.finding


def test_european_and_american_topics() -> None:
    finding = chem_2009_exhibits.figure_6().finding
    assert "31 do by MAP, 3 by bpref, 43 by MRR, 43 by P_30, 8 by recall_100, 16 by nDCG" in finding
    assert "contradicts the overview" in finding


def test_system_2_of_the_worked_examples(published: dict[str, Paper]) -> None:
    rows = {row[0]: row for row in exhibit(published["pres-2010"], "Table 2").tables[0].rows}
    assert rows["system2"][2] == pytest.approx((1 / 50 + 2 / 51 + 3 / 53 + 4 / 54) / 4)  # AP of the printed ranks
    assert rows["system2"][1] == 0.0481


def test_means_of_table_8() -> None:
    rows = {row[0]: row for row in chem_2009.tables_8_14_15().tables[0].rows}
    assert rows["DUT09TSRun6"][2] == pytest.approx(0.301352563, abs=1e-3)
    assert rows["msoe09TSx1"][4] == pytest.approx(0.313434303, abs=1e-3)


def test_judges_disagree_on_a_third() -> None:
    rows = {row[0]: row for row in chem_2009.table_5().tables[0].rows}
    assert rows["strict"][2] == 1986
    assert rows["strict"][3] == pytest.approx(0.3599, abs=1e-4)
    assert "TS-12 (283 of 284)" in chem_2009.table_7().finding


def test_a_folder_with_less_says_what_it_lacks(lab: Path) -> None:
    """The small lab has no judgements by claim, no classes and no words."""
    made = {paper.name: paper for paper in papers(PaperInputs.open(lab))}
    lacks = {one.name: one.finding for paper in made.values() for one in paper.exhibits if one.state == "needs"}
    assert {"Figure 8", "Figure 9", "Figure 10", "Figure 1"} <= set(lacks)
    assert "no words of its topics" in lacks["Figure 10"]
    table = exhibit(made["cube-2013"], "Table 3")
    assert "The lab has no judgements by claim." in table.finding
    assert [row[0] for row in table.tables[0].rows if row[0].startswith(("CT", "TBG"))] == []


def test_words_and_classes_of_a_lab(lab: Path, example_files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    shutil.copytree(lab, folder)
    assert PaperInputs.open(folder).lengths is None
    (folder / "lengths.tsv").write_text("document\twords\nd1\t120\n")
    assert PaperInputs.open(folder).lengths == {"d1": 120}
    (folder / "lengths.tsv").unlink()
    (folder / "collection").symlink_to(example_files / "patents")
    opened = PaperInputs.open(folder)
    assert opened.lengths is not None
    assert opened.classes is not None
    assert len(opened.lengths) == 300
    assert sum(opened.classes.values()) >= 300
    assert all(len(name) == 4 for name in opened.classes)


def test_the_lid_and_the_measures_of_table_3(published: dict[str, Paper]) -> None:
    table = exhibit(published["cube-2013"], "Table 3")
    shares = {row[0]: row[1] for row in table.tables[0].rows}
    cubes = [f"CT_{kind}{lid}@10" for kind in ("lgc", "pgc", "lac", "ltc") for lid in ("", "(lid=off)")]
    assert set(shares) == {
        "R@10", "AP@10", "PRES@10", "TBG", "nDCG@10", "alpha_nDCG@10", "I_rec@10", "nERR_IA@10", "D_nDCG@10", *cubes,
    }  # fmt: skip
    assert all(0 <= share <= 1 for share in shares.values())
    with_lid, without = (np.mean([shares[name] for name in cubes[start::2]]) for start in (0, 1))
    assert with_lid > without
    assert "the lid helps 4 of 4 variants, as in the paper" in table.finding


def test_slices_of_the_shipped_lab(published: dict[str, Paper]) -> None:
    chem = published["chem-2009"]
    lab = shipped_lab()
    by_topic = lab.evidence.scores(["nDCG"]).values[:, :, 0].mean(axis=0)
    for name, columns in (("Figure 7", 4), ("Figure 8", 1), ("Figure 9", 1), ("Figure 10", 1)):
        rows = exhibit(chem, name).tables[0].rows
        assert sum(row[1] for row in rows) == len(lab.topics)
        assert all(len(row) == 2 + columns for row in rows)
    # The slices weighted by their topics give the mean over all.
    rows = exhibit(chem, "Figure 10").tables[0].rows
    assert sum(row[1] * row[2] for row in rows) / len(lab.topics) == pytest.approx(by_topic.mean())


def test_interpolated_precision_of_the_web_paper(published: dict[str, Paper]) -> None:
    one = exhibit(published["web-2012"], "Figures 3, 4")
    levels = [row[1] for row in one.tables[0].rows]
    assert levels == sorted(levels, reverse=True)
    assert "1/162 = 0.006 to recall, as printed (0.006)" in one.finding
    assert web_2012.gains().tables[0].rows[1] == ["exponential", "0, 1, 3, 7, 15", "0, 1, 3, 7, 15"]


def test_the_shipped_lab_is_whole() -> None:
    lab = shipped_lab()
    assert (len(lab.runs), len(lab.topics), lab.size) == (16, 60, 6000)
    assert sum(lab.classes.values()) >= lab.size
    assert lab.by_claim is not None
    assert all(document in lab.lengths for run in lab.runs.values() for document, _ in run.ranking(lab.topics[0]))


def test_gamma_worked_by_hand() -> None:
    # Breadth takes a, b, a, b: (0.25 + 0.25 γ)(0.7 + 0.3) / 4.
    # Depth takes a four times: 0.7 · 0.25 (1 + γ + γ² + γ³) / 4.
    rows = cube_2013.figures_5_and_6(shipped_lab()).tables[0].rows
    for gamma, _, breadth, _, depth in rows:
        assert breadth == pytest.approx(0.25 * (1 + gamma) / 4)
        assert depth == pytest.approx(0.7 * 0.25 * (1 + gamma + gamma**2 + gamma**3) / 4)


def test_worked_examples_agree_but_one() -> None:
    table, cells = pres_2010.worked_examples(figures.pres_worked_examples())
    assert (len(table.rows), cells.same) == (13, 36)
    assert cells.differ == ["AP of topic_e is printed as 0.021, computed as 0.02048 (≠)"]
    assert sorted(table.asides.values()) == ["="] * 36 + ["≠"]


def test_a_tau_of_rounded_scores_has_a_range(published: dict[str, Paper]) -> None:
    table_4 = exhibit(published["pres-2010"], "Table 4")
    assert "2 of 3 numbers are as printed" in table_4.finding
    assert "τ of MAP and recall 0.56, computed as 0.5550" in table_4.finding
    assert table_4.tables[0].asides == {(0, 2): "≈", (1, 2): "=", (2, 2): "="}
    rng = np.random.default_rng(5)
    for count in [4] * 20 + [5]:  # systems, in all orders of what is tied
        x, y = rng.integers(0, 4, (2, count)) / 10
        orders = [
            float(tau_a(x + dx, y + dy))
            for dx in itertools.permutations(np.arange(count) / 100)
            for dy in itertools.permutations(np.arange(count) / 100)
        ]
        width = pres_2010.tied_share(x, y)
        assert (min(orders), max(orders)) == pytest.approx((tau_a(x, y) - width, tau_a(x, y) + width))


def test_percentages_against_the_counts_beside_them(published: dict[str, Paper]) -> None:
    found = exhibit(published["chem-2009"], "Percentages")
    assert found.finding.startswith("229 of 234 percentages are those of their own counts; 5 are not, all in table 7.")
    rows = found.tables[0].rows
    assert [row[1] for row in rows] == ["TS-5", "TS-12", "TS-12", "TS-12", "TS-16"]
    assert all(row[6] == pytest.approx(100 * row[3] / row[4]) for row in rows)
    assert [round(100 * row[3] / 283, 2) for row in rows[1:4]] == [row[5] for row in rows[1:4]]


@given(st.floats(0, 1), st.integers(1, 5))
def test_a_number_is_the_same_if_it_rounds_to_the_printed_one(ours: float, digits: int) -> None:
    assert same_to(round(ours, digits), ours, digits)
    assert not same_to(round(ours, digits) + 1.001 * 10.0**-digits, ours, digits)


def test_slip_of_the_web_paper() -> None:
    assert web_2012.example().tables[0].rows[1][4] == pytest.approx(20 / 162)


def test_ranks_and_shingles_of_the_web_paper() -> None:
    rows = web_2012.page_rank().tables[0].rows
    assert rows[-1][1:] == pytest.approx([3, 1])
    assert [row[1] for row in rows] == pytest.approx([3 * row[2] for row in rows])
    assert web_2012.shingling().state == "same"


def test_the_stored_study_is_whole() -> None:
    found = beyond.shipped()
    assert found.tau.shape == (found.collections, len(found.judged), len(found.measures))
    assert (abs(found.tau) <= 1).all()
    assert len(found.runs) >= 30


def test_with_a_lab_more_is_shown(published: dict[str, Paper], lab: Path) -> None:
    opened = PaperInputs.open(lab)
    made = papers(opened)
    theirs = [one.finding for paper in made for one in paper.exhibits if one.state == "other"]
    assert sum("the runs of the lab" in finding for finding in theirs) >= 6
    assert not any("a simulated patent office" in finding for finding in theirs)
    html = page(made, opened)
    assert "<script>alert" not in html
    assert "The papers, redone" in html
    assert html.count("<figure id=") == len({figure.name for paper in made for figure in paper.figures()})
    without = page(list(published.values()))
    assert "a simulated patent office" in without
    assert "● other data" in without
    assert len(PAPERS) == len(made)


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no judgements"):
        PaperInputs.open(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    with pytest.raises(InputError, match="no runs"):
        PaperInputs.open(tmp_path)


def test_the_command_makes_a_page_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    main(["reproduce", "-o", "papers.html"])
    assert "Magdy and Jones, SIGIR 2010" in capsys.readouterr().out
    assert (tmp_path / "papers.html").stat().st_size < 2_000_000
    main(["reproduce", "-o", "papers.html"])
    assert "already" in capsys.readouterr().out


def test_the_stored_study_is_json() -> None:
    path = Path(beyond.__file__).with_name(beyond.SHIPPED)
    assert set(json.loads(path.read_text())) == {"judged", "measures", "runs", "topics", "tau", "tau_ap", "places"}
