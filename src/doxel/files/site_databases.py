"""Databases of the assessment site wherever assessments are named: a SQLite file, or an address.

``site.sqlite``, ``sqlite:///site.sqlite`` and ``postgresql://...`` stand for the official judgements in them.
An address may end with ``?scale=2006`` or ``?assessor=anna``, to choose others.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from doxel.errors import MissingExtraError

__all__ = ["is_site_database", "load_site_function", "split_site_databases"]

_SCHEMES = ("sqlite://", "postgresql://", "postgres://", "postgresql+psycopg://")
_MAGIC = b"SQLite format 3\0"
_SOURCE = "doxel.assess.office.assessment_source"
_PACKAGES = {"sqlalchemy", "argon2", "psycopg", "starlette"}

Address = str | os.PathLike[str]


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


def split_site_databases(paths: list[Address]) -> tuple[list[str], list[Address]]:
    """Return the databases among some paths, and the others."""
    databases = [os.fspath(path) for path in paths if is_site_database(path)]
    return databases, [path for path in paths if not is_site_database(path)]


def load_site_function(name: str) -> Any:
    """Return a function that reads databases, by its name: rooms import only rooms that come before them."""
    try:
        return getattr(importlib.import_module(_SOURCE), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _PACKAGES:
            raise
        raise MissingExtraError("reading the database of doxel assess", "web") from None
