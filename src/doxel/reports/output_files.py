"""Writes report files, under names that are unique and valid on every file system.

Data for JSON files are first reduced to values that JSON can represent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.files import write_atomically
from doxel.reports.score_tables import format_csv_table

__all__ = ["add_suffix", "claim_name", "make_safe_name", "to_plain", "write_content", "write_frame"]


def make_safe_name(name: str, longest: int = 80) -> str:
    """Return a name with all characters replaced that are not safe in file names.

    >>> make_safe_name("ep/gr of run 7")
    'ep-gr-of-run-7'
    """
    return "".join(letter if letter.isalnum() or letter in "_.-" else "-" for letter in name)[:longest]


def claim_name(stem: str, taken: set[str]) -> str:
    """Return a name that is not taken, ignoring case as some file systems do, and mark it as taken.

    >>> taken = set()
    >>> [claim_name(stem, taken) for stem in ("a", "A", "b", "a")]
    ['a', 'A-2', 'b', 'a-3']
    """
    name, number = stem, 1
    while name.lower() in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name.lower())
    return name


def add_suffix(base: Path, suffix: str) -> Path:
    """Return a path with a suffix added; ``with_suffix`` would cut a name such as topic-1.2."""
    return base.with_name(f"{base.name}.{suffix}")


def write_content(path: Path, content: str | bytes) -> Path:
    """Write a file atomically, and create its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
    return path


def write_frame(base: Path, frame: pl.DataFrame, formats: Sequence[str] = ("csv", "parquet")) -> list[Path]:
    """Write a table as CSV, Parquet or both."""
    paths: list[Path] = []
    if "csv" in formats:
        paths.append(write_content(add_suffix(base, "csv"), format_csv_table(frame)))
    if "parquet" in formats:
        paths.append(add_suffix(base, "parquet"))
        with write_atomically(paths[-1]) as stream:
            frame.write_parquet(stream)
    return paths


def to_plain(value: Any) -> Any:
    """Return data for JSON: None for NaN and infinity, lists for tuples and arrays, strings for all else.

    >>> to_plain({"low": float("nan"), "pairs": (1, [2.5, float("inf")])})
    {'low': None, 'pairs': [1, [2.5, None]]}
    """
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
