"""The reference of the command line in Markdown, generated from the help of the commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from doxel.cli.main import COMMANDS, cli

__all__ = ["all_commands", "reference"]

_OPENING = """\
# Commands

`make docs` writes this page from the help that the commands print; a test fails when the two differ.

Results go to stdout, everything else to stderr. The exit status is 0 when all was done; 1 when something was
invalid or skipped, said why, and the rest was done; 2 when the call or its input is wrong. Errors are one
sentence that names the file, the line, what was wanted and what was found.

"""


def all_commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield every command with its name and a context for its help."""
    top = click.Context(cli, info_name="doxel", **cli.context_settings)
    yield "", cli, top
    for name in COMMANDS:
        command = cli.get_command(top, name)
        if command is None:
            raise ValueError(f"no command {name!r}")
        yield name, command, click.Context(command, info_name=name, parent=top)


def reference() -> str:
    """Return the page."""
    lines = [f"- [`doxel {name}`](#doxel-{name}): {line}" for name, (_, line) in COMMANDS.items()]
    pieces = [_OPENING, "\n".join(lines), "\n\nOf `doxel` itself:\n\n"]
    for name, command, context in all_commands():
        pieces += _command(command, context, f"doxel {name}", 2) if name else [_options(command, context)]
    return "".join(pieces)


def _command(command: click.Command, context: click.Context, name: str, level: int) -> list[str]:
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    pieces = [
        f"\n{'#' * level} {name}\n\n```text\n{usage}\n```\n\n",
        _help(command.help or ""),
        _options(command, context),
    ]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                below = click.Context(found, info_name=inner, parent=context)
                pieces += _command(found, below, f"{name} {inner}", level + 1)
    return pieces


def _help(written: str) -> str:
    """Return the paragraphs of a help text; those that click must not wrap become code blocks."""
    pieces: list[str] = []
    for paragraph in inspect.cleandoc(written).split("\n\n"):
        lines = paragraph.strip("\n").split("\n")
        if lines[0].strip() in {"\b", "\\b"}:
            pieces.append("```text\n" + inspect.cleandoc("\n" + "\n".join(lines[1:])) + "\n```\n\n")
        else:
            pieces.append(_escaped(" ".join(" ".join(lines).split())) + "\n\n")
    return "".join(pieces)


def _options(command: click.Command, context: click.Context) -> str:
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    records = [one.get_help_record(context) for one in options]
    rows = [
        f"| `{_cell(left)}` | {_cell(_escaped(' '.join(right.split())))} |"
        for left, right in filter(None, records)
    ]
    return "| option | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _escaped(words: str) -> str:
    """Escape the characters that Markdown uses as markup."""
    for sign in "\\`*_[]<&":
        words = words.replace(sign, f"\\{sign}")
    return words
