"""Whether the tables of a part are what its writer wrote: a file of another part, or of none, is noticed.

The manifest says how much is in each part.  What is looked at costs next to nothing: columns, numbers of
rows, and whether the numbers in a table stay within it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from doxel.documents.parts import SCHEMAS, PartSummary
from doxel.errors import CollectionError
from doxel.spans import Ints

__all__ = ["check_documents", "check_elements", "check_labels", "check_table"]


def _damaged(path: Path, wanted: object, found: object) -> CollectionError:
    return CollectionError(
        f"{path}: not what was written, the collection is damaged: wanted {wanted}, found {found}"
    )


def check_table(
    frame: pl.DataFrame, table: str, path: Path, *, rows: int | None, columns: Sequence[str] = ()
) -> None:
    """Refuse a table with other columns than its own, or with another number of rows."""
    schema = SCHEMAS[table]
    wanted = {name: schema[name] for name in columns or schema}
    if dict(frame.schema) != wanted:
        raise _damaged(path, f"the columns {', '.join(wanted)}", ", ".join(frame.columns) or "none")
    if rows is not None and frame.height != rows:
        raise _damaged(path, f"{rows:,} rows", f"{frame.height:,}")


def check_documents(table: pl.DataFrame, parts: Sequence[PartSummary], folder: Path) -> None:
    """Refuse documents that do not add up to what the manifest says of their parts."""
    sums = table.group_by("part", maintain_order=True).agg(
        pl.len(), pl.col("elements", "characters").cast(pl.Int64).sum()
    )
    said = [(part.documents, part.elements, part.characters) for part in parts]
    found = dict(zip(sums["part"], sums.select(pl.exclude("part")).iter_rows(), strict=True))
    for number, (part, wanted) in enumerate(zip(parts, said, strict=True)):
        if found.get(number) != wanted:
            path = folder / part.name / "documents.parquet"
            words = "{:,} documents with {:,} elements and {:,} characters".format
            raise _damaged(path, words(*wanted), words(*found.get(number, (0, 0, 0))))


def check_labels(frame: pl.DataFrame, path: Path) -> None:
    """Refuse label paths whose parents do not come before them, level by level."""
    parent = frame["parent"].to_numpy()
    if frame["parent"].null_count() or frame["name"].null_count():
        raise _damaged(path, "a parent and a name each", "none")
    if ((parent < -1) | (parent >= np.arange(len(parent)))).any() or (np.diff(parent) < 0).any():
        raise _damaged(path, "label paths after their parents", "others")


def check_elements(stored: Mapping[str, Ints], labels: int, path: Path) -> None:
    """Refuse elements that reach beyond the part, or have a label that it does not have."""
    count = len(stored["label"])
    if count and int(stored["label"].max()) >= labels:
        raise _damaged(path, f"one of {labels:,} labels", f"{stored['label'].max():,}")
    if (np.arange(1, count + 1) + stored["descendants"] > count).any():
        raise _damaged(path, f"elements that end within the {count:,} there are", "others")
