"""Writes report files, under names that are unique and valid on every file system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from doxel.files import write_atomically
from doxel.reports.tables import csv_table

__all__ = ["free_name", "safe_name", "suffixed", "write_content", "write_frame"]


def safe_name(name: str, longest: int = 80) -> str:
    """Return a name with all characters replaced that are not safe in file names.

    >>> safe_name("ep/gr of run 7")
    'ep-gr-of-run-7'
    """
    return "".join(letter if letter.isalnum() or letter in "_.-" else "-" for letter in name)[:longest]


def free_name(stem: str, taken: set[str]) -> str:
    """Return a name that is not taken, ignoring case as some file systems do, and mark it as taken.

    >>> taken = set()
    >>> [free_name(stem, taken) for stem in ("a", "A", "b", "a")]
    ['a', 'A-2', 'b', 'a-3']
    """
    name, number = stem, 1
    while name.lower() in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name.lower())
    return name


def suffixed(base: Path, suffix: str) -> Path:
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
    written: list[Path] = []
    if "csv" in formats:
        written.append(write_content(suffixed(base, "csv"), csv_table(frame)))
    if "parquet" in formats:
        written.append(suffixed(base, "parquet"))
        with write_atomically(written[-1]) as stream:
            frame.write_parquet(stream)
    return written
