"""Beyond the papers: do citations put the systems in their true order?"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from leadline.errors import InputError
from leadline.measures.hits import Array
from leadline.records.scores.table import Table
from leadline.show.figures.formatting import count
from leadline.show.papers.exhibit import Exhibit, Paper, renamed
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.recovery_chart import recovery_figure, without_options
from leadline.text.checksums import check_seal, parsed_object
from leadline.text.stored import stored_bytes
from leadline.trust.recovery import Recovery

NAME = "citations-truth"
STORED = "citations-truth.json"  # the study of a lab whose truth is known
SHIPPED = "citations_truth.json"  # the study that comes with the package, made by benchmarks/citations_truth.py


def paper(lab: PaperInputs | None = None) -> Paper:
    """The study of several offices that comes with the package, and the lab's own study if it has one."""
    exhibits = [_exhibit(shipped(), "Simulated offices", NAME)]
    if lab is not None and (lab.folder / STORED).is_file():
        exhibits.append(_exhibit(read_stored(lab.folder / STORED), "The lab's own office", f"{NAME}-lab"))
    return Paper(
        NAME, "Beyond the papers: do citations put the systems in their true order?",
        "A study of simulated offices, docs/citations-and-truth.md", tuple(exhibits),
    )  # fmt: skip


def read_stored(path: Path) -> Recovery:
    """The study that a lab has stored; InputError where it is missing or damaged."""
    fix = f"delete it, and run the demo again in {path.parent}"
    try:
        record = parsed_object(stored_bytes(path), str(path), fix)
        check_seal(record, str(path), fix)
        return Recovery.of_record(record)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (KeyError, ValueError, TypeError):
        raise InputError(str(path), f"is damaged, it is not a study: {fix}") from None


def shipped() -> Recovery:
    """The study of several offices that comes with the package."""
    text = resources.files("leadline.show.papers").joinpath(SHIPPED).read_text(encoding="utf-8")
    return Recovery.of_record(json.loads(text))


def _exhibit(found: Recovery, name: str, address: str) -> Exhibit:
    drawn = recovery_figure(found)
    about = f"{len(found.runs)} systems in {count(found.collections, 'office')}, ranked by citations and by the truth"
    finding = f"{drawn.title}. Real offices differ: docs/simulated-office.md lists what is not modelled."
    return Exhibit(name, about, "new", finding, summaries(found), (renamed(drawn, address),))


def summaries(found: Recovery) -> tuple[Table, Table]:
    """Tau and tau_AP of each measure by each kind of judgements, with half the width of the interval over offices."""
    return _summary(found, "τ", found.tau), _summary(found, "τ_AP", found.tau_ap)


def _summary(found: Recovery, name: str, of: Array) -> Table:
    mean, low, high = found.interval(of)
    rows = [[without_options(measure), *mean[:, m].tolist()] for m, measure in enumerate(found.measures)]
    asides = {
        (m, j + 1): f"±{(high[j, m] - low[j, m]) / 2:.2f}"
        for m in range(len(found.measures))
        for j in range(len(found.judged))
        if found.collections > 1
    }
    return Table([name, *found.judged], rows, digits=2, asides=asides)
