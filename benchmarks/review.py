"""Learners and stopping rules on 14 systematic reviews (Cohen 2006), with both labels; writes docs/reviewing.md.

    python benchmarks/review.py [--seeds 100] [--check] [--only rules,switch,oversight,learners,speed,asreview,short]
        [--asreview PYTHON] [--reviews NAMES] [--documents 100000]
        [--kept FOLDER] [--workers 2]

The numbers of the document are between marks. Its short form, 2 seeds of four small reviews, is computed again by the
tests; `--check` only compares it. Reads `reviews` of the shared data (LEADLINE_SHARED, or `shared` beside the
repository). `--asreview` names a Python that has ASReview 3 installed, whose simulation is then timed as well.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that wait for each other would count as processor time
import numpy as np
from marked_document import SHORT, check, fill

from leadline.judge.review.learners import TextFeatures, learned_order
from leadline.judge.review.oversight import CERTIFICATES, Condition, simulate_conditions
from leadline.judge.review.simulation import LabelledReview, ReviewSimulation, simulate_reviews
from leadline.judge.review.stopping import RULES, expected_draws, first_run, switch_point

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data" / "reviews"
DOCUMENT = ROOT / "docs" / "reviewing.md"
LEVELS = {"label_included": "included in the end", "label_abstract_screening": "kept after the abstract"}
SMALL = ("Antihistamines", "Estrogens", "NSAIDS", "UrinaryIncontinence")
PARTS = ("rules", "switch", "oversight", "learners", "speed", "asreview", "short")
LEARNERS_SEEDS = 25  # at most: logistic regression is slow
TARGETS = (0.95, 0.9, 0.8)
CONDITIONS = (
    Condition(0.0, 1, False),
    *(
        Condition(share, readers, hard)
        for share in (0.02, 0.05, 0.1)
        for readers, hard in ((1, False), (1, True), (2, False), (2, True))
    ),
)
SWITCHES, SWITCH_SEEDS = 12, 2  # places where draws may begin, in hindsight; seeds at most, since that takes long
SEEDS_AT_ONCE = 10  # where readers overlook something: so much is lost if the benchmark is interrupted
READ = 200  # documents that are judged while the time is taken


def read_reviews(folder: Path, level: str, names: Sequence[str] = ()) -> list[LabelledReview]:
    csv.field_size_limit(1 << 30)
    reviews = []
    for path in sorted(folder.glob("*.csv")):
        if names and path.stem not in names:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        texts = [f"{row['title']} {row['abstract']}" for row in rows]
        relevant = np.array([row[level] == "1" for row in rows])
        reviews.append(
            LabelledReview(path.stem, tuple(row["record_id"] for row in rows), TextFeatures.of(texts), relevant)
        )
    return reviews


def short_form(folder: Path) -> str:
    """Lines of numbers that change when anything that the document depends on changes."""
    lines = []
    for level in LEVELS:
        simulation = simulate_reviews(read_reviews(folder, level, SMALL), seeds=2)
        lines.append(f"{level} needed {_numbers(simulation.needed)}")
        lines += [f"{level} {rule} {_numbers(simulation.read[..., at])}" for at, rule in enumerate(simulation.rules)]
    return "\n".join(lines)


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.4f}" for value in values.ravel())


def size_line(by_level: dict[str, ReviewSimulation]) -> str:
    first = next(iter(by_level.values()))
    return f"14 reviews, {sum(first.sizes):,} records, {first.seeds} seeds each, target 95 %, α = 0.05."


def default_learner_line(by_level: dict[str, ReviewSimulation]) -> str:
    first = by_level["label_included"]
    saved = {name: f"{values.mean():.3f}"[1:] for name, values in first.saved_by_rounding.items()}
    values = f"{saved['up']} rounded up, {saved['nearest']} to nearest and {saved['down']} down"
    return f"`svm` is the default; over {first.seeds} seeds it has {values}."


def rules_table(by_level: dict[str, ReviewSimulation]) -> str:
    lines = [
        "| rule | what it is |" + "".join(f" {words}: reached | worst review | read |" for words in LEVELS.values())
    ]
    lines.append("|:---|:---|" + "---:|---:|---:|" * len(LEVELS))
    first = next(iter(by_level.values()))
    for at, rule in enumerate(first.rules):
        cells = []
        for found in by_level.values():
            reached = found.reached[0, :, at]
            cells += [f"{reached.mean():.2f}", f"{reached.min():.2f}", f"{found.read[0, ..., at].mean():.2f}"]
        lines.append(f"| `{rule}` | {RULES.named(rule).kind} | {' | '.join(cells)} |")
    best = [cell for found in by_level.values() for cell in ("1.00", "1.00", f"{found.needed[0].mean():.2f}")]
    return "\n".join([*lines, f"| *the best possible stop* | knows the truth | {' | '.join(best)} |"])


class Overseen(NamedTuple):
    """One review with one kind of label, read by readers who overlook in every way: values by target."""

    level: str
    name: str
    values: np.ndarray  # target, condition, seed, certificate, value of a CertifiedRun


def oversight_section(by_review: Sequence[Overseen]) -> str:
    """What both certificates are worth if readers overlook something: a row for each condition."""
    seeds = [each.values.shape[2] for each in by_review]
    runs = sum(seeds)
    targets = " / ".join(f"{100 * target:g} %" for target in TARGETS)
    each = f"{min(seeds)} to {max(seeds)}" if min(seeds) < max(seeds) else f"{min(seeds)}"
    lines = [
        f"{len(by_review)} reviews with one kind of labels, {each} seeds each, {runs:,} runs for each row and target; "
        f"targets {targets}.",
        "",
        "| overlooked | which | readers | readers' certificate: reached | worst review | audit: reached | worst review "
        "| held at every look | read by readers | by the expert |",
        "|---:|:---|---:|:---|:---|:---|:---|:---|:---|:---|",
    ]  # fmt: skip
    for place, condition in enumerate(CONDITIONS):
        cells = np.array(
            [[_audited(each.values[at, place], target) for each in by_review] for at, target in enumerate(TARGETS)]
        )  # target, review, value
        means, worst = cells.mean(axis=1), cells.min(axis=1)
        columns = [means[:, 0], worst[:, 0], means[:, 1], worst[:, 1], *(means[:, number] for number in (2, 3, 4))]
        about = f"{100 * condition.overlooked:g} % | {condition.words} | {condition.readers}"
        lines.append(f"| {about} | " + " | ".join(" / ".join(f"{v:.2f}" for v in each) for each in columns) + " |")
    return "\n".join(lines)


def least_reached(by_review: Sequence[Overseen], count: int = 6) -> str:
    """The cells of single reviews in which the audit reached its target least often, with exact intervals of 95 %."""
    lines = []
    for each in by_review:
        for at, target in enumerate(TARGETS):
            for place, condition in enumerate(CONDITIONS):
                reached = each.values[at, place, :, CERTIFICATES.index("audit"), 1] >= target - 1e-9
                runs, true = len(reached), int(reached.sum())
                interval = _interval(true, runs)
                about = f"{each.name}, {LEVELS[each.level]}, {100 * target:g} %, {100 * condition.overlooked:g} % "
                about += f"{condition.words}, {condition.readers} readers: {true} of {runs}, {interval}"
                lines.append((true / runs, about))
    return "\n".join(about for _, about in sorted(lines)[:count])


def _interval(true: int, runs: int) -> str:
    from scipy.special import betaincinv

    low = betaincinv(true, runs - true + 1, 0.025) if true else 0.0
    high = betaincinv(true + 1, runs - true, 0.975) if true < runs else 1.0
    return f"[{low:.3f}, {high:.3f}]"


def _audited(of: np.ndarray, target: float) -> list[float]:
    """Of one review: how often both certificates reached, how often the audit's limit held, and what was read."""
    reading, audit = (of[:, CERTIFICATES.index(name)] for name in ("reading", "audit"))
    reached = [float((each[:, 1] >= target - 1e-9).mean()) for each in (reading, audit)]
    return [*reached, *(float(audit[:, number].mean()) for number in (2, 3, 4))]


def oversight(folder: Path, seeds: int, kept: Path, workers: int) -> list[Overseen]:
    """All reviews with both kinds of labels; what a run before computed is taken from the folder `kept`.

    Without workers, that is all.
    """
    kept.mkdir(parents=True, exist_ok=True)
    names = sorted(
        (path.stem for path in folder.glob("*.csv")), key=lambda name: (folder / f"{name}.csv").stat().st_size
    )
    asked = [(level, name) for name in names for level in LEVELS]
    starts = range(0, seeds, SEEDS_AT_ONCE)
    if not workers:
        return [
            Overseen(*each, np.concatenate([np.load(stored) for stored in done], axis=2))
            for each in asked
            if (done := sorted(kept.glob(f"oversight-{'-'.join(each)}-*.npy")))
        ]
    begin, found = time.process_time(), []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        jobs: dict[tuple[str, str], list[Future[np.ndarray]]] = {each: [] for each in asked}
        for first in starts:  # all reviews alike, so that what is there after an interruption says something
            for each in asked:
                jobs[each].append(pool.submit(_overseen, folder, *each, first, min(SEEDS_AT_ONCE, seeds - first), kept))
        for number, (each, parts) in enumerate(jobs.items(), 1):
            found.append(Overseen(*each, np.concatenate([part.result() for part in parts], axis=2)))
            _progress(number * 100, len(jobs) * 100)
    print(f"oversight: {time.process_time() - begin:.0f} s here", file=sys.stderr)
    return found


def _overseen(folder: Path, level: str, name: str, first: int, seeds: int, kept: Path) -> np.ndarray:
    """Some seeds of one review with one kind of label."""
    stored = kept / f"oversight-{level}-{name}-{first}-{seeds}.npy"
    if not stored.is_file():
        (review,) = read_reviews(folder, level, [name])
        found = simulate_conditions([review], CONDITIONS, TARGETS, seeds=seeds, first=first)
        beside = stored.with_suffix(f".{os.getpid()}")
        with beside.open("wb") as file:
            np.save(file, np.stack([each.values[:, 0] for each in found]))
        beside.rename(stored)
    return np.load(stored)


def switch_table(folder: Path, seeds: int) -> str:
    """What is read if random draws begin by different rules, until the target is certified: means over the draws."""
    rules: dict[str, Callable[[np.ndarray, float], int]] = {
        "max(20, min(u/k, 0.3 N)) in a row": switch_point,
        "2 % of all in a row": lambda labels, _: first_run(labels, max(20, round(0.02 * len(labels)))),
        "the best in hindsight": _best_switch,
    }
    read = {name: np.zeros((len(TARGETS), 0)) for name in rules}
    for level in LEVELS:
        for review in read_reviews(folder, level):
            found = {name: np.zeros((len(TARGETS), seeds)) for name in rules}
            for seed in range(seeds):
                labels = review.relevant[learned_order(review.features, review.relevant, review.start(seed), seed=seed)]
                for name, rule in rules.items():
                    for at, target in enumerate(TARGETS):
                        found[name][at, seed] = _read_in_all(labels, rule(labels, target), target) / len(labels)
            for name, values in found.items():
                read[name] = np.concatenate((read[name], values.mean(axis=1, keepdims=True)), axis=1)
    lines = [
        f"| draws begin after, {seeds} seeds | read for 95 % | 90 % | 80 % |",
        "|:---|---:|---:|---:|",
        *(
            f"| {name} | {' | '.join(f'{value:.2f}' for value in values.mean(axis=1))} |"
            for name, values in read.items()
        ),
    ]
    return "\n".join(lines)


def _read_in_all(labels: np.ndarray, switch: int, target: float) -> float:
    """The documents read if draws begin there, until the target is certified; a mean over the draws."""
    found, missing = int(labels[:switch].sum()), int(labels[switch:].sum())
    return switch + expected_draws(found, len(labels) - switch, missing, target=target)


def _best_switch(labels: np.ndarray, target: float) -> int:
    points = np.unique(np.linspace(2, len(labels), SWITCHES).astype(int)).tolist()
    return min(points, key=lambda point: _read_in_all(labels, point, target))


def learners_table(folder: Path, seeds: int) -> str:
    reviews = read_reviews(folder, "label_included")
    lines = [
        f"| learner, {seeds} seeds | WSS@95, rounded up | to nearest | down | processor time of a pass over all |",
        "|:---|---:|---:|---:|---:|",
    ]
    for name in ("svm", "naive-bayes", "logistic", "autotar"):
        begin = time.process_time()
        found = simulate_reviews(reviews, learners=[name], rules=["budget"], seeds=seeds)
        seconds = (time.process_time() - begin) / seeds
        saved = [values.mean() for values in found.saved_by_rounding.values()]
        lines.append(f"| `{name}` | {' | '.join(f'{value:.3f}' for value in saved)} | {seconds:.2f} s |")
    return "\n".join(lines)


def speed_table(folder: Path, documents: int, place: Path) -> str:
    """A review of many documents as the pages serve it: how long each answer takes, and how much memory."""
    from leadline.judge.journal import Person
    from leadline.judge.review.exchange import begin_review
    from leadline.judge.review.project import ReviewSettings
    from leadline.show.serve.desks import ReviewDesk
    from leadline.show.serve.reviewing_pages import ReviewAnswers

    _write_many(folder, place / "many.jsonl", documents)
    times = [_now()]
    settings = ReviewSettings("Many", query="randomized trial of beta blockers in heart failure")
    project = begin_review(place / "review", [place / "many.jsonl"], settings)
    times.append(_now())
    memory = [_most_memory()]
    desk = ReviewDesk(project)
    times.append(_now())
    memory.append(_most_memory())
    desk.proposer.start()
    answers, person = ReviewAnswers(desk), Person("anna", "assessor", "", "2999-01-01T00:00:00+00:00")
    waits, busy, learning = [], [], []
    for number in range(READ):
        begin, used = time.perf_counter(), time.thread_time()
        (card,) = answers.next_cards(person, "abstract", "[]", 1)["cards"]
        waits.append(time.perf_counter() - begin)
        busy.append(time.thread_time() - used)
        grade = "1" if "blocker" in card["abstract"].lower() else "0"
        content = {"id": f"speed-{number:06}", "topic": "abstract", "document": card["document"]}
        desk.write(person, "mark", content, grade)
        learning.append((desk.proposer.seconds, desk.proposer.processor_seconds))
        time.sleep(0.2)  # nobody reads faster
    desk.close()
    memory.append(_most_memory())
    slowest = [max(each) for each in zip(*learning, strict=True)]
    built, opened = ([f"{value:.0f} s" for value in times[at + 1] - times[at]] for at in range(2))
    lines = [
        f"| {documents:,} documents | elapsed | processor time | memory at most, so far |", "|:---|---:|---:|---:|",
        f"| read into a collection | {' | '.join(built)} | {memory[0]} |",
        f"| opened: words weighed, first order | {' | '.join(opened)} | {memory[1]} |",
        f"| the next document, median of {READ} | {_ms(np.median(waits))} | {_ms(np.median(busy))} | |",
        f"| the next document, slowest | {_ms(max(waits))} | {_ms(max(busy))} | |",
        f"| learning in the background, slowest of {desk.proposer.rounds} | {slowest[0]:.2f} s | {slowest[1]:.2f} s "
        f"| {memory[2]} |",
    ]  # fmt: skip
    return "\n".join(lines)


def _now() -> np.ndarray:
    """The clock, and the processor time so far."""
    return np.array([time.perf_counter(), time.process_time()])


def _most_memory() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def _write_many(folder: Path, path: Path, documents: int) -> None:
    """Documents whose sentences are those of the reviews, mixed within each review."""
    random, sentences = np.random.default_rng(1), []
    csv.field_size_limit(1 << 30)
    for source in sorted(folder.glob("*.csv")):
        with source.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        sentences.append(
            ([row["title"] for row in rows], [s for row in rows for s in row["abstract"].split(". ") if s])
        )
    with path.open("w", encoding="utf-8") as out:
        for number in range(documents):
            titles, parts = sentences[random.integers(len(sentences))]
            chosen = [parts[at] for at in random.integers(len(parts), size=8)]
            title = titles[random.integers(len(titles))]
            out.write(json.dumps({"id": f"d{number}", "title": title, "abstract": ". ".join(chosen)}) + "\n")


def asreview_table(folder: Path, python: str, kept: Path, names: Sequence[str] = ()) -> str:
    """The same reviews, starts and model by ASReview's simulation: work saved, and processor time of whole processes.

    Like for like: on both sides the time is that of the command, from the start of Python, through the table and the
    words, to the order on the disk. What ASReview found is kept in a folder, so that an interrupted run goes on.
    """
    reviews = read_reviews(folder, "label_included", names)
    saved: dict[int | None, float] = {}
    for batch in (1, 3, None):
        orders = [
            review.relevant[learned_order(review.features, review.relevant, review.start(0), batch=batch)]
            for review in reviews
        ]
        saved[batch] = float(np.mean([_saved(labels) for labels in orders]))
    simulated = [
        _simulated(folder, review, python, kept) for review in sorted(reviews, key=lambda each: len(each.documents))
    ]
    theirs, their_seconds = [_saved(labels) for labels, _ in simulated], sum(seconds for _, seconds in simulated)
    lines = [
        f"{len(reviews)} reviews: {', '.join(review.name for review in reviews)}.", "",
        "| | WSS@95, rounded up | a command for each review | one command for all |",
        "|:---|---:|---:|---:|",
        f"| ASReview, `elas_u4`, one by one | {np.mean(theirs):.3f} | {their_seconds:.0f} s | |",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        tables = [folder / f"{review.name}.csv" for review in reviews]
        together = Path(place) / "tables"
        together.mkdir()
        for table in tables:
            shutil.copy(table, together)
        for batch, value in saved.items():
            each = sum(_whole_command(table, Path(place) / "orders", batch) for table in tables)
            at_once = _whole_command(together, Path(place) / "orders", batch)
            words = {None: "batches that grow by a tenth", 1: "one by one"}.get(batch, f"{batch} at a time")
            times = [f"{seconds:.1f} s, {their_seconds / seconds:.0f} times less" for seconds in (each, at_once)]
            lines.append(f"| Leadline, `svm`, {words} | {value:.3f} | {' | '.join(times)} |")
    return "\n".join(lines)


def _whole_command(tables: Path, orders: Path, batch: int | None) -> float:
    """The processor time of a whole command that reads tables and writes the orders of reading."""
    shutil.rmtree(orders, ignore_errors=True)
    leadline = Path(sys.executable).parent / "leadline"
    command = [str(leadline), "review", "simulate", str(tables), "--column", "label_included", "--seeds", "1", "-q"]
    command += ["--rule", "budget", "--runs", str(orders), *(["--batch", str(batch)] if batch else [])]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _simulated(folder: Path, review: LabelledReview, python: str, kept: Path) -> tuple[np.ndarray, float]:
    """The labels of a review in the order in which ASReview has them read, and the processor time it took."""
    kept.mkdir(parents=True, exist_ok=True)
    stored = kept / f"{review.name}.json"
    if not stored.is_file():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as place:
            source, made = Path(place) / f"{review.name}.csv", Path(place) / f"{review.name}.asreview"
            with (folder / f"{review.name}.csv").open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            with source.open("w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                out.writerow(["title", "abstract", "included"])
                out.writerows([row["title"], row["abstract"], row["label_included"]] for row in rows)
            command = [
                python, "-m", "asreview", "simulate", str(source), "-o", str(made), "--ai", "elas_u4", "--seed", "1",
                "--n-stop", "-1", "--prior-idx", *map(str, review.start(0)),
            ]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True)
            labels = _simulated_labels(made, Path(place))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        stored.write_text(json.dumps({"labels": labels.astype(int).tolist(), "seconds": seconds}))
    found = json.loads(stored.read_text())
    return np.array(found["labels"]) == 1, float(found["seconds"])


def _saved(labels: np.ndarray) -> float:
    wanted = int(np.ceil(0.95 * labels.sum() - 1e-9))
    return 0.95 - (int(np.flatnonzero(labels)[wanted - 1]) + 1) / len(labels)


def _simulated_labels(project: Path, place: Path) -> np.ndarray:
    with zipfile.ZipFile(project) as archive:
        name = next(each for each in archive.namelist() if each.endswith(("results.db", "results.sql")))
        archive.extract(name, place)
    with sqlite3.connect(place / name) as database:
        return np.array([label for (label,) in database.execute("select label from results order by rowid")]) == 1


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    parser.add_argument("--only", default="", help=f"parts to compute, of {', '.join(PARTS)}")
    parser.add_argument("--asreview", default="", help="a Python with ASReview 3")
    parser.add_argument("--kept", default="simulations", help="a folder for parts that are done: a run goes on there")
    parser.add_argument(
        "--workers", type=int, default=2, help="processes of the part oversight; 0: what is done already"
    )
    parser.add_argument("--reviews", default="", help="names of reviews for ASReview (default: all)")
    parser.add_argument("--documents", type=int, default=100_000, help="of the part speed")
    options = parser.parse_args(arguments)
    if not (DATA / "cohen_2006.tar.xz").is_file():
        sys.exit(f"skipped: the reviews are not at {DATA}")
    wanted = set(options.only.split(",")) if options.only else set(PARTS)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with tarfile.open(DATA / "cohen_2006.tar.xz") as packed:
            packed.extractall(folder, filter="data")
        if options.check:
            check(DOCUMENT, {SHORT: short_form(folder)})
            return
        sections: dict[str, str] = {}
        if "speed" in wanted:  # first: the memory that is printed is the most so far
            with tempfile.TemporaryDirectory() as large:
                sections[f"{options.documents:,} documents"] = speed_table(folder, options.documents, Path(large))
        if "asreview" in wanted and options.asreview:
            sections["asreview"] = asreview_table(
                folder, options.asreview, Path(options.kept), options.reviews.split(",") if options.reviews else ()
            )
        if "learners" in wanted:
            sections["learners"] = learners_table(folder, min(options.seeds, LEARNERS_SEEDS))
        if "rules" in wanted:
            with ProcessPoolExecutor(len(LEVELS), multiprocessing.get_context("spawn")) as workers:
                found = workers.map(_simulated_level, [folder] * len(LEVELS), LEVELS, [options.seeds] * len(LEVELS))
                by_level = dict(zip(LEVELS, found, strict=True))
            sections |= {"size": size_line(by_level), "default learner": default_learner_line(by_level)}
            sections["rules"] = rules_table(by_level)
        if "switch" in wanted:
            sections["switch"] = switch_table(folder, min(options.seeds, SWITCH_SEEDS))
        if "oversight" in wanted:
            overseen = oversight(folder, options.seeds, Path(options.kept), options.workers)
            sections["oversight"] = oversight_section(overseen)
            print(least_reached(overseen))
        if wanted & {"rules", "short"}:
            sections[SHORT] = short_form(folder)
        print("\n\n".join(text for name, text in sections.items() if name != SHORT))
        fill(DOCUMENT, sections)
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def _simulated_level(folder: Path, level: str, seeds: int) -> ReviewSimulation:
    """All reviews with one kind of label, read with all rules."""
    found = simulate_reviews(read_reviews(folder, level), seeds=seeds, progress=_progress)
    print(f"{level}: {time.process_time():.0f} s of processor time", file=sys.stderr)
    return found


def _progress(done: int, total: int) -> None:
    if done % 100 == 0 or done == total:
        print(f"{done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
