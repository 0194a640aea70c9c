"""Assessments out of the database, in any format, at any time."""

from __future__ import annotations

import json
import os
from collections.abc import Collection as Some
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from doxel._version import __version__
from doxel.assess.clock import now, written
from doxel.assess.gathering import Gathered, choose, gather
from doxel.assess.library import Library
from doxel.assess.log import keep_states
from doxel.assess.store import Store
from doxel.assessments import Assessments
from doxel.assessments.assessments import JUDGED
from doxel.assessments.converting import convert_assessments
from doxel.assessments.formats import format_named
from doxel.errors import InputError
from doxel.files import atomic_write, write_file

__all__ = ["ABOUT", "Exported", "export", "write_export"]

ABOUT = ".about.json"
"""What the name of the file ends in that says where an export comes from."""


@dataclass(frozen=True)
class Exported:
    """Assessments as a file, and what there is to say about them.

    ``about`` names the text rule and the fingerprint of the collection, and the pools.
    """

    assessments: Assessments
    data: bytes
    about: dict[str, Any]
    notes: tuple[str, ...]
    losses: tuple[str, ...]


def export(
    store: Store,
    library: Library,
    format_name: str,
    *,
    assessor: str | None = None,
    topics: Some[str] = (),
    scale: str | None = None,
    include_open: bool = False,
    lossy: bool = False,
) -> Exported:
    """Return the assessments of the official pools, or of one assessor, in a format.

    Documents that are not done are left out and counted, unless ``include_open``.  What the format cannot
    hold is refused, unless ``lossy``.
    """
    target = format_named(format_name)
    with store.read() as connection:
        chosen = choose(connection, assessor=assessor, topics=topics, scale=scale)
        found = gather(connection, library, chosen, include_open=include_open)
    keep_states(store, found.folded)
    if not found.assessments.judged.height:
        raise InputError("nothing to export", wanted="documents that are done", found="none")
    # sizes follow from the text, pools are named beside the file: a format without them loses nothing
    spare = {"pool", "docsize"} - target.holds["judged"]
    said = replace(
        found.assessments,
        judged=found.assessments.judged.with_columns(
            pl.lit(None, dtype=JUDGED.schema[column]).alias(column) for column in sorted(spare)
        ),
    )
    converted = convert_assessments(said, target, library.collection)
    if converted.losses and not lossy:
        raise InputError(
            f"{target.name} cannot hold everything",
            wanted="--lossy, to leave out what is found here",
            found=", ".join(converted.losses),
        )
    about = {"format": target.name, **_about(found, library), "losses": list(converted.losses)}
    data = target.write(converted.thing)
    return Exported(converted.thing, data, about, (*found.notes, *converted.notes), converted.losses)


def _about(found: Gathered, library: Library) -> dict[str, Any]:
    """Return what assessments come from: texts, scale, pools, and when that was."""
    return {
        "text_rule": library.text_rule,
        "fingerprint": library.fingerprint,
        "scale": found.assessments.scale,
        "exported": written(now()),
        "doxel": __version__,
        "documents": found.assessments.judged.height,
        "left_out": sum(found.left_out.values()),
        "pools": [{"pool": pool.id, "topic": pool.topic, "assessor": pool.assessor} for pool in found.pools],
    }


def write_export(exported: Exported, path: str | os.PathLike[str]) -> Path:
    """Write an export, and beside it what it comes from; return the second file."""
    write_file(path, exported.data)
    beside = Path(f"{os.fspath(path)}{ABOUT}")
    with atomic_write(beside) as stream:
        stream.write(json.dumps(exported.about, indent=1, ensure_ascii=False).encode() + b"\n")
    return beside
