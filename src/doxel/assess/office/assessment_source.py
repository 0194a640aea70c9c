"""The official judgements in a database, read directly wherever assessments are named: no export is needed.

The server may be running.  The collection is the one that the server used last, if it is still there; only
judgements of elements need it.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from sqlalchemy import Connection, func, select

from doxel.assess.office.assessment_export import choose_assignments, collect_assessments
from doxel.assess.scales import PASSAGES
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.campaign_settings import read_campaign_settings
from doxel.assess.store.database import Store, open_store
from doxel.assess.store.database_schema import EVENTS
from doxel.assess.store.pooled_documents import Library
from doxel.assessments.assessments import JUDGED, Assessments
from doxel.documents import read_collection
from doxel.errors import CollectionError, InputError

__all__ = ["hash_site_database", "read_site_assessments"]

_CHOICES = ("scale", "assessor")


def read_site_assessments(address: str) -> Assessments:
    """Return the official judgements of documents that are done, of one scale; empty if there are none."""
    database, choices = _split_choices(address)
    with open_store(database, create=False) as store, store.read() as connection:
        if not list_assignments(connection):
            return Assessments("2006", JUDGED.from_rows([]), file=store.name)
        try:
            assignments = choose_assignments(connection, **choices)
        except InputError as error:
            if "several scales" not in str(error):
                raise
            scales = sorted({assignment.scale for assignment in list_assignments(connection)})
            wanted = f"one of them, as in sqlite:///{Path(store.name).name}?scale={scales[-1]}"
            raise InputError(
                "assignments of several scales", file=store.name, wanted=wanted, found=", ".join(scales)
            ) from None
        selection = collect_assessments(
            connection, _open_library(connection, store), assignments, official_only="assessor" not in choices
        )
        notes = tuple(selection.notes)
    scale = "2006" if selection.assessments.scale == PASSAGES.name else selection.assessments.scale
    return replace(selection.assessments, scale=scale, file=store.name, notes=notes)


def _split_choices(address: str) -> tuple[str, dict[str, str]]:
    """Return the address of a database, and the scale and the assessor that follow it.

    >>> _split_choices("sqlite:///site.sqlite?scale=2006")
    ('sqlite:///site.sqlite', {'scale': '2006'})
    """
    database, _, query = address.partition("?") if "://" in address else (address, "", "")
    pairs = parse_qsl(query)
    others = urlencode([pair for pair in pairs if pair[0] not in _CHOICES])
    return f"{database}?{others}" if others else database, {k: v for k, v in pairs if k in _CHOICES}


def _open_library(connection: Connection, store: Store) -> Library | None:
    """Return the collection that the server used last, None if it is not there any more."""
    folder = read_campaign_settings(connection).collection
    if folder is None or not folder.exists():
        beside = None if folder is None or not store.is_sqlite else Path(store.name).parent / folder.name
        folder = beside if beside is not None and beside.exists() else None
    try:
        return None if folder is None else Library(read_collection(folder))
    except CollectionError:
        return None


def hash_site_database(address: str) -> tuple[str, int, str]:
    """Return the name of a database without its password, its number of events, and a hash of its state.

    The hash changes with every event, and when other assignments become official.
    """
    database, choices = _split_choices(address)
    with open_store(database, create=False) as store, store.read() as connection:
        count, last = connection.execute(select(func.count(), func.max(EVENTS.c.at))).one()
        official = [assignment.id for assignment in list_assignments(connection) if assignment.official]
    content = repr((count, last, official, sorted(choices.items())))
    return store.name, count, hashlib.sha256(content.encode()).hexdigest()
