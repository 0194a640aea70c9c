"""The reference of the command line in Markdown, generated from the help of the commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from doxel.cli.main import COMMANDS, SECTIONS, cli
from doxel.cli.options import INEX_HEADING, collect_option_sections

__all__ = ["all_commands", "reference"]

_OPENING = """\
# Commands

`make docs` writes this page from the help of the commands; a test fails if the two differ.

Results go to stdout, messages to stderr. The exit status is 0 on success; 1 if something was invalid or
skipped (it is reported, and the rest is done); 2 if the call or its input is wrong. An error names the
file, the line, what was wanted and what was found.

A *topic* is a query with its description, a *run* the ranked results of a system for all topics, and
*assessments* are the judgements of what is relevant; the [glossary](glossary.md) explains all terms.

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
    lists = [
        f"**{heading}**\n\n"
        + "\n".join(f"- [`doxel {name}`](#doxel-{name}): {line}" for name, line in commands.items())
        for heading, commands in SECTIONS.items()
    ]
    pieces = [_OPENING, "\n\n".join(lists), "\n\nOptions of `doxel` itself:\n\n"]
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
            subcommand = command.get_command(context, inner)
            if subcommand is not None and not subcommand.hidden:
                below = click.Context(subcommand, info_name=inner, parent=context)
                pieces += _command(subcommand, below, f"{name} {inner}", level + 1)
    return pieces


def _help(help_text: str) -> str:
    """Return the paragraphs of a help text; those that click must not wrap become code blocks."""
    pieces: list[str] = []
    for paragraph in inspect.cleandoc(help_text).split("\n\n"):
        lines = paragraph.strip("\n").split("\n")
        if lines[0].strip() in {"\b", "\\b"}:
            pieces.append("```text\n" + inspect.cleandoc("\n" + "\n".join(lines[1:])) + "\n```\n\n")
        else:
            pieces.append(_escaped(" ".join(" ".join(lines).split())) + "\n\n")
    return "".join(pieces)


def _options(command: click.Command, context: click.Context) -> str:
    return "\n".join(
        _table(records, "option" if heading != INEX_HEADING else "option for INEX measures and files")
        for heading, records in collect_option_sections(command, context).items()
    )


def _table(records: list[tuple[str, str]], header: str) -> str:
    rows = [f"| `{_cell(left)}` | {_cell(_escaped(' '.join(right.split())))} |" for left, right in records]
    return f"| {header} | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _escaped(words: str) -> str:
    """Escape the characters that Markdown uses as markup."""
    for sign in "\\`*_[]<&":
        words = words.replace(sign, f"\\{sign}")
    return words
