"""Numbers printed in papers, as data to compare with.

>>> clef_ip_2009_scores()[0]
{'run': 'R01', 'MAP': 0.077, 'recall': 0.53, 'PRES': 0.434}
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.measures.hits import Array
from leadline.records.scores import Scores

SOURCES = {
    "clef_ip_2009_scores": "MAP, recall and PRES of 48 runs of CLEF-IP 2009 (Magdy and Jones 2010)",
    "clef_ip_2009_robustness": "Kendall's tau when judgements are left out, CLEF-IP 2009 (Magdy and Jones 2010)",
    "pres_worked_examples": "the worked examples of PRES (Magdy and Jones, SIGIR 2010)",
    "trec_chem_2009_best_short": "prior-art task, 100 topics, best two runs of each team, TREC-CHEM 2009, table 1",
    "trec_chem_2009_best_full": "prior-art task, all topics, best two runs of each team, TREC-CHEM 2009, table 2",
    "trec_chem_2009_best_ep": "prior-art task, European topics, best two runs of each team, TREC-CHEM 2009, table 3",
    "trec_chem_2009_best_us": "prior-art task, US topics, best two runs of each team, TREC-CHEM 2009, table 4",
    "trec_chem_2009_pa_short": "prior-art task, 100 topics, 59 runs, TREC-CHEM 2009, table 10",
    "trec_chem_2009_pa_full": "prior-art task, all topics, 47 runs, TREC-CHEM 2009, table 11",
    "trec_chem_2009_pa_ep": "prior-art task, European topics, 47 runs, TREC-CHEM 2009, table 12",
    "trec_chem_2009_pa_us": "prior-art task, US topics, 47 runs, TREC-CHEM 2009, table 13",
    "trec_chem_2009_ts_averages": "mean xinfAP and infNDCG of 31 runs by topic, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_disagreement": "how often two judges disagreed, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_expert_judgements": "what the experts judged, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_infndcg": "infNDCG of 31 runs on 18 topics, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_percentages": "the percentages printed in tables 5 to 7, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_student_judgements": "what the students judged, merged, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_topics": "the 18 topics, their needs in our own words, TREC-CHEM 2009 (Lupu et al.)",
    "trec_chem_2009_ts_xinfap": "xinfAP of 31 runs on 18 topics, TREC-CHEM 2009 (Lupu et al.)",
}


def names() -> list[str]:
    """The names of all tables."""
    return list(SOURCES)


def table(name: str) -> list[dict[str, Any]]:
    """A published table as records, numbers as numbers."""
    if name not in SOURCES:
        raise InputError("published", f"no table {name!r}; the tables are {', '.join(SOURCES)}")
    text = resources.files(__package__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return [{key: _number(value) for key, value in record.items()} for record in csv.DictReader(text.splitlines())]


def _number(text: str) -> Any:
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return text


def clef_ip_2009_scores() -> list[dict[str, Any]]:
    """MAP, recall and PRES of the 48 runs of CLEF-IP 2009."""
    return table("clef_ip_2009_scores")


def clef_ip_2009() -> Scores:
    """The same as Scores with the single topic `all`, because the paper prints only means."""
    records = clef_ip_2009_scores()
    measures = ("MAP", "recall", "PRES")
    values = np.array([[[record[measure] for measure in measures]] for record in records], float)
    return Scores(tuple(record["run"] for record in records), ("all",), measures, values)


def trec_chem_2009(measure: str = "xinfAP") -> Scores:
    """The 31 technology-survey runs of TREC-CHEM 2009 on 18 topics, by xinfAP or infNDCG."""
    if measure.lower() not in ("xinfap", "infndcg"):
        raise InputError("published", f"TREC-CHEM 2009 is printed for xinfAP and infNDCG, not for {measure!r}")
    records = table(f"trec_chem_2009_ts_{measure.lower()}")
    topics = tuple(key for key in records[0] if key != "run")
    values = np.array([[[record[topic]] for topic in topics] for record in records], float)
    return Scores(tuple(record["run"] for record in records), topics, (measure,), values)


@dataclass(frozen=True)
class ChemScores:
    """Mean scores of runs of the prior-art task of TREC-CHEM 2009, as printed."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    values: Array  # run × measure; NaN where the number is not legible
    notes: tuple[dict[str, str], ...]  # for each run, how a measure was mended; empty if all are as read

    def at(self, run: str, measure: str) -> float:
        """The score of a run."""
        return float(self.values[self.runs.index(run), self.measures.index(measure)])

    def note(self, run: str, measure: str) -> str:
        """How the score of a run was mended; empty if it is as read."""
        return self.notes[self.runs.index(run)].get(measure, "")


def prior_art(name: str) -> ChemScores:
    """A table of the prior-art task: best_short, best_full, best_ep, best_us, or pa_ instead of best_ for all runs."""
    records = table(f"trec_chem_2009_{name}")
    measures = tuple(key for key in records[0] if key not in ("run", "note"))
    values = [[np.nan if record[key] == "" else record[key] for key in measures] for record in records]
    notes = tuple(dict(one.split(": ") for one in record["note"].split("; ") if one) for record in records)
    return ChemScores(tuple(record["run"] for record in records), measures, np.array(values, float), notes)


def pres_worked_examples() -> list[dict[str, Any]]:
    """The worked examples of PRES: the ranks of the relevant documents, and their printed recall, AP and PRES."""
    records = table("pres_worked_examples")
    for record in records:
        record["ranks"] = [int(rank) for rank in str(record["ranks"]).split()]
    return records
