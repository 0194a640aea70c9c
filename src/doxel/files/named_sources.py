"""Sources that are not files but names: data sets of ir_datasets, databases of the assessment site.

``ir_datasets:NAME`` names the topics, assessments or documents of a data set.  The library (``pip
install "doxel[datasets]"``) has several hundred by name; it downloads some of them when they are first used,
and names the source of the others.

``site.sqlite``, ``sqlite:///site.sqlite`` and ``postgresql://...`` name the official judgements in a
database.  An address may end with ``?scale=2006`` or ``?assessor=anna``, to choose others.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from doxel.errors import InputError, MissingExtraError
from doxel.files.archives import Paths
from doxel.wording import did_you_mean

__all__ = [
    "DATASET_PREFIX",
    "SplitSources",
    "is_dataset_name",
    "is_site_database",
    "iterate_dataset",
    "load_site_function",
    "split_sources",
]

DATASET_PREFIX = "ir_datasets:"
_PARTS = {"queries": "topics", "qrels": "assessments", "docs": "documents"}

_SCHEMES = ("sqlite://", "postgresql://", "postgres://", "postgresql+psycopg://")
_MAGIC = b"SQLite format 3\0"
_SOURCE = "doxel.assess.office.assessment_source"
_PACKAGES = {"sqlalchemy", "argon2", "psycopg", "starlette"}


def is_dataset_name(source: object) -> bool:
    """Return whether a source names a data set of ir_datasets.

    >>> is_dataset_name("ir_datasets:cranfield"), is_dataset_name("cranfield.qrels")
    (True, False)
    """
    return isinstance(source, str | os.PathLike) and os.fspath(source).startswith(DATASET_PREFIX)


def is_site_database(source: object) -> bool:
    """Return whether a source is the address of a database, or a SQLite file.

    >>> is_site_database("sqlite:///site.sqlite"), is_site_database("inex.qrels")
    (True, False)
    """
    if not isinstance(source, str | os.PathLike):
        return False
    name = os.fspath(source)
    if name.startswith(_SCHEMES):
        return True
    try:
        with Path(name).open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


class SplitSources(NamedTuple):
    """The sources of a call by kind."""

    datasets: list[str]
    databases: list[str]
    files: list[str | os.PathLike[str]]


def split_sources(paths: Paths) -> SplitSources:
    """Return the data sets, the databases and the files among some sources."""
    sources = SplitSources([], [], [])
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        if is_dataset_name(path):
            sources.datasets.append(os.fspath(path))
        elif is_site_database(path):
            sources.databases.append(os.fspath(path))
        else:
            sources.files.append(path)
    return sources


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
        parts = [words for name, words in _PARTS.items() if getattr(dataset, f"has_{name}")()]
        raise InputError(
            label, wanted=_PARTS[part], found=f"a data set of {' and '.join(parts) or 'nothing'}"
        )
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except Exception as error:  # noqa: BLE001 -- the library does not wrap the errors of downloads
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{label}: its {_PARTS[part]} are not on this machine, and could not be fetched",
            wanted="a connection, or the files where ir_datasets looks for them",
            found=reason,
        ) from None


def load_site_function(name: str) -> Any:
    """Return a function that reads databases, by name, because this room may not import a later one."""
    try:
        return getattr(importlib.import_module(_SOURCE), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _PACKAGES:
            raise
        raise MissingExtraError("reading the database of doxel assess", "web") from None
