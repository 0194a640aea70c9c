"""What commands share in talking to people: notes on stderr, tables, progress."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["note", "progress_bar", "show_table"]


def note(message: str) -> None:
    """Say something that is not a result."""
    click.echo(f"doxel: {message}", err=True)


def show_table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table to stdout; columns of numbers are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for column, header in enumerate(headers):
        numeric = all(isinstance(row[column], int | float) or row[column] is None for row in rows)
        # a number broken over two lines is not a number any more
        table.add_column(header, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    # in a pipe there is no width to keep to
    width = None if sys.stdout.isatty() else 10_000
    console = Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)
    # written by us, because rich ends the process with 1 when nobody reads on
    with console.capture() as written:
        console.print(table)
    click.echo(written.get(), nl=False)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)


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
