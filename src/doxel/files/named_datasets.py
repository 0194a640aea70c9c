"""Data sets of ir_datasets by name: ``ir_datasets:NAME`` for a file of topics, assessments or documents.

The library (``pip install "doxel[datasets]"``) has several hundred data sets by name; it downloads some of
them when they are first used, and names the source of the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from doxel.errors import InputError, MissingExtraError
from doxel.files.archives import Paths
from doxel.wording import did_you_mean

__all__ = ["DATASET_PREFIX", "is_dataset_name", "iterate_dataset", "split_dataset_names"]

DATASET_PREFIX = "ir_datasets:"
_PARTS = {"queries": "topics", "qrels": "assessments", "docs": "documents"}


def is_dataset_name(source: object) -> bool:
    """Return whether a source is a data set by name.

    >>> is_dataset_name("ir_datasets:cranfield"), is_dataset_name("cranfield.qrels")
    (True, False)
    """
    return isinstance(source, str | os.PathLike) and os.fspath(source).startswith(DATASET_PREFIX)


def split_dataset_names(paths: Paths) -> tuple[list[str], list[str | os.PathLike[str]]]:
    """Return the data sets among the given paths, and the others."""
    every_path = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [os.fspath(path) for path in every_path if is_dataset_name(path)]
    return names, [path for path in every_path if not is_dataset_name(path)]


def iterate_dataset(source: str | os.PathLike[str], part: str) -> Iterator[Any]:
    """Yield the named tuples of a part of a data set: its ``queries``, ``qrels`` or ``docs``."""
    label = os.fspath(source)
    name = label.removeprefix(DATASET_PREFIX)
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError(f"reading {label}", "datasets") from None
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        hint = did_you_mean(name, ir_datasets.registry._registered)  # noqa: SLF001 -- there is no public list
        raise InputError(f"{label}: no such data set{hint}", wanted="a name of ir_datasets") from None
    if not getattr(dataset, f"has_{part}")():
        parts = [words for other, words in _PARTS.items() if getattr(dataset, f"has_{other}")()]
        raise InputError(
            label, wanted=_PARTS[part], found=f"a data set of {' and '.join(parts) or 'nothing'}"
        )
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except Exception as error:  # noqa: BLE001 -- the library lets the errors of downloads through
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{label}: its {_PARTS[part]} are not on this machine, and could not be fetched",
            wanted="a connection, or the files where ir_datasets looks for them",
            found=reason,
        ) from None
