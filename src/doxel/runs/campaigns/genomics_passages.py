"""Runs of TREC Genomics 2006-07: lines of ``topic PMID rank score offset length tag``.

White space separates the columns.  Offsets and lengths count the bytes of the HTML file of an article, and
topics are integers: 007 is topic 7.
"""

from __future__ import annotations

import re

import polars as pl

from doxel.files.contents import split_lines
from doxel.runs.column_runs import split_first_line
from doxel.runs.result_fields import ID_FIELD, LENGTH, RANK, RSV, Field, find_run_id, parse_columns
from doxel.runs.run import RESULTS, Run
from doxel.runs.run_format import (
    RunFormat,
    check_column_ids,
    check_numbers,
    check_result_values,
    complete_ranks,
    require_result_columns,
)

__all__ = ["GENOMICS_PASSAGES"]

_WANTED = "7 columns: topic PMID rank score offset length tag"
_TOPIC = Field("topic", pl.Int64, r"^[0-9]{1,18}$", "a whole number")
_BYTES = Field("offset", pl.Int64, LENGTH.pattern, "a number of bytes, 0 or more")
_FIELDS = {
    "topic": _TOPIC,
    "doc": ID_FIELD,
    "rank": RANK,
    "rsv": RSV,
    "start": _BYTES,
    "size": LENGTH,
    "run": ID_FIELD,
}
_NUMBERS = re.compile(rb"[0-9]+ [0-9]+ \S+ [0-9]+ [0-9]+")


def _has_passages(head: bytes) -> bool:
    """Recognise the first line; if it is damaged, the two lines after it."""
    _, _, second_line = head.lstrip().partition(b"\n")
    _, _, third_line = second_line.partition(b"\n")
    return _is_passage(head) or (_is_passage(second_line) and _is_passage(third_line))


def _is_passage(head: bytes) -> bool:
    fields = split_first_line(head)
    return (
        len(fields) == 7
        and fields[1].upper() != b"Q0"
        and _NUMBERS.fullmatch(b" ".join([fields[0], *fields[2:6]])) is not None
    )


def _read(data: bytes, name: str) -> Run:
    lines = split_lines(data, name)
    table = parse_columns(lines, _FIELDS, name, wanted=_WANTED)
    results = RESULTS.fit(
        table.with_columns(pl.col("topic").cast(pl.String), end=pl.col("start") + pl.col("size"))
    )
    return Run(find_run_id(table, name), results, file=name, format="genomics")


def _write(run: Run) -> bytes:
    wanted = "an offset and a length in bytes"
    require_result_columns(run, run.results, ("start", "end"), format_name="genomics", wanted=wanted)
    check_column_ids(run, run.results, format_name="genomics")
    check_numbers(run, run.results, format_name="genomics")
    topics = "a topic that is a whole number without leading zeros"
    check_result_values(
        run, run.results["topic"], "^(?:0|[1-9][0-9]{0,17})$", format_name="genomics", wanted=topics
    )
    starts = run.results["start"].cast(pl.String)
    check_result_values(run, starts, "^[0-9]+$", format_name="genomics", wanted="an offset of 0 or more")
    results = complete_ranks(run, run.results)
    columns = ["topic", "doc", "rank", "rsv", "start", pl.col("end") - pl.col("start"), pl.lit(run.id)]
    return (
        results.select(
            pl.concat_str(
                [pl.col(column) if isinstance(column, str) else column for column in columns], separator="\t"
            )
        )
        .write_csv(include_header=False, quote_style="never")
        .encode()
    )


GENOMICS_PASSAGES = RunFormat(
    name="genomics",
    about="topic PMID rank score offset length tag: passages in bytes, as TREC Genomics 2006-07",
    begins=rb"#|(?:[^{\[<][^\n]*\n\s*)?[0-9]+[^\S\n]+(?![Qq]0\s)",
    accepts=_has_passages,
    read=_read,
    write=_write,
    result_kinds=("span",),
    holds={
        "results": frozenset({"topic", "doc", "rank", "rsv", "start", "end"}),
        "about": frozenset({"id"}),
    },
    campaign=True,
)
