"""Check that the tables of a part are the ones written for it, and not those of another part.

The checks are cheap: columns, numbers of rows (compared with the manifest), and whether the numbers in a
table are within range.
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
        f"{path}: changed since it was written, the collection is damaged: wanted {wanted}, found {found}"
    )


def check_table(
    frame: pl.DataFrame, table: str, path: Path, *, rows: int | None, columns: Sequence[str] = ()
) -> None:
    """Raise CollectionError if a table has other columns or another number of rows than it should."""
    full_schema = SCHEMAS[table]
    schema = {name: full_schema[name] for name in columns or full_schema}
    if dict(frame.schema) != schema:
        raise _damaged(path, f"the columns {', '.join(schema)}", ", ".join(frame.columns) or "none")
    if rows is not None and frame.height != rows:
        raise _damaged(path, f"{rows:,} rows", f"{frame.height:,}")


def check_documents(table: pl.DataFrame, parts: Sequence[PartSummary], folder: Path) -> None:
    """Raise CollectionError if the documents do not add up to the manifest's counts for their parts."""
    sums = table.group_by("part", maintain_order=True).agg(
        pl.len(), pl.col("elements", "characters").cast(pl.Int64).sum()
    )
    counts = dict(zip(sums["part"], sums.select(pl.exclude("part")).iter_rows(), strict=True))
    for number, part in enumerate(parts):
        listed = (part.documents, part.elements, part.characters)
        if counts.get(number) != listed:
            path = folder / part.name / "documents.parquet"
            describe = "{:,} documents with {:,} elements and {:,} characters".format
            raise _damaged(path, describe(*listed), describe(*counts.get(number, (0, 0, 0))))


def check_labels(frame: pl.DataFrame, path: Path) -> None:
    """Raise CollectionError if label paths do not come after their parents, level by level."""
    parent = frame["parent"].to_numpy()
    if frame["parent"].null_count() or frame["name"].null_count():
        raise _damaged(path, "a parent and a name for each label path", "none")
    if ((parent < -1) | (parent >= np.arange(len(parent)))).any() or (np.diff(parent) < 0).any():
        raise _damaged(path, "label paths after their parents", "another order")


def check_elements(stored: Mapping[str, Ints], labels: int, path: Path) -> None:
    """Raise CollectionError if elements extend beyond the part or have a label that it does not contain."""
    count = len(stored["label"])
    if count and int(stored["label"].max()) >= labels:
        raise _damaged(path, f"one of {labels:,} labels", f"{stored['label'].max():,}")
    if (np.arange(1, count + 1) + stored["descendants"] > count).any():
        raise _damaged(path, f"descendants within the {count:,} elements of the part", "more")
