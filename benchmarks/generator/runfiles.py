"""Runs as files: FOL and paths in columns, elements in INEX XML; a topic at a time.

``results`` are frames in the order of rank with the columns doc and rsv, and start and end, or path, or none
of these: whole documents.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from benchmarks.generator.ranking import System

__all__ = ["ColumnsRun", "XmlRun"]


class ColumnsRun:
    """A run in columns: ``topic Q0 doc rank rsv run-id`` and an offset and length, or a path."""

    def __init__(self, path: Path, system: System) -> None:
        self._system = system
        self._stream = path.open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def add(self, topic: str, results: pl.DataFrame) -> None:
        """Append the results of a topic."""
        length = (pl.col("end") - pl.col("start")).alias("length")
        places = {"path": [pl.col("path")], "start": [pl.col("start"), length]}
        place = next((places[name] for name in places if name in results.columns), [])
        results.select(
            pl.lit(topic).alias("topic"),
            pl.lit("Q0").alias("q0"),
            pl.col("doc"),
            pl.int_range(1, pl.len() + 1).alias("rank"),
            pl.col("rsv"),
            pl.lit(self._system.id).alias("run"),
            *place,
        ).write_csv(self._stream, include_header=False, separator=" ", quote_style="never")


class XmlRun:
    """A run of elements in the XML of INEX 2002-2008."""

    def __init__(self, path: Path, system: System, *, task: str) -> None:
        self._stream = path.open("wb")
        self._write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<inex-submission participant-id="1" run-id="{system.id}" task="{task}" query="automatic" '
            'result-type="element">\n'
            '<topic-fields title="yes" castitle="no" description="no" narrative="no"/>\n'
            "<description>A made-up system.</description>\n"
            "<collections><collection>generated</collection></collections>\n"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("</inex-submission>\n")
        self._stream.close()

    def add(self, topic: str, results: pl.DataFrame) -> None:
        """Append the results of a topic."""
        lines = results.select(
            pl.format(
                "<result><file>{}</file><path>{}</path><rank>{}</rank><rsv>{}</rsv></result>\n",
                "doc",
                "path",
                pl.int_range(1, pl.len() + 1),
                "rsv",
            )
        ).to_series()
        self._write(f'<topic topic-id="{topic}">\n{"".join(lines)}</topic>\n')

    def _write(self, text: str) -> None:
        self._stream.write(text.encode())
