"""The options that say which citations make a document relevant, and the manifest of what was made from them."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from leadline.collections.documents.document import ORIGINS
from leadline.collections.documents.hidden import JudgementDates
from leadline.collections.documents.store import Collection
from leadline.commands.shared.options import add_choice, choice, list_of
from leadline.judge.citations.provenance import RULES
from leadline.text.files import write_stored
from leadline.text.json_output import json_text


def add_citation_options(parser: argparse.ArgumentParser) -> None:
    add, rules = parser.add_argument, choice([str(rule) for rule in RULES])
    add_choice(
        parser, "--dates", get_args(JudgementDates), "leave out what was published after this date", None, "priority"
    )
    words = f"only citations by these: {', '.join(ORIGINS)} (default: all)"
    add("--origin", metavar="ORIGINS", action="extend", type=list_of(_origin), help=words)
    words = "1: what the topic cites, 2: the families of that, 3: what its family cites (default: %(default)s)"
    add("--rules", metavar="RULES", type=list_of(rules), default="1,2,3", help=words)


def _origin(text: str) -> str:
    return choice(ORIGINS)(text.replace("-", " "))


def citation_rules(options: argparse.Namespace) -> dict[str, Any]:
    """The options as `from_citations` takes them."""
    return {"dates": options.dates or "priority", **selected_citations(options)}


def selected_citations(options: argparse.Namespace) -> dict[str, Any]:
    """The options as `Provenance.select` takes them."""
    return {"origins": tuple(options.origin or ORIGINS), "rules": tuple(sorted({int(rule) for rule in options.rules}))}


def write_manifest(output: str, what: str, collection: Collection, facts: dict[str, Any]) -> None:
    """Write beside a file what it was made from, so that it can be traced and made again."""
    from leadline.version import __version__

    made_from = {"folder": collection.folder.name, "hash": collection.manifest["hash"]}
    manifest = {"what": what, "leadline": __version__, "collection": made_from, **facts}
    write_stored(f"{output}.manifest.json", f"{json_text(manifest)}\n".encode())
