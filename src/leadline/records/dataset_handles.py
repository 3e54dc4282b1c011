"""Handles of the package ir_datasets, `ir_datasets:NAME`, in place of a file of documents, topics or judgements."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from leadline.errors import InputError, nearest

PREFIX = "ir_datasets:"


def is_handle(source: object) -> bool:
    """Whether a source is a handle; no file can be meant.

    >>> is_handle("ir_datasets:beir/scifact"), is_handle("beir/scifact")
    (True, False)
    """
    return isinstance(source, str) and source.startswith(PREFIX)


def dataset_of(handle: str, what: str) -> Any:
    """The dataset of a handle; InputError where it has no `what`: docs, queries or qrels."""
    try:
        ir_datasets = importlib.import_module("ir_datasets")
    except ImportError:
        raise InputError(handle, "needs the package ir_datasets: pip install ir_datasets") from None
    name = handle.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        near = nearest(name, list(ir_datasets.registry), most=1)
        raise InputError(handle, f"ir_datasets has no dataset of this name{near}") from None
    if not getattr(dataset, f"has_{what}")():
        has = ", ".join(each for each in ("docs", "queries", "qrels") if getattr(dataset, f"has_{each}")())
        raise InputError(handle, f"has no {what}, only {has or 'other things'}")
    return dataset


def rows_of(handle: str, what: str) -> Iterator[Any]:
    """The documents, queries or judgements of a handle; InputError where its data cannot be had."""
    dataset = dataset_of(handle, what)
    try:
        yield from getattr(dataset, f"{what}_iter")()
    except (InputError, GeneratorExit):
        raise
    except Exception as error:  # the package has no error of its own for data that it cannot download
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        problem = f"its {what} are not on this machine and cannot be downloaded, or are damaged: {reason}"
        raise InputError(handle, problem) from None
