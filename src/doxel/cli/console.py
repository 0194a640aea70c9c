"""Output of the commands: notes on stderr, tables on stdout, progress bars."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

import click

from doxel.errors import InputError
from doxel.wording import escape_unprintable, shorten_message

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

__all__ = [
    "check_picture_name",
    "choose_layout",
    "discard_stdout",
    "format_cell",
    "ignore_closed_pipe",
    "print_note",
    "redirect_output",
    "show_progress",
    "show_table",
    "show_ticks",
]

_FOREIGN_LINE_END = re.compile(r"\n(?=\S)")
_ESCAPED_LINE_END = r"\\n"


_LAYOUT_OF_SUFFIX = {
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".tex": "latex",
    ".tsv": "tsv",
}
_OTHER_SUFFIXES = (".docx", ".htm", ".html", ".jpg", ".ods", ".odt", ".pdf", ".png", ".svg", ".xls", ".xlsx")


def choose_layout(layout: str | None, output: str | None = None) -> str:
    """Return the requested format, else that of the file, else a table on a terminal and tsv in a pipe."""
    if layout is None and output is not None:
        from doxel.files import strip_compression

        suffix = PurePath(strip_compression(output)).suffix.lower()
        if suffix in _OTHER_SUFFIXES:
            wanted = f"-f FORMAT, or a file that ends in {', '.join(_LAYOUT_OF_SUFFIX)}"
            raise InputError("scores", file=output, wanted=wanted, found=suffix)
        return _LAYOUT_OF_SUFFIX.get(suffix, "tsv")
    return layout or ("table" if sys.stdout.isatty() else "tsv")


def check_picture_name(plot: str | None) -> str:
    """Return the format of the file of ``--plot`` by its suffix, or an empty text without a file."""
    if plot is None:
        return ""
    suffix = PurePath(plot).suffix.lstrip(".").lower()
    if suffix not in {"svg", "png", "pdf"}:
        raise InputError("--plot", wanted="a file that ends in .svg, .png or .pdf", found=repr(plot))
    return suffix


@contextmanager
def redirect_output(output: str | None) -> Iterator[None]:
    """Write the output of the block to a file instead of stdout, if one is given; after an error, nothing."""
    if output is None:
        yield
        return
    from doxel.files import write_file
    from doxel.files.outputs import check_output_folder

    check_output_folder(output)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
    with contextlib.redirect_stdout(stream):
        yield
    write_file(output, stream.buffer.getvalue())


def discard_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter does not fail to flush it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def ignore_closed_pipe() -> Iterator[None]:
    """Continue if the reader of stdout stops reading, as ``head`` does, so that the exit status is kept."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()


def print_note(message: str) -> None:
    """Print a message to stderr.

    Further lines of a message are indented.  Any other line end comes from an id, and is escaped, so that no
    part of the id looks like a message.
    """
    text = shorten_message(escape_unprintable(message))
    click.echo(f"doxel: {_FOREIGN_LINE_END.sub(_ESCAPED_LINE_END, text)}", err=True)


def show_table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table to stdout, with columns of numbers aligned to the right.

    Columns of numbers that exceed the width go to further tables below, which repeat the first columns.
    """
    from rich.console import Console

    numeric = [
        all(isinstance(row[column], int | float) or row[column] is None for row in rows)
        for column in range(len(headers))
    ]
    cells = [[format_cell(value) for value in row] for row in rows]
    headers = [escape_unprintable(header) for header in headers]
    # a pipe has no width
    width = Console().width if sys.stdout.isatty() else 10_000
    console = Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)
    # captured, because rich ends the process with status 1 when a pipe is closed
    with console.capture() as output:
        for number, columns in enumerate(_divide_columns(headers, cells, numeric, width)):
            shown_title = None if number or title is None else escape_unprintable(title)
            console.print(_build_table(headers, cells, numeric, columns, shown_title))
    click.echo(output.get(), nl=False)


def _build_table(
    headers: Sequence[str],
    cells: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    columns: Sequence[int],
    title: str | None,
) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for column in columns:
        # numbers must not wrap
        justify: Literal["left", "right"] = "right" if numeric[column] else "left"
        table.add_column(headers[column], justify=justify, overflow="fold", no_wrap=numeric[column])
    for row in cells:
        table.add_row(*(row[column] for column in columns))
    return table


def _divide_columns(
    headers: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], width: int
) -> list[list[int]]:
    """Divide the columns into blocks that fit the width; each repeats the text columns before the numbers."""
    widths = [
        3 + max(len(header), *(len(row[column]) for row in cells), 0) for column, header in enumerate(headers)
    ]
    keys = list(range(numeric.index(True) if True in numeric else len(headers)))
    if not all(numeric[len(keys) :]):
        return [list(range(len(headers)))]  # text columns wrap and make room for numbers
    room = (
        width + 1 - min(sum(widths[column] for column in keys), width // 2)
    )  # no padding after the last column
    blocks: list[list[int]] = [[]]
    room_left = room
    for column in range(len(keys), len(headers)):
        if blocks[-1] and widths[column] > room_left:
            blocks.append([])
            room_left = room
        blocks[-1].append(column)
        room_left -= widths[column]
    return [[*keys, *block] for block in blocks]


def format_cell(value: object) -> str:
    """Return a value as it is printed in a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    return escape_unprintable(str(value))


@contextmanager
def show_progress(label: str, *, total: float | None = None) -> Iterator[Progress | None]:
    """Show a progress bar on stderr; yield None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(label, total=total, detail="")
        yield progress


@contextmanager
def show_ticks(label: str, *, total: float | None = None) -> Iterator[Callable[[], None] | None]:
    """Show a progress bar; yield the function to call after each step, or None without a terminal."""
    with show_progress(label, total=total) as bar:
        yield None if bar is None else (lambda: bar.advance(bar.tasks[0].id))
