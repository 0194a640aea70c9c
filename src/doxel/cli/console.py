"""What commands share in talking to people: notes on stderr, tables, progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import click

from doxel.wording import printable

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

__all__ = ["note", "or_default", "progress_bar", "show_table", "ticks"]


def or_default(layout: str | None) -> str:
    """Return the layout that was asked for, else a table on a terminal and tsv in a pipe."""
    return layout or ("table" if sys.stdout.isatty() else "tsv")


def note(message: str) -> None:
    """Say something that is not a result."""
    click.echo(f"doxel: {printable(message)}", err=True)


def show_table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table to stdout; columns of numbers are aligned to the right.

    Numbers that do not fit beside one another go into further tables below, with the same first columns.
    """
    from rich.console import Console

    numeric = [
        all(isinstance(row[column], int | float) or row[column] is None for row in rows)
        for column in range(len(headers))
    ]
    cells = [[_cell(value) for value in row] for row in rows]
    # in a pipe there is no width to keep to
    width = Console().width if sys.stdout.isatty() else 10_000
    console = Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)
    # written by us, because rich ends the process with 1 when nobody reads on
    with console.capture() as written:
        for number, columns in enumerate(_blocks(headers, cells, numeric, width)):
            console.print(_table(headers, cells, numeric, columns, title if not number else None))
    click.echo(written.get(), nl=False)


def _table(
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
        # a number broken over two lines is not a number any more
        justify: Literal["left", "right"] = "right" if numeric[column] else "left"
        table.add_column(headers[column], justify=justify, overflow="fold", no_wrap=numeric[column])
    for row in cells:
        table.add_row(*(row[column] for column in columns))
    return table


def _blocks(
    headers: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], width: int
) -> list[list[int]]:
    """Divide columns so that numbers have room: each block has the texts before the first number, too."""
    needed = [
        3 + max(len(header), *(len(row[column]) for row in cells), 0) for column, header in enumerate(headers)
    ]
    keys = list(range(numeric.index(True) if True in numeric else len(headers)))
    if not all(numeric[len(keys) :]):
        return [list(range(len(headers)))]  # texts can be broken over lines, and make room for numbers
    room = width + 1 - min(sum(needed[column] for column in keys), width // 2)  # nothing after the last
    blocks: list[list[int]] = [[]]
    left = room
    for column in range(len(keys), len(headers)):
        if blocks[-1] and needed[column] > left:
            blocks.append([])
            left = room
        blocks[-1].append(column)
        left -= needed[column]
    return [[*keys, *block] for block in blocks]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    return printable(str(value))


@contextmanager
def progress_bar(what: str, *, total: float | None = None) -> Iterator[Progress | None]:
    """Show progress on stderr while something long is done; nothing where it is no terminal."""
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
        progress.add_task(what, total=total, detail="")
        yield progress


@contextmanager
def ticks(what: str, *, total: float | None = None) -> Iterator[Callable[[], None] | None]:
    """Show progress as :func:`progress_bar` does; give what is to be called after each step, if anything."""
    with progress_bar(what, total=total) as bar:
        yield None if bar is None else (lambda: bar.advance(bar.tasks[0].id))
