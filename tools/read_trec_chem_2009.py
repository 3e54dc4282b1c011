"""Write the tables of the TREC-CHEM 2009 overview as CSV, from a text of the paper.

    python tools/read_trec_chem_2009.py PAPER.txt FOLDER

The text is damaged in places: lines of tables 10 to 12 are doubled, shifted or cut. A cell is taken as read only if it
passes the checks; otherwise it is mended, and the column `note` says from what, as `MEASURE: SOURCE` separated by "; ":

other line      read in a neighbouring or doubled line, and it passes the checks
table N         taken from table 1, 2, 3 or 4, which repeat the best two runs of each team
EP and US       computed from tables 12 and 13, to ±0.0001
full and US     computed from tables 11 and 13, to ±0.0013
doubtful        as read, but it disagrees with another reading
missing         no reading passes the checks; the cell is empty

The checks: means over all 1000 topics follow from those over the 77 European and 923 American ones; the short task has
the 77 European topics and 23 American ones; P_30 of the short task is a multiple of 1/3000.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

MEASURES = ("MAP", "bpref", "MRR", "P_30", "recall_100", "nDCG")
BEST_MEASURES = ("MAP", "bpref", "P_30", "recall_100", "nDCG", "MRR")  # the order of tables 1 to 4
GRADES = ("highly_relevant", "relevant", "irrelevant", "unsure", "unjudged")
ALL, EP, SHORT = 1000, 77, 100  # topics of the full task, those of them from the EPO, and topics of the short task
HALF = 0.00005  # half of the last printed digit
EXACT = 2 * HALF + 1e-9  # a full mean against the one from EP and US: both are rounded
APPROXIMATE = (ALL + (ALL - EP)) * HALF / EP + 1e-9  # an EP mean against the one from full and US
MISREAD = {"BiTeM09PAge": "BiTeM09PAqe", "SCAI09PAfle_sm": "SCAI09PAf1e_sm", "BiTeM09PAbl.sm": "BiTeM09PAbl_sm",
           "DA01": "york09caPA01_sm", "0.00129": "0.0129"}  # fmt: skip
# Cells of table 10 in doubled lines, assigned by reading the lines beside them. A number is accepted only if it passes
# the checks; None: the line holds another run's number, or it is unclear whose it is.
SHORT_LINES: dict[tuple[str, str], float | None] = {
    ("BiTeM09PAcit_sm", "MRR"): 0.4910,  # its own line repeats that of the run above
    ("BiTeM09PAcl_sm", "MAP"): None, ("BiTeM09PAcl_sm", "MRR"): None,
    ("BiTeM09PAcl_sm", "P_30"): 0.0390, ("BiTeM09PAcl_sm", "nDCG"): 0.1785,
    ("SCAI09PAf1d_sm", "bpref"): None, ("SCAI09PAf1d_sm", "P_30"): 0.0017, ("SCAI09PAf1d_sm", "nDCG"): None,
    ("SCAI09PAf2b_sm", "MRR"): None, ("SCAI09PAf2b_sm", "P_30"): None,
    ("SCAI09PAf2c_sm", "MAP"): None, ("SCAI09PAf2c_sm", "bpref"): 0.4799, ("SCAI09PAf2c_sm", "MRR"): 0.0212,
    ("SCAI09PAf2c_sm", "P_30"): None, ("SCAI09PAf2c_sm", "recall_100"): None, ("SCAI09PAf2c_sm", "nDCG"): None,
    ("SCAI09PAt2d_sm", "MAP"): 0.0021, ("SCAI09PAt2d_sm", "bpref"): 0.2703, ("SCAI09PAt2d_sm", "nDCG"): None,
    ("SCAI09PAt2e_sm", "MAP"): None, ("SCAI09PAt2e_sm", "bpref"): 0.4877, ("SCAI09PAt2e_sm", "MRR"): 0.0120,
    ("SCAI09PAt2e_sm", "P_30"): 0.0040,
    ("SCAI09PAt3a_sm", "MAP"): 0.0042, ("SCAI09PAt3a_sm", "bpref"): 0.4302, ("SCAI09PAt3a_sm", "MRR"): 0.0119,
    ("SCAI09PAt3a_sm", "P_30"): 0.0017, ("SCAI09PAt3a_sm", "recall_100"): 0.0115, ("SCAI09PAt3a_sm", "nDCG"): 0.1315,
    ("SCAI09PAt3b_sm", "MAP"): None, ("SCAI09PAt3b_sm", "bpref"): 0.4461, ("SCAI09PAt3b_sm", "MRR"): None,
    ("SCAI09PAt3b_sm", "P_30"): None, ("SCAI09PAt3b_sm", "recall_100"): None, ("SCAI09PAt3b_sm", "nDCG"): 0.1385,
}  # fmt: skip
FULL_DOUBTFUL = {("BiTeM09PAcbb", "nDCG")}  # EP and US give 0.4149; the line is whole
DAMAGED_EP = {f"SCAI09PA{name}" for name in ("t3b", "t3c", "t3d", "t3e", "t4a", "t4b", "t4c")}
BEST_NAMES = {1: "short", 2: "full", 3: "ep", 4: "us"}
SHORT_DOUBTFUL = {("BiTeM09PAcl_sm", "bpref")}  # also read as 0.3330

Cells = dict[str, float]
Line = tuple[list[str], list[list[float]]]  # the words of the first cell, and the numbers of each further cell


class Grid:
    """The values of a table by run and measure, with a note for each cell that is not simply read."""

    def __init__(self) -> None:
        self.values: dict[str, Cells] = {}
        self.notes: dict[str, dict[str, str]] = {}

    def put(self, run: str, measure: str, value: float | None, note: str = "") -> None:
        """Set a cell; None leaves it empty, as missing."""
        cells, notes = self.values.setdefault(run, {}), self.notes.setdefault(run, {})
        if value is None:
            note = "missing"
        else:
            cells[measure] = value
        if note:
            notes[measure] = note

    def rows(self, measures: tuple[str, ...]) -> list[list[str]]:
        """The table as text, with its heading."""
        body = [
            [run, *(f"{cells[name]:.4f}" if name in cells else "" for name in measures),
             "; ".join(f"{name}: {self.notes[run][name]}" for name in measures if name in self.notes[run])]
            for run, cells in self.values.items()
        ]  # fmt: skip
        return [["run", *measures, "note"], *body]


def read_block(lines: list[str], start: int, stop: int) -> list[Line]:
    """The lines between two captions that hold numbers."""
    found = []
    for line in lines[start:stop]:
        head, *cells = line.split("\t")
        numbers = [_numbers(cell) for cell in cells]
        if any(numbers):
            found.append(([MISREAD.get(word, word) for word in head.split()], numbers))
    return found


def _numbers(cell: str) -> list[float]:
    words = (MISREAD.get(word, word) for word in cell.split())
    return [float(word) for word in words if re.fullmatch(r"\d\.\d{4}", word)]


def caption(lines: list[str], number: int) -> int:
    """The line of a table's last caption."""
    return max(place for place, line in enumerate(lines) if line.startswith(f"Table {number}:"))


def best_runs(lines: list[str], number: int) -> Grid:
    """One of tables 1 to 4, which are not damaged. Their captions stand above them."""
    start = caption(lines, number) + 2
    grid = Grid()
    for line in lines[start : lines.index("", start)][1:]:
        _, run, *cells = line.split("\t")
        for measure, cell in zip(BEST_MEASURES, cells, strict=True):
            grid.put(run, measure, float(cell))
    return grid


def read_us(block: list[Line]) -> Grid:
    """Table 13, which is not damaged."""
    grid = Grid()
    for words, cells in block:
        for measure, numbers in zip(MEASURES, cells, strict=True):
            grid.put(words[-1], measure, numbers[0])
    return grid


def from_parts(ep: float, us: float) -> float:
    """The mean over all topics, from the means over European and American ones."""
    return (EP * ep + (ALL - EP) * us) / ALL


def ep_from(full: float, us: float) -> float:
    """The mean over European topics, from the means over all and over American ones."""
    return (ALL * full - (ALL - EP) * us) / EP


def lines_by_run(block: list[Line], runs: list[str]) -> list[int]:
    """The place of each run's line: the last word of its first cell."""
    places = {words[-1]: place for place, (words, _) in enumerate(block) if words}
    return [places[run] for run in runs]


def readings(block: list[Line], place: int, column: int) -> list[float]:
    """The numbers of a cell; none outside the table."""
    return block[place][1][column] if 0 <= place < len(block) and column < len(block[place][1]) else []


def read_full(block: list[Line], ep: list[Line], us: Grid, best: Grid) -> Grid:
    """Table 11: the run's own line, table 2, a neighbouring line, or computed from EP and US."""
    grid, runs = Grid(), list(us.values)
    for run, place, place_ep in zip(runs, lines_by_run(block, runs), lines_by_run(ep, runs), strict=True):
        for m, measure in enumerate(MEASURES):
            own = readings(block, place, m)
            if run in DAMAGED_EP:  # nothing to check it with, but these lines are whole
                grid.put(run, measure, own[0])
                continue
            expected = from_parts(readings(ep, place_ep, m)[0], us.values[run][measure])
            beside = readings(block, place + 1, m) + readings(block, place - 1, m)
            if agree := _agreeing(own, expected, EXACT):
                grid.put(run, measure, agree[0])
            elif (run, measure) in FULL_DOUBTFUL:
                grid.put(run, measure, own[0], "doubtful")
            elif run in best.values:
                grid.put(run, measure, best.values[run][measure], "table 2")
            elif agree := _agreeing(beside, expected, EXACT):
                grid.put(run, measure, agree[0], "other line")
            else:
                grid.put(run, measure, round(expected, 4), "EP and US")
    return grid


def read_ep(block: list[Line], full: Grid, us: Grid) -> Grid:
    """Table 12: the run's own line; where lines are shifted, the next one first, and each number only once."""
    grid, runs = Grid(), list(us.values)
    used: set[tuple[int, int, float]] = set()
    for run, place in zip(runs, lines_by_run(block, runs), strict=True):
        for m, measure in enumerate(MEASURES):
            if run not in DAMAGED_EP:
                grid.put(run, measure, readings(block, place, m)[0])
                continue
            expected = ep_from(full.values[run][measure], us.values[run][measure])
            near = [(other, value) for other in (place + 1, place) for value in readings(block, other, m)]
            for other, value in near:
                if abs(value - expected) <= APPROXIMATE and (other, m, value) not in used:
                    used.add((other, m, value))
                    grid.put(run, measure, value, "other line")
                    break
            else:
                grid.put(run, measure, round(expected, 4), "full and US")
    return grid


def read_short(block: list[Line], ep: Grid, best: Grid) -> Grid:
    """Table 10: the run's own line where it passes the checks, table 1, or a doubled line."""
    grid = Grid()
    lines = {words[-1]: cells for words, cells in block if words}
    for run, cells in lines.items():
        for m, measure in enumerate(MEASURES):
            own, known = cells[m], best.values.get(run, {}).get(measure)
            value = SHORT_LINES[run, measure] if (run, measure) in SHORT_LINES else (own[0] if own else None)
            if value is not None and not possible(ep, run, measure, value):
                value = None
            if known is not None and possible(ep, run, measure, known) and known != value:
                grid.put(run, measure, known, "table 1")
            elif (run, measure) in SHORT_LINES:
                grid.put(run, measure, value, "other line")
            else:
                grid.put(run, measure, value, "doubtful" if (run, measure) in SHORT_DOUBTFUL else "")
    return grid


def possible(ep: Grid, run: str, measure: str, value: float) -> bool:
    """Whether a mean of the short task is possible, given the mean over its 77 European topics."""
    if measure == "P_30" and abs(round(value * 30 * SHORT) / (30 * SHORT) - value) > HALF + 1e-9:
        return False
    name = run.removesuffix("_sm")
    if name not in ep.values or measure not in ep.values[name]:
        return True
    slack = APPROXIMATE if ep.notes[name].get(measure) else HALF
    low = EP * (ep.values[name][measure] - slack)
    high = EP * (ep.values[name][measure] + slack) + (SHORT - EP)
    return low <= SHORT * (value + HALF) and SHORT * (value - HALF) <= high


def _agreeing(values: list[float], expected: float, slack: float) -> list[float]:
    return [value for value in values if abs(value - expected) <= slack]


def student_judgements(lines: list[str]) -> list[list[str]]:
    """Table 6: documents of each topic by grade, checked against the percentages and the totals."""
    start = next(place for place, line in enumerate(lines) if line.startswith("Table 6 shows")) + 2
    body = [line.split("\t") for line in lines[start : lines.index("", start)][1:]]
    rows = [[cells[0].upper().replace("TOTAL", "total"), cells[1], *cells[2::2]] for cells in body]
    for row, cells in zip(rows, body, strict=True):
        documents, *counts = map(int, row[1:])
        shares = [float(cell.rstrip("%")) for cell in cells[3::2]]
        fits = [abs(100 * one / documents - share) < 0.0051 for one, share in zip(counts, shares, strict=True)]
        if sum(counts) != documents or not all(fits):
            sys.exit(f"table 6, {row[0]}: the counts {counts} of {documents} documents do not fit the percentages")
    sums = [sum(int(row[column]) for row in rows[:-1]) for column in range(1, 7)]
    if sums != [int(cell) for cell in rows[-1][1:]]:
        sys.exit(f"table 6: the topics add up to {sums}, printed are {rows[-1][1:]}")
    return [["topic", "documents", *GRADES], *rows[:-1]]


def averages(lines: list[str]) -> list[list[str]]:
    """The last lines of tables 14 and 15: the mean over runs of each topic."""
    heading = next(line for line in lines if line.startswith("Run\tTS-1")).split("\t")
    body = [line.split("\t")[1:] for line in lines if line.startswith("average\t")]
    return [["measure", *heading[1:]], *([name, *row] for name, row in zip(("xinfAP", "infNDCG"), body, strict=True))]


def tables(text: str) -> dict[str, list[list[str]]]:
    """All tables by the name of their file, each with its heading."""
    lines = text.splitlines()
    ends = {number: caption(lines, number) for number in (10, 11, 12, 13)}
    begin = next(place for place, line in enumerate(lines) if line.startswith("Runs\tMAP"))
    blocks = {10: read_block(lines, begin, ends[10])}
    blocks |= {number: read_block(lines, ends[number - 1], ends[number]) for number in (11, 12, 13)}
    best = {number: best_runs(lines, number) for number in (1, 2, 3, 4)}
    us = read_us(blocks[13])
    full = read_full(blocks[11], blocks[12], us, best[2])
    ep = read_ep(blocks[12], full, us)
    short = read_short(blocks[10], ep, best[1])
    found = {f"trec_chem_2009_best_{name}": best[number].rows(BEST_MEASURES) for number, name in BEST_NAMES.items()}
    for name, grid in (("short", short), ("full", full), ("ep", ep), ("us", us)):
        found[f"trec_chem_2009_pa_{name}"] = grid.rows(MEASURES)
    found["trec_chem_2009_ts_student_judgements"] = student_judgements(lines)
    found["trec_chem_2009_ts_averages"] = averages(lines)
    return found


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: read_trec_chem_2009.py PAPER.txt FOLDER")
    for name, rows in tables(Path(sys.argv[1]).read_text(encoding="utf-8")).items():
        with (Path(sys.argv[2]) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
