"""The options that several commands have about links and citations."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from leadline.collections.choices import ORIGINS
from leadline.commands.shared.argument_kinds import INPUT_TREE
from leadline.commands.shared.options import (
    add_number,
    add_options,
    check_format,
    choice,
    list_of,
    memory_budget,
)
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.judge.choices import CITATION_RULES

if TYPE_CHECKING:
    from leadline.collections.documents.collection import Collection
    from leadline.collections.links.graph import LinkGraph
    from leadline.collections.links.page_scores import PageScores


def add_link_options(parser: argparse.ArgumentParser) -> None:
    """The source of links, and which of them count."""
    public("read_links").add(parser, source={"metavar": "DIR|EDGES", "type": INPUT_TREE})


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """The source, and how the scores are printed."""
    add_link_options(parser)
    add_number(parser, "-k", "pages to print (default: 20 in a table, all in other formats)")
    public("evaluate").add(parser, "memory")
    add_options(parser, "-f", "-o", "-q")


def read_link_source(options: argparse.Namespace) -> LinkGraph:
    """The graph that the arguments name."""
    from leadline.collections.links.reading import read_links

    memory = memory_budget(options) if "memory" in options else None
    return read_links(**public("read_links").given(options, memory=memory))


def write_scores(scores: PageScores, options: argparse.Namespace) -> None:
    """Print pages with their scores, best first, and the notes."""
    check_format(options)
    most = options.k if options.k is not None else 20 if options.format == "table" and options.output is None else None
    write_table(scores.table(most), options)
    hidden = len(scores) - min(len(scores), most or len(scores))
    print_notes((*scores.notes, *([f"{hidden:,} more pages: -k {len(scores)} prints all"] if hidden else [])), options)


# The options that say which citations make a document relevant, and the manifest of what was made from them.


def add_citation_options(parser: argparse.ArgumentParser) -> None:
    origins = {"flags": ["--origin"], "dest": "origin", "metavar": "ORIGINS", "type": list_of(_origin), "default": None}
    rules = {"metavar": "RULES", "type": list_of(choice([str(rule) for rule in CITATION_RULES]))}
    public("from_citations").add(
        parser,
        *("dates", "origins", "rules"),
        dates={"default": None},
        origins={"action": "extend", **origins},
        rules=rules,
    )


def _origin(text: str) -> str:
    return choice(ORIGINS)(text.replace("-", " "))


def citation_rules(options: argparse.Namespace) -> dict[str, Any]:
    """The options as `from_citations` takes them."""
    return {"dates": options.dates or "priority", **selected_citations(options)}


def selected_citations(options: argparse.Namespace) -> dict[str, Any]:
    """The options as `Provenance.select` takes them."""
    return {"origins": tuple(options.origin or ORIGINS), "rules": tuple(sorted({int(rule) for rule in options.rules}))}


def write_manifest(output: str, what: str, collection: Collection, facts: dict[str, Any]) -> None:
    """Write beside a file what it was made from."""
    from leadline.records.manifest import write_manifest as write
    from leadline.version import __version__

    made_from = {"folder": collection.folder.name, "hash": collection.manifest["hash"]}
    manifest = {"what": what, "leadline": __version__, "collection": made_from, **facts}
    write(output, manifest)
