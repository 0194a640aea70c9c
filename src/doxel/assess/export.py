"""Export assessments from the database, in any format, at any time."""

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
from doxel.assessments.assessment_conversion import convert_assessments
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessments import JUDGED
from doxel.errors import InputError
from doxel.files import write_atomically, write_file

__all__ = ["ABOUT", "Exported", "export", "write_export"]

ABOUT = ".about.json"
"""The suffix of the file that describes the source of an export."""


@dataclass(frozen=True)
class Exported:
    """Exported assessments: the file's content, a description of their source, notes and losses.

    ``about`` gives the text rule and the fingerprint of the collection, and the pools.
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

    Documents that are not done are left out and counted, unless ``include_open``.  It is an error if the
    format cannot hold everything, unless ``lossy``.
    """
    target = find_assessment_format(format_name)
    with store.read() as connection:
        pools = choose(connection, assessor=assessor, topics=topics, scale=scale)
        collected = gather(connection, library, pools, include_open=include_open)
    keep_states(store, collected.folded)
    if not collected.assessments.judged.height:
        raise InputError("nothing to export", wanted="documents that are done", found="none")
    # sizes follow from the text, and the about file lists the pools: a format without them loses nothing
    spare = {"pool", "docsize"} - target.holds["judged"]
    assessments = replace(
        collected.assessments,
        judged=collected.assessments.judged.with_columns(
            pl.lit(None, dtype=JUDGED.schema[column]).alias(column) for column in sorted(spare)
        ),
    )
    converted = convert_assessments(assessments, target, library.collection)
    if converted.losses and not lossy:
        raise InputError(
            f"{target.name} cannot hold everything",
            wanted="--lossy, to leave out the following",
            found=", ".join(converted.losses),
        )
    about = {"format": target.name, **_about(collected, library), "losses": list(converted.losses)}
    data = target.write(converted.thing)
    return Exported(converted.thing, data, about, (*collected.notes, *converted.notes), converted.losses)


def _about(collected: Gathered, library: Library) -> dict[str, Any]:
    """Describe the source of assessments: collection, scale, pools and time of the export."""
    pools = [{"pool": pool.id, "topic": pool.topic, "assessor": pool.assessor} for pool in collected.pools]
    return {
        "text_rule": library.text_rule,
        "fingerprint": library.fingerprint,
        "scale": collected.assessments.scale,
        "exported": written(now()),
        "doxel": __version__,
        "documents": collected.assessments.judged.height,
        "left_out": sum(collected.left_out.values()),
        "pools": pools,
    }


def write_export(exported: Exported, path: str | os.PathLike[str]) -> Path:
    """Write an export and the about file that describes its source; return the path of the about file."""
    write_file(path, exported.data)
    about_path = Path(f"{os.fspath(path)}{ABOUT}")
    with write_atomically(about_path) as stream:
        stream.write(json.dumps(exported.about, indent=1, ensure_ascii=False).encode() + b"\n")
    return about_path
