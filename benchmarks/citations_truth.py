"""Do citations put the systems in their true order? Makes the study of docs/citations-and-truth.md.

    python benchmarks/citations_truth.py FOLDER [--seeds 1,2,3,4,5,6,7,8] [--patents 8000]

The offices are kept in FOLDER, about 150 MB each, and a stopped run continues where it was. An office takes about two
minutes on two cores.
It writes src/leadline/show/papers/citations_truth.json, docs/citations-and-truth.svg, and the tables of the document.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.collections.simulate.settings import Settings
from leadline.show.demo import study_offices
from leadline.show.papers.beyond import recovery_figure, without_options
from leadline.trust.incomplete import Recovery

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "citations-and-truth.md"
STORED = ROOT / "src" / "leadline" / "show" / "papers" / "citations_truth.json"


@contextmanager
def stage(name: str) -> Iterator[None]:
    start = time.monotonic()
    yield None
    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", default="1,2,3,4,5,6,7,8")
    parser.add_argument("--patents", type=int, default=8000)
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    found = study_offices(
        options.folder, seeds=seeds, settings=Settings(patents=options.patents, words="invented"), stage=stage
    )
    rounded = {name: _rounded(value) for name, value in found.to_record().items()}
    STORED.write_text(f"{json.dumps(rounded)}\n", encoding="utf-8")
    recovery_figure(found).save(DOCUMENT.with_suffix(".svg"))
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, table in tables(found).items():
        pattern = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
        text = re.sub(pattern, lambda marks, table=table: f"{marks[1]}{table}{marks[2]}", text, flags=re.DOTALL)
    DOCUMENT.write_text(text, encoding="utf-8")
    print(found.table().render("table"))


def tables(found: Recovery) -> dict[str, str]:
    """The tables of the document, as markdown."""
    tau, top = found.interval(found.tau), found.interval(found.tau_ap)

    def cell(of: tuple[object, object, object], j: int, m: int) -> str:
        mean, low, high = (part[j, m] for part in of)  # type: ignore[index]
        return f"{mean:.2f} ± {(high - low) / 2:.2f}"

    heads = "".join(f" {name} |" for name in found.judged)
    by_kind = [f"| measure |{heads}", f"|:---|{'---:|' * len(found.judged)}"]
    at_top = [f"| measure |{heads}", f"|:---|{'---:|' * len(found.judged)}"]
    for m, measure in enumerate(found.measures):
        kinds = range(len(found.judged))
        by_kind.append(f"| {without_options(measure)} | {' | '.join(cell(tau, j, m) for j in kinds)} |")
        at_top.append(f"| {without_options(measure)} | {' | '.join(cell(top, j, m) for j in kinds)} |")
    pairs = [("PRES@100", "AP@100"), ("PRES@100", "R@100"), ("AP@100", "R@100"), ("PRES@500", "R@500")]
    leads = ["| | τ more | 95 % |", "|:---|---:|---:|"]
    for a, b in pairs:
        mean, low, high = found.lead(found.judged[0], a, b)
        leads.append(f"| {a} over {b} | {mean:+.3f} | {low:+.3f} to {high:+.3f} |")
    for name in ("AP@100", "R@100", "PRES@100"):
        mean, low, high = found.lead("as many at random", name, name, found.judged[0])
        leads.append(f"| {name}, as many at random over citations | {mean:+.3f} | {low:+.3f} to {high:+.3f} |")
    gained = found.flattered("PRES@100")
    few = [*gained.rows[:4], *gained.rows[-4:]]
    flattered = ["| system | places gained, mean | least | most |", "|:---|---:|---:|---:|"]
    flattered += [f"| {run} | {mean:+.1f} | {least:+d} | {most:+d} |" for run, mean, least, most in few]
    return {
        "tau": "\n".join(by_kind),
        "tau_ap": "\n".join(at_top),
        "leads": "\n".join(leads),
        "flattered": "\n".join(flattered),
    }


def _rounded(value: object) -> object:
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 5) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
