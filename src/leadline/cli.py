"""The command line. Each command is a thin cover over the same function in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leadline.errors import InputError, LeadlineError, checked_choice

if TYPE_CHECKING:
    from leadline.scores.scores import Scores
    from leadline.scores.table import Table

app = typer.Typer(
    name="leadline",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="How deep does a search system let you reach, and can the answer be believed?",
)

FormatOption = Annotated[
    str, typer.Option("--format", "-f", help="table, tsv, csv, json, parquet, latex or markdown", metavar="FORMAT")
]
OutputOption = Annotated[
    str | None, typer.Option("--output", "-o", help="Write to this file, whole or not at all.", metavar="FILE")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing beside the result.")]


def main() -> None:
    """Run a command; what the user can put right is one line on standard error and status 1."""
    try:
        app()
    except LeadlineError as error:
        print(f"leadline: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left, as `head` does
        sys.exit(0)
    except KeyboardInterrupt:
        print("leadline: stopped", file=sys.stderr)
        sys.exit(130)


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from leadline import __version__

        print(f"leadline {__version__}")
        raise typer.Exit


@app.command(
    epilog='Example: `leadline evaluate qrels.txt runs/*.run.gz -m "PRES@100 R@100 AP nDCG@10"`'
)
def evaluate(
    qrels: Annotated[str, typer.Argument(help="Judgements; - is standard input.", metavar="QRELS")],
    runs: Annotated[list[str], typer.Argument(help="Runs: files, patterns, folders, Parquet.", metavar="RUN...")],
    measures: Annotated[
        list[str] | None, typer.Option("--measures", "-m", help='Such as "PRES@100 AP nDCG@10".', metavar="MEASURES")
    ] = None,
    by_topic: Annotated[bool, typer.Option("--by-topic", help="Every topic, then the mean.")] = False,
    rel: Annotated[int | None, typer.Option(help="Smallest grade that is relevant.", metavar="GRADE")] = None,
    like: Annotated[
        str | None, typer.Option(help="Rules and output of another program: trec_eval, sample_eval.", metavar="PROGRAM")
    ] = None,
    ties: Annotated[bool, typer.Option("--ties", help="Lowest and highest score the order in ties allows.")] = False,
    unjudged: Annotated[
        str, typer.Option(help="Unjudged are wrong, left out (condensed) or right; or all three.", metavar="HOW")
    ] = "wrong",
    order: Annotated[str, typer.Option(help="Rank by score, by the rank column, or as in the file.")] = "score",
    topics: Annotated[str | None, typer.Option(help="Only the topics in this file.", metavar="FILE")] = None,
    runs_info: Annotated[
        str | None, typer.Option(help="Table of runs: run, team, task, ...", metavar="FILE")
    ] = None,
    best: Annotated[int | None, typer.Option(help="Keep the best N runs.", metavar="N", min=1)] = None,
    per: Annotated[str | None, typer.Option(help="... of each team, say.", metavar="COLUMN")] = None,
    reads: Annotated[
        str | None, typer.Option(help="Reading log (topic document seconds) for CT and TBG.", metavar="FILE")
    ] = None,
    lengths: Annotated[str | None, typer.Option(help="Document lengths (document words).", metavar="FILE")] = None,
    qrels_format: Annotated[
        str | None, typer.Option(help="plain, strata, subtopics, prels or passages.", metavar="FORMAT")
    ] = None,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Score runs against judgements."""
    from leadline.scores.table import FORMATS
    from leadline.text.side_tables import read_lengths, read_runs_info, read_topics

    checked_choice("--format", format, FORMATS)
    checked_choice("--unjudged", unjudged, ("wrong", "condensed", "right", "all"))
    checked_choice("--order", order, ("score", "rank", "file"))
    if like is not None:
        checked_choice("--like", like, ("trec_eval", "sample_eval"))
    if [qrels, *runs].count("-") > 1:
        raise InputError("standard input", "is named twice, and can be read once")
    wanted = read_topics(topics) if topics else None
    if like == "trec_eval":
        from leadline.measures.like_trec_eval import asked_for, report_runs

        checked_choice("--unjudged", unjudged, ("wrong", "condensed"))
        text = report_runs(
            qrels, runs, level=1 if rel is None else rel, by_topic=by_topic, topics=wanted, order=order,  # type: ignore[arg-type]
            unjudged=unjudged, names=asked_for(measures),  # type: ignore[arg-type]
        )  # fmt: skip
        _emit(text.encode("utf-8", "surrogateescape"), output)
        return
    from leadline.measures.evaluate import evaluate as score

    info = read_runs_info(runs_info) if runs_info else {}
    with _bar("reading runs", quiet) as progress:
        scores = score(
            qrels, runs, measures, rel=rel, order=order, topics=wanted, unjudged=unjudged, ties=ties,  # type: ignore[arg-type]
            like=like, reads=reads, lengths=read_lengths(lengths) if lengths else None,  # type: ignore[arg-type]
            qrels_format=qrels_format, runs_info=info, progress=progress,
        )  # fmt: skip
    if per is not None and not any(per in attributes for attributes in info.values()):
        raise InputError("--per", f"{per!r} is no column of --runs-info{'' if info else ', which is missing'}")
    if best is not None:
        scores = scores.best_per(best, per)
    for_people = format in ("table", "latex", "markdown")
    table = (
        scores.wide(by_topic=by_topic, intervals=format == "table", sort=True)
        if for_people
        else scores.long(by_topic=by_topic)
    )
    if format == "table" and output is None and not quiet:
        print(_headline(scores), end="\n\n")
    _emit_table(table, format, output)
    if not quiet:
        _say(scores.notes)


@app.command(epilog="Example: `leadline measures recall`")
def measures(
    words: Annotated[list[str] | None, typer.Argument(help="Only those with these words.", metavar="[WORD...]")] = None,
    format: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Every measure, with one line of meaning."""
    from leadline.measures.registry import definitions
    from leadline.scores.table import FORMATS, Table

    checked_choice("--format", format, FORMATS)
    rows = []
    for definition in definitions().values():
        line = [
            definition.name + (f"@{definition.at}" if definition.at else ""),
            definition.meaning,
            ", ".join(option for option in definition.parameters if option != definition.at),
            ", ".join(definition.aliases),
        ]
        if all(word.lower() in " ".join(line).lower() for word in words or []):
            rows.append(line)
    if not rows:
        raise InputError("measures", f"none speaks of {' '.join(words or [])!r}; `leadline measures` lists them all")
    columns = ["measure", "meaning", "options", "also called"]
    shown = 3 if format == "table" else 4  # a terminal is not wide enough for the aliases
    _emit_table(Table(columns[:shown], [row[:shown] for row in rows]), format, output)


@app.command(
    epilog='Example: `leadline explain "PRES@100"`, or `leadline explain PRES@100 qrels.txt bm25.run 51`'
)
def explain(
    measure: Annotated[str, typer.Argument(help='Such as "nDCG(gain=exp)@10".', metavar="MEASURE")],
    qrels: Annotated[str | None, typer.Argument(metavar="[QRELS")] = None,
    run: Annotated[str | None, typer.Argument(metavar="RUN")] = None,
    topic: Annotated[str | None, typer.Argument(metavar="TOPIC]")] = None,
    order: Annotated[str, typer.Option(help="Rank by score, by the rank column, or as in the file.")] = "score",
    rel: Annotated[int | None, typer.Option(help="Smallest grade that is relevant.", metavar="GRADE")] = None,
    reads: Annotated[str | None, typer.Option(help="Reading log for CT and TBG.", metavar="FILE")] = None,
    lengths: Annotated[str | None, typer.Option(help="Document lengths (document words).", metavar="FILE")] = None,
    qrels_format: Annotated[str | None, typer.Option(metavar="FORMAT")] = None,
    format: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """What a measure means; with QRELS RUN TOPIC, where one score comes from."""
    from leadline.measures.explain import explain_topic
    from leadline.measures.notation import parse_measure
    from leadline.scores.table import FORMATS
    from leadline.text.side_tables import read_lengths

    checked_choice("--format", format, FORMATS)
    wanted = parse_measure(measure, rel=rel)
    if qrels is None:
        _emit(_described(wanted).encode(), output)
        return
    if run is None or topic is None:
        raise InputError("explain", "give QRELS RUN TOPIC to explain a score, or the measure alone")
    parts = explain_topic(
        wanted, qrels, run, topic, order=order,  # type: ignore[arg-type]
        reads=reads, qrels_format=qrels_format,
        lengths=read_lengths(lengths) if lengths else None,
    )  # fmt: skip
    if format == "table" and output is None:
        print(f"{parts.measure} of topic {topic}: {parts.value:.4f}\n")
    _emit_table(parts.table(), format, output)


@app.command(epilog="Example: `leadline ideal claims.qrels --kind coverage -o ideal.run`")
def ideal(
    qrels: Annotated[str, typer.Argument(help="Judgements by subtopic.", metavar="QRELS")],
    kind: Annotated[str, typer.Option(help="coverage: subtopics in turn; single: one after the other.")] = "coverage",
    theta: Annotated[str, typer.Option(help="Weights: equal, claims, decay, halving, given.")] = "equal",
    qrels_format: Annotated[str | None, typer.Option(metavar="FORMAT")] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="The run to write.", metavar="RUN")] = "-",
) -> None:
    """Write one of the two ideal runs for judgements by subtopic."""
    from leadline.measures.ideal import ideal_run
    from leadline.qrels.read import read_qrels

    checked_choice("--kind", kind, ("coverage", "single"))
    checked_choice("--theta", theta, ("equal", "claims", "decay", "halving", "given"))
    run = ideal_run(read_qrels(qrels, format=qrels_format or "subtopics"), kind=kind, theta=theta)  # type: ignore[arg-type]
    _emit(run.to_bytes(), output)


@app.command(epilog="Example: `leadline demo`")
def demo() -> None:
    """What the package can show without any data of yours."""
    from leadline.demo import published_tables

    for line in published_tables():
        print(line)


def _headline(scores: Scores) -> str:
    """The answer in one sentence."""
    leader, measure = scores.leader(), scores.measures[0]
    value = scores.means()[leader, 0]
    topics = f"{len(scores.topics)} topic{'s' * (len(scores.topics) != 1)}"
    if len(scores.runs) == 1:
        return f"{scores.runs[0]} scores {measure} {value:.3f} over {topics}."
    return f"{scores.runs[leader]} leads {len(scores.runs)} runs with {measure} {value:.3f} over {topics}."


def _described(measure: Any) -> str:
    from leadline.measures.explain import SECTIONS, options, sections, worked_example

    text = sections(measure.definition)
    names = ", ".join(measure.definition.aliases)
    lines = [f"{measure.text}" + (f"  (also: {names})" if names else ""), "", text["Meaning"], ""]
    lines += [f"{heading + ':':<12}{text[heading]}" for heading in SECTIONS if heading in text]
    lines += [f"{'Better:':<12}{measure.definition.better}"]
    given = options(measure)
    if given:
        lines += ["", "Options"]
        lines += [f"  {name:<20} {value:<12} {allowed}" for name, value, allowed in given]
    story, parts = worked_example(measure)
    lines += ["", "Worked example", f"  {story}.", ""]
    lines += ["  " + line for line in parts.table().render("table").splitlines()]
    return "\n".join(lines) + "\n"


def _emit_table(table: Table, format: str, output: str | None) -> None:
    if format == "parquet" and output is None:
        raise InputError("--format parquet", "is not text: name a file with -o")
    _emit(table.encoded(format), output)


def _emit(content: bytes, output: str | None) -> None:
    from leadline.text.source import write_whole

    if output is None or output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, content)


def _say(notes: tuple[str, ...]) -> None:
    for note in notes:
        print(f"  {note}", file=sys.stderr)


class _bar:  # noqa: N801  # reads as a verb: `with _bar("reading runs")`
    """A progress bar that appears once the work has taken a second, and only on a terminal."""

    def __init__(self, what: str, quiet: bool) -> None:
        self.what = what
        self.shown: Any = None
        self.wanted = sys.stderr.isatty() and not quiet

    def __enter__(self) -> Callable[[int, int], None] | None:
        import time

        self.start = time.monotonic()
        return self._step if self.wanted else None

    def _step(self, done: int, total: int) -> None:
        import time

        if self.shown is None:
            if time.monotonic() - self.start < 1:
                return
            from rich.console import Console
            from rich.progress import Progress

            self.shown = Progress(console=Console(stderr=True), transient=True)
            self.shown.start()
            self.task = self.shown.add_task(self.what, total=total)
        self.shown.update(self.task, completed=done)

    def __exit__(self, *_: object) -> None:
        if self.shown is not None:
            self.shown.stop()


if __name__ == "__main__":
    main()
