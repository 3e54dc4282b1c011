"""The option --cluster: the same work on several machines, by Ray."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from leadline.commands.shared.extras import check_extras
from leadline.commands.shared.output import print_notes, progress_bar
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.cluster.work import Cluster
    from leadline.collections.links.summing import LinkWorkers
    from leadline.retrieval.pipeline.context import SearchContext


def add_cluster_option(parser: argparse.ArgumentParser) -> None:
    words = "do the work on a Ray cluster: HOST:PORT of its head; auto: the one running here, or all processors here"
    parser.add_argument("--cluster", metavar="auto|ADDRESS", help=words)


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
def topics_spread(options: argparse.Namespace, context: SearchContext) -> Iterator[None]:
    """Share the topics of a run out to the cluster of --cluster."""
    with chosen_cluster(options) as cluster:
        if cluster is not None:
            from leadline.cluster.answering import TopicsOnCluster

            context.elsewhere = TopicsOnCluster(cluster)
        yield


@contextmanager
def index_sharded(options: argparse.Namespace, context: SearchContext) -> Iterator[None]:
    """Rank the documents of an index by shards on the cluster of --cluster."""
    with chosen_cluster(options) as cluster:
        if cluster is not None:
            from leadline.cluster.answering import Opened
            from leadline.cluster.shards import IndexOnCluster

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
        from leadline.cluster.link_parts import LinksOnCluster

        with progress_bar("links", quiet=options.quiet) as progress:
            yield LinksOnCluster(cluster, progress, getattr(options, "rounds", None))
