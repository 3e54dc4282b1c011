"""What the commands that turn citations into judgements share: which citations count, and what the result came from."""

from __future__ import annotations

import argparse
import json
from typing import Any, get_args

from leadline.collections.documents.document import ORIGINS
from leadline.collections.documents.hidden import JudgementDates
from leadline.collections.documents.store import Collection
from leadline.errors import InputError, checked_choice
from leadline.judge.citations.provenance import RULES
from leadline.text.source import write_whole


def define_citing(parser: argparse.ArgumentParser) -> None:
    """The options that say which citations make a document relevant."""
    add = parser.add_argument
    add("--dates", default=None, help="priority: nothing counts that was published after it; none: all does")
    add("--origin", metavar="WHO", action="append", help=f"only citations by {', '.join(ORIGINS)}: some, with commas")
    add("--rules", default="1,2,3", help="1 the topic cites it, 2 its family is cited, 3 the topic's family cites it")


def citing_of(options: argparse.Namespace) -> dict[str, Any]:
    """The options as `from_citations` takes them, refused before any work is done."""
    dates = checked_choice("--dates", options.dates or "priority", get_args(JudgementDates))
    return {"dates": dates, "origins": origins_of(options), "rules": rules_of(options)}


def origins_of(options: argparse.Namespace) -> tuple[str, ...]:
    words = [word.strip().replace("-", " ") for text in options.origin or () for word in text.split(",")]
    return tuple(checked_choice("--origin", word, ORIGINS) for word in words if word) or ORIGINS


def rules_of(options: argparse.Namespace) -> tuple[int, ...]:
    words = [word.strip() for word in options.rules.split(",")]
    if not set(words) <= {str(rule) for rule in RULES}:
        raise InputError("--rules", f"{options.rules!r} is not some of 1,2,3")
    return tuple(sorted({int(word) for word in words}))


def write_manifest(output: str, what: str, collection: Collection, facts: dict[str, Any]) -> None:
    """Say beside a file what it was made from, so that it can be traced and made again."""
    from leadline.version import __version__

    made_from = {"folder": collection.folder.name, "hash": collection.manifest["hash"]}
    manifest = {"what": what, "leadline": __version__, "collection": made_from, **facts}
    write_whole(f"{output}.manifest.json", f"{json.dumps(manifest, indent=1, ensure_ascii=False)}\n".encode())


def counted(number: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"
