"""How well measures keep the order of systems when judgements are missing; writes the numbers of docs/incomplete.md.

    python benchmarks/missing_judgements.py [--samples 100] [--check]

Every number of the document is between two marks, and this script writes all of them. The last mark holds what the
short form gives, 3 samples per share; the tests compute that again, so that the document cannot go stale. `--check`
only compares the short form. Reads `runs` of the shared data (LEADLINE_SHARED, or `shared` beside the repository).
"""

# ruff: noqa: E501 (the sentences of the document keep its line ends)
from __future__ import annotations

import argparse
import os
import re
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import leadline as ll
from leadline.measures.definition import parse_measures
from leadline.show.papers import published
from leadline.trust.incomplete import Incomplete, each_depth, each_run, left_out
from leadline.trust.study import Drawn, Rounding, Study, at_random, open_study

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data" / "runs"
DOCUMENT = ROOT / "docs" / "incomplete.md"
FIGURE = ROOT / "docs" / "figures" / "incomplete.svg"
EFFORTS = (100, 1000)
SHORT = 3  # samples of the short form
NAMES = {"AP": "AP", "R": "recall", "PRES": "PRES", "nDCG": "nDCG", "bpref": "bpref", "infAP": "infAP"}
COLUMNS = {"AP": "map", "R": "recall", "PRES": "pres"}  # as the paper's table calls them
LIKE_CLEF = 6  # relevant documents a topic


@dataclass(frozen=True)
class Studies:
    """The runs and judgements of the document, read once."""

    covid: Study
    patents: Study  # CLEF-IP 2011, judgements filled up to the official number
    found_only: Study  # the same with the relevant documents that the runs found

    @classmethod
    def read(cls, folder: Path) -> Studies:
        covid, clef = DATA / "trec_covid_r1", DATA / "clefip2011_federated"
        runs = extracted(covid / "runs.tar.xz", folder / "covid")
        listed_twice = {
            line.split("\t")[0] for line in (clef / "MANIFEST.tsv").read_text().splitlines()[1:]
            if int(line.split("\t")[3])
        }  # fmt: skip
        patents = [
            run for run in extracted(clef / "runs.tar.xz", folder / "clef") if Path(run).stem not in listed_twice
        ]
        trio = "AP@100 R@100 PRES@100"
        return cls(
            open_study(covid / "qrels.txt", runs, "AP"),
            open_study(clef / "qrels_padded.txt", patents, trio),
            open_study(clef / "qrels_reconstructed.txt", patents, trio),
        )

    def at(self, effort: int) -> Study:
        """The runs of TREC-COVID, read to an effort, under the measures of the document."""
        names = [f"{name}@{effort}" for name in ("AP", "R", "PRES", "nDCG")]
        return replace(self.covid, measures=tuple(parse_measures([*names, "bpref", "infAP"]))).read_to(effort)


def extracted(archive: Path, folder: Path) -> list[str]:
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return sorted(str(path) for path in folder.rglob("*") if path.is_file())


def sections(studies: Studies, samples: int) -> dict[str, str]:
    """What stands between the marks of the document, by name."""
    found = {effort: Incomplete.of(studies.at(effort), samples=samples, seed=1) for effort in EFFORTS}
    return {
        "size": size(studies.covid, samples),
        "covid": covid_table(found),
        "findings": findings(studies, found, samples),
        "paper": paper_table(found),
        "few": few_relevant(studies, samples),
        "patents": patents(studies, samples),
        "rounding": rounding(studies, samples),
        "whose": whose(studies),
    }


def size(study: Study, samples: int) -> str:
    counts = np.bincount(study.qrels.topic_of_document[study.qrels.grades >= 1])
    return (
        f"{len(study.runs)} runs, {len(study.topics)} topics, {study.relevant} relevant documents ({counts.min()} to "
        f"{counts.max()} a topic), {samples} samples for each share. Mean τ, with the range of\nthe middle 95 % of the "
        "samples in brackets:"
    )


def three(value: float) -> str:
    """A number below 1 with three decimals and without its zero, as the papers print it."""
    return f"{value:.3f}".replace("0.", ".", 1)


def two(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)


def covid_table(found: dict[int, Incomplete]) -> str:
    lines = [f"| effort | kept | realised | {' | '.join(NAMES.values())} |", f"|---:|---:|---:|{'---:|' * len(NAMES)}"]
    for effort, study in found.items():
        low, high = study.interval
        for k, share in enumerate(study.keep):
            cells = [f"{three(study.mean[k, m])} [{three(low[k, m])}, {three(high[k, m])}]" for m in range(len(NAMES))]
            lines.append(f"| {effort} | {share:.0%} | {study.known[k]:.1%} | {' | '.join(cells)} |".replace("%", " %"))
    return "\n".join(lines)


def findings(studies: Studies, found: dict[int, Incomplete], samples: int) -> str:
    place = {name: m for m, name in enumerate(NAMES)}
    taus = np.concatenate([study.tau.reshape(-1, len(NAMES)) for study in found.values()])
    ahead = {name: int((taus[:, place[name]] > taus[:, place["AP"]]).sum()) for name in ("PRES", "R")}
    gaps = [
        study.mean[0, place[name]] - study.mean[0, place["AP"]] for study in found.values() for name in ("PRES", "R")
    ]
    at_100 = found[100]
    lead = float(at_100.mean[0, place["R"]] - at_100.mean[0, place["PRES"]])
    often = int((at_100.tau[0, :, place["R"]] > at_100.tau[0, :, place["PRES"]]).sum())
    at_1000 = abs(float(found[1000].mean[0, place["R"]] - found[1000].mean[0, place["PRES"]]))
    judged = Incomplete.of(studies.at(1000), samples=samples, seed=1, of="judged").mean[:, place["bpref"]]
    same = max(float(np.abs(s.mean[:, place["infAP"]] - s.mean[:, place["AP"]]).max()) for s in found.values())
    total = len(taus)
    claims = {
        "PRES and recall are ahead of AP in nearly all samples": min(ahead.values()) > 0.95 * total,
        "recall leads PRES at an effort of 100": lead > 0,
        "infAP is AP": same < 5e-4,
        "bpref is the lowest of all at 1000": (found[1000].mean.argmin(axis=1) == place["bpref"]).all(),
    }
    for claim, holds in claims.items():
        if not holds and samples > SHORT:
            sys.exit(f"the document says that {claim}, and that is no longer so: write its findings again")
    return f"""\
- **PRES and recall keep the ranking better than AP**, as the paper found: PRES in {ahead["PRES"]} of {total} samples,
  recall in {ahead["R"]}. The gap is largest with a fifth of the judgements ({two(min(gaps))} to {two(max(gaps))} of τ),
  and closes as more are kept.
- **PRES is not ahead of recall here.** In the paper PRES has a small lead at an effort of 100; on these runs recall leads
  there (by {three(lead)} with 20 % kept, and in {often} of {samples} samples), and at 1000 the two are within {three(at_1000 + 0.001)}.
- **nDCG is between** AP and PRES.
- **infAP is AP here** (mean τ within {same:.4f}). It estimates from documents that are known to be in the pool but
  unjudged; a document left out of the judgements is not known to be in the pool, so there is nothing to estimate from.
- **bpref does worst, because of the procedure.** All judgements of documents that are *not* relevant stay, so each topic
  has few relevant ones among many irrelevant, and bpref uses only the first n of these. When the same share of both
  is left out (`of="judged"`), as in bpref's own paper, it is about as good as nDCG at effort 1000:
  {", ".join(map(three, judged))}. The other measures here do not use documents judged not relevant, and do not change."""


def paper_table(found: dict[int, Incomplete]) -> str:
    printed = [row for row in published.table("clef_ip_2009_robustness") if str(row["sample"]).startswith("avg")]
    lines = [
        "| effort | kept | MAP, paper | AP, here | recall, paper | here | PRES, paper | here |",
        f"|---:|---:|{'---:|' * 6}",
    ]
    for effort, study in found.items():
        for k, share in enumerate(study.keep):
            (row,) = [row for row in printed if float(row["percent_kept"]) == 100 * share]
            cells = []
            for m, name in enumerate(COLUMNS.values()):
                (column,) = [c for c in row if c.lower() == f"{name}@{effort}"]
                cells += [two(float(row[column])), two(study.mean[k, m])]
            lines.append(f"| {effort} | {100 * share:.0f} % | {' | '.join(cells)} |")
    return "\n".join(lines)


def few_relevant(studies: Studies, samples: int) -> str:
    study = studies.at(1000)
    a_topic = study.relevant / len(study.topics)
    few = study.only(at_random(study.qrels, LIKE_CLEF / a_topic, np.random.default_rng(9), rounding="at-least-one"))
    mean = Incomplete.of(few, keep=[0.2], samples=max(samples // 2, SHORT), seed=1).mean[0]
    return (
        f"Recall and PRES agree with the paper's numbers to about 0.03. AP keeps the ranking far better here, and the number\n"
        f"of relevant documents is one reason: {a_topic:.0f} per topic, where CLEF-IP has {LIKE_CLEF}. With a sample of "
        f"{LIKE_CLEF} per topic as the full\njudgements, τ with 20 % kept is {two(mean[0])} for AP, {two(mean[1])} for "
        f"recall and {two(mean[2])} for PRES (effort 1000, {max(samples // 2, SHORT)} samples)."
    )


def _trio(study: Study, samples: int, *, of: Drawn = "relevant", rounding: Rounding = "random") -> Incomplete:
    return Incomplete.of(study, keep=[0.2], samples=samples, of=of, rounding=rounding, seed=1)


def patents(studies: Studies, samples: int) -> str:
    full, found = (_trio(study, samples) for study in (studies.patents, studies.found_only))
    often = int((full.tau[0, :, 2] > full.tau[0, :, 0]).sum())
    counts = [study.relevant / len(study.topics) for study in (studies.patents, studies.found_only)]
    taus = ", ".join(f"{name} {two(tau)}" for name, tau in zip(("AP", "recall", "PRES"), found.mean[0], strict=True))
    return (
        f"On {len(studies.patents.runs)} patent runs of CLEF-IP 2011 ({len(studies.patents.topics)} topics, {counts[0]:.0f} "
        f"relevant documents each, effort 100, {samples} samples)\nτ with a fifth kept is {two(full.mean[0, 2])} for PRES, "
        f"{two(full.mean[0, 1])} for recall and {two(full.mean[0, 0])} for AP; PRES is ahead of AP in {often} samples of "
        f"{samples}.\nWith judgements that contain only the relevant documents that the runs found "
        f"({len(studies.found_only.topics)} topics, {counts[1]:.0f} each): {taus}.\nThe lead is one of averages, and on "
        "judgements so few it changes from sample to sample: try it on your own."
    )


def rounding(studies: Studies, samples: int) -> str:
    lines = ["| judgements | relevant a topic | rounding | realised | topics lost a sample | AP | recall | PRES |",
             "|:---|---:|:---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for name, study in (("CLEF-IP 2011", studies.patents), ("the same, found by the runs", studies.found_only)):
        for how in ("random", "at-least-one"):
            found = _trio(study, samples, rounding=how)  # type: ignore[arg-type]
            rng = np.random.default_rng(1)
            lost = np.mean([study.sample(0.2, rng, rounding=how).topics_lost for _ in range(samples)])  # type: ignore[arg-type]
            lines.append(
                f"| {name} | {study.relevant / len(study.topics):.1f} | {how} | {100 * found.known[0]:.1f} % | {lost:.1f} | "
                + " | ".join(map(two, found.mean[0])) + " |"
            )  # fmt: skip
    return "\n".join(lines)


def whose(studies: Studies) -> str:
    study = replace(studies.covid, measures=tuple(parse_measures("AP@1000 PRES@1000")))
    runs = left_out(study, each_run(study))
    depth = left_out(study, each_depth(study, [10]))
    moved = depth.table().rows[1]
    return (
        f"On TREC-COVID no run has found more than {int(runs.relevant.max())} relevant documents alone, and τ without them "
        f"is never below {three(float(runs.tau.min()))}, at\neffort 1000 under AP or PRES. Judgements to depth 10 keep τ at "
        f"{three(float(depth.tau[0, 0]))} for AP and {three(float(depth.tau[0, 1]))} for PRES, yet move one run from rank\n"
        f"{moved[5]} to {moved[6]} under PRES."
    )


def short_form(studies: Studies) -> str:
    """A line of numbers that changes when anything the document depends on changes."""
    found = [Incomplete.of(studies.at(effort), samples=SHORT, seed=1).tau.ravel() for effort in EFFORTS]
    found += [_trio(study, SHORT).tau.ravel() for study in (studies.patents, studies.found_only)]
    return " ".join(f"{value:.4f}" for value in np.concatenate(found))


def between_marks(text: str, name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", text, flags=re.DOTALL)
    if found is None:
        sys.exit(f"{DOCUMENT.name} has no mark {name}")
    return found[1]


def written_short_form() -> str:
    (found,) = re.findall(r"<!-- short form: (.*?) -->", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(found.split())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    options = parser.parse_args(arguments)
    if not (DATA / "trec_covid_r1").is_dir():
        sys.exit(f"skipped: the runs are not at {DATA}")
    with tempfile.TemporaryDirectory() as folder:
        studies = Studies.read(Path(folder))
        short = short_form(studies)
        if options.check:
            sys.exit(
                0 if short == written_short_form() else f"{DOCUMENT.name} is out of date: run this without --check"
            )
        text = DOCUMENT.read_text(encoding="utf-8")
        for name, content in sections(studies, options.samples).items():
            between_marks(text, name)
            text = re.sub(
                rf"(<!-- {name} -->\n).*?(\n<!-- end -->)",
                lambda marks, content=content: f"{marks[1]}{content}{marks[2]}", text, flags=re.DOTALL,
            )  # fmt: skip
        text = re.sub(r"<!-- short form: .*? -->", f"<!-- short form: {short} -->", text, flags=re.DOTALL)
        DOCUMENT.write_text(text, encoding="utf-8")
        shown = open_study(DATA / "trec_covid_r1" / "qrels.txt", f"{folder}/covid/**/*", "AP@1000 R@1000 PRES@1000")
        found = ll.incomplete(shown, samples=options.samples)
        found.plot().save(str(FIGURE))
        print(found)


if __name__ == "__main__":
    main()
