"""Runs in columns: ``topic Q0 doc rank rsv run-id``, and the columns that each year added.

=======  =====================================================  ==================
columns  after the six                                          format
=======  =====================================================  ==================
6        nothing: whole documents                               ``trec``
7        a path: an element                                     ``paths``
7        an offset: an entry point                              ``bep``
8        two paths: a range of elements, or a passage           ``paths``
8        an offset and a length (2009 and later)                ``fol``
=======  =====================================================  ==================

ASCII white space separates columns; the second column is ignored.  In ``trec`` a line that starts with # is
a comment, and columns after the sixth are ignored, with a note.  Regular files are read in bulk.  A bulk
reader turns a short line into nulls and has no line numbers, so a file with any irregularity goes to
a line reader, whose errors name the line.

``paths``: all lines of a file have one path, or all have two.  A range is from the start of the first
element to the end of the last; a passage may start and end inside a text node,
``/article[1]/p[2]/text()[1].17``.

``fol``: an offset of X or -1 means that the system did not find its own passage in the collection; its
length then has no meaning.  Some old writers put the end of a passage in the length column: ``read_fol``
reads those files with ``fol_end``.
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass, replace

import polars as pl

from doxel.errors import InputError
from doxel.files.compression import looks_compressed
from doxel.files.contents import blank_comments, refuse_long_lines, split_lines
from doxel.runs.result_fields import (
    ID_FIELD,
    LENGTH,
    NOT_IN_BULK,
    OFFSET,
    PATH,
    PLACE,
    RANK,
    RSV,
    Field,
    are_valid_fields,
    find_run_id,
    normalise_separators,
    parse_columns,
    parse_fields,
    scan_columns,
)
from doxel.runs.run import NOT_FOUND_OFFSET, RESULTS, Run
from doxel.runs.run_format import (
    RunFormat,
    check_column_ids,
    check_numbers,
    check_result_values,
    complete_ranks,
    require_result_columns,
)
from doxel.wording import pluralise

__all__ = ["BEP", "FOL", "PATHS", "TREC_RUNS", "read_fol", "read_trec_lines"]

_LONGEST_FIRST_LINE = 65_536
_FIELD = re.compile(r"[^ \t\r\x0b\x0c]+")
_OFFSET = re.compile(rb"[+-]?[0-9]+|[Xx]")

_LEADING = {"topic": ID_FIELD, "q0": ID_FIELD, "doc": ID_FIELD, "rank": RANK, "rsv": RSV, "run": ID_FIELD}


@dataclass(frozen=True)
class ColumnLayout:
    """The columns of one format: the six common fields, then the ``trailing`` ones, by column name."""

    format: str
    trailing: dict[str, Field]
    words: str = ""

    @property
    def fields(self) -> dict[str, Field]:
        """All fields of a line."""
        return {**_LEADING, **self.trailing}

    def read(self, data: bytes, name: str) -> tuple[str, pl.DataFrame]:
        """Return the id of the run, and its fields as columns, with ``line``."""
        refuse_long_lines(data, name)
        fields = split_first_line(data)
        content = None
        # otherwise the bulk reader might create columns without limit, or decompress the data a second time
        if len(fields) == len(self.fields) and not looks_compressed(data):
            plain = normalise_separators(data)
            content = self._read_in_bulk(plain, fields[5]) or self._read_words(plain, name)
        return content or self._read_line_by_line(data, name)

    def _read_in_bulk(self, data: bytes, first_id: bytes) -> tuple[str, pl.DataFrame] | None:
        """Read a regular file whose numeric fields all hold numbers, or return None."""
        schema = {column: field.dtype for column, field in self.fields.items()}
        run_id = first_id.decode("utf-8", "replace")
        try:
            table = scan_columns(data, schema).collect()
        except NOT_IN_BULK:
            return None
        if any(column.null_count() for column in table) or (table["run"] != run_id).any():
            return None
        if not are_valid_fields(table, {**self.trailing, "rsv": RSV}):
            return None
        return run_id, table.drop("q0", "run").rechunk()  # in one piece all later steps are faster

    def _read_words(self, data: bytes, name: str) -> tuple[str, pl.DataFrame] | None:
        """Read and check a file with the right number of fields in every line, or return None."""
        try:
            table = scan_columns(data, dict.fromkeys(self.fields, pl.String)).collect()
        except NOT_IN_BULK:
            return None
        words = table.select(self.fields.keys())
        table = table.filter(~words.select(pl.all_horizontal(pl.all().is_null())).to_series())
        if not table.height or any(column.null_count() for column in table):
            return None
        return _separate_run_id(parse_fields(table, self.fields, name), name)

    def _read_line_by_line(self, data: bytes, name: str) -> tuple[str, pl.DataFrame]:
        lines = split_lines(data, name)
        table = parse_columns(lines, self.fields, name, wanted=self.wanted, split=_FIELD.findall)
        return _separate_run_id(table, name)

    @property
    def wanted(self) -> str:
        """The columns of a line, in words."""
        return f"{len(self.fields)} columns: topic Q0 doc rank rsv run-id {self.words}".rstrip()

    def write(self, run: Run, results: pl.DataFrame) -> bytes:
        """Write results as lines of these columns."""
        require_result_columns(run, results, self.trailing, format_name=self.format, wanted=self.words)
        check_column_ids(run, results, format_name=self.format)
        check_numbers(run, results, format_name=self.format)
        for column, field in self.trailing.items():
            values = results[column].cast(pl.String)
            check_result_values(run, values, field.pattern, format_name=self.format, wanted=field.wanted)
        stream = io.BytesIO()
        complete_ranks(run, results).select(
            "topic",
            pl.lit("Q0").alias("q0"),
            "doc",
            "rank",
            "rsv",
            pl.lit(run.id).alias("run"),
            *self.trailing,
        ).write_csv(stream, include_header=False, separator=" ", quote_style="never")
        return stream.getvalue()


def _separate_run_id(table: pl.DataFrame, name: str) -> tuple[str, pl.DataFrame]:
    """Return the id of the run, and the columns of its results."""
    return find_run_id(table, name), table.drop("q0", "run")


def split_first_line(head: bytes) -> list[bytes]:
    r"""Return the fields of the first line, after blanks and comments; none if it is not a line of columns.

    >>> split_first_line(b"\n2009001 Q0 851 1 0.9 run 1205 3431\n")[6:]
    [b'1205', b'3431']
    """
    start = head[:_LONGEST_FIRST_LINE].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"#"):
        start = blank_comments(start).lstrip() or start
    line, end, _ = start.partition(b"\n")
    is_cut = not end and len(head) >= _LONGEST_FIRST_LINE
    return [] if is_cut or line.startswith((b"<", b"{", b"[")) else line.split()


def _is_offset(field: bytes) -> bool:
    """Check whether a field is an offset and not a path.

    >>> _is_offset(b"1205"), _is_offset(b"X"), _is_offset(b"/article[1]")
    (True, True, False)
    """
    return _OFFSET.fullmatch(field) is not None


_TREC_LAYOUT = ColumnLayout("trec", {})
_LONG_LINE = re.compile(rb"^[^\S\n]*(?:\S+[^\S\n]+){6}(\S+)", re.MULTILINE)
_MORE_COLUMNS = re.compile(rb"^([^\S\n]*(?:\S+[^\S\n]+){5})(\S+)[^\n]*$", re.MULTILINE)


def _recognise_trec(head: bytes) -> bool:
    """Check for six columns, or for more of which the seventh is not a place."""
    fields = split_first_line(head)
    return len(fields) == 6 or (len(fields) > 6 and not _is_place(fields[6]))


def _is_place(field: bytes) -> bool:
    return _is_offset(field) or field.startswith(b"/")


def _read_trec(data: bytes, name: str) -> Run:
    plain = blank_comments(data)
    try:
        return _read_six_columns(plain, name)
    except InputError:
        longer = _LONG_LINE.findall(plain)
        if not longer or any(map(_is_place, longer)):  # further columns that are not blank
            raise
    lines = pluralise(len(longer), "line has", "lines have")
    note = f"{lines} more than six columns; only the first six are read"
    return replace(_read_six_columns(_cut_columns(plain), name), notes=(note,))


def _read_six_columns(plain: bytes, name: str) -> Run:
    run_id, table = _TREC_LAYOUT.read(plain, name)
    return Run(run_id, RESULTS.fit(table), file=name, format="trec")


def _cut_columns(plain: bytes) -> bytes:
    """Return the first six columns of each line."""
    return _MORE_COLUMNS.sub(lambda match: match[1] + match[2], plain)


def read_trec_lines(data: bytes, name: str) -> Run | None:
    """Read a run as trec_eval does; return None if it is not a file of columns.

    Columns after the sixth are ignored, and the id in the last line is that of the run.
    """
    if not split_first_line(data):
        return None
    plain = blank_comments(data)
    with contextlib.suppress(InputError):
        return _read_six_columns(plain, name)
    ids = [match[2] for match in _MORE_COLUMNS.finditer(plain)]
    if ids:
        plain = _MORE_COLUMNS.sub(lambda match: match[1] + ids[-1], plain)
    return _read_six_columns(plain, name)


def _write_trec(run: Run) -> bytes:
    topics = run.results["topic"]
    check_result_values(run, topics, "^[^#]", format_name="trec", wanted="a topic that does not start with #")
    return _TREC_LAYOUT.write(run, run.results)


TREC_RUNS = RunFormat(
    name="trec",
    about="topic Q0 doc rank rsv run-id: whole documents",
    accepts=_recognise_trec,
    read=_read_trec,
    write=_write_trec,
    result_kinds=("whole",),
    holds={"results": frozenset({"topic", "doc", "rank", "rsv"}), "about": frozenset({"id"})},
)


_BEP_LAYOUT = ColumnLayout("bep", {"start": OFFSET}, "offset")


def _recognise_bep(head: bytes) -> bool:
    fields = split_first_line(head)
    return len(fields) == 7 and _is_offset(fields[6])


def _read_bep(data: bytes, name: str) -> Run:
    run_id, table = _BEP_LAYOUT.read(data, name)
    return Run(run_id, RESULTS.fit(table), file=name, format="bep")


def _write_bep(run: Run) -> bytes:
    return _BEP_LAYOUT.write(run, run.results)


BEP = RunFormat(
    name="bep",
    about="topic Q0 doc rank rsv run-id offset: entry points",
    accepts=_recognise_bep,
    read=_read_bep,
    write=_write_bep,
    result_kinds=("point",),
    holds={"results": frozenset({"topic", "doc", "rank", "rsv", "start"}), "about": frozenset({"id"})},
)


_FOL_LAYOUT = ColumnLayout("fol", {"start": OFFSET, "length": LENGTH}, "offset length")


def _recognise_fol(head: bytes) -> bool:
    fields = split_first_line(head)
    return len(fields) == 8 and _is_offset(fields[6])


def read_fol(data: bytes, name: str, *, fol_end: bool = False) -> Run:
    """Read a run; ``fol_end``: the last column is an end, not a length."""
    run_id, table = _FOL_LAYOUT.read(data, name)
    end = pl.col("length") if fol_end else pl.col("start") + pl.col("length")
    is_lost = pl.col("start") == NOT_FOUND_OFFSET
    table = table.with_columns(end=pl.when(is_lost).then(NOT_FOUND_OFFSET).otherwise(end))
    backward = table.filter(pl.col("end") < pl.col("start")).head(1) if fol_end else table.clear()
    if backward.height:
        raise InputError(
            "the end of a result",
            file=name,
            line=backward["line"].item(),
            wanted=f"an end that is not before the offset {backward['start'].item()}",
            found=str(backward["end"].item()),
        )
    return Run(run_id, RESULTS.fit(table), file=name, format="fol")


def _write_fol(run: Run) -> bytes:
    return _FOL_LAYOUT.write(run, run.results.with_columns(length=pl.col("end") - pl.col("start")))


FOL = RunFormat(
    name="fol",
    about="topic Q0 doc rank rsv run-id offset length: passages",
    accepts=_recognise_fol,
    read=read_fol,
    write=_write_fol,
    result_kinds=("span",),
    holds={"results": frozenset({"topic", "doc", "rank", "rsv", "start", "end"}), "about": frozenset({"id"})},
)


_ELEMENT_LAYOUT = ColumnLayout("paths", {"path": PATH}, "path")
_RANGE_LAYOUT = ColumnLayout("paths", {"path": PLACE, "path_end": PLACE}, "path path")


def _recognise_paths(head: bytes) -> bool:
    fields = split_first_line(head)
    return len(fields) in {7, 8} and not _is_offset(fields[6]) and not fields[6].startswith(b"#")


def _read_paths(data: bytes, name: str) -> Run:
    shape = _RANGE_LAYOUT if len(split_first_line(data[:65_536])) == 8 else _ELEMENT_LAYOUT
    run_id, table = shape.read(data, name)
    return Run(run_id, RESULTS.fit(table), file=name, format="paths")


def _write_paths(run: Run) -> bytes:
    has_ranges = run.results["path_end"].is_not_null().any()
    return (_RANGE_LAYOUT if has_ranges else _ELEMENT_LAYOUT).write(run, run.results)


PATHS = RunFormat(
    name="paths",
    about="topic Q0 doc rank rsv run-id path: elements; with a second path: ranges and passages",
    accepts=_recognise_paths,
    read=_read_paths,
    write=_write_paths,
    result_kinds=("element", "range"),
    holds={
        "results": frozenset({"topic", "doc", "rank", "rsv", "path", "path_end"}),
        "about": frozenset({"id"}),
    },
)
