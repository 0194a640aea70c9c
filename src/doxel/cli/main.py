"""The ``doxel`` command: finds the command that was named and imports only that one."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
from typing import Any

import click

from doxel._version import __version__
from doxel.errors import DoxelError

__all__ = ["COMMANDS", "cli", "main"]

# The command's name, the module that holds it, and its line in `doxel --help`.
COMMANDS = {
    "demo": ("demo", "A bundled campaign, end to end."),
    "ingest": ("ingest", "Read documents into a collection."),
    "collection": ("collection", "Statistics, outline and text of a collection."),
    "check": ("check", "Everything wrong, before anything is scored."),
    "evaluate": ("evaluate", "Score runs against assessments."),
    "compare": ("compare", "Intervals, tests with correction and effect sizes."),
    "report": ("report", "One page about runs, with curves and documents, and its tables."),
    "recallbase": ("recallbase", "What there is to find: the full or ideal recall base."),
    "topics": ("topics", "What topics hold, and the structure their queries ask for."),
    "nexi": ("nexi", "Explain a query with structure."),
    "search": ("search", "Answer topics with a baseline run."),
    "simulate": ("simulate", "Write the run of a stereotypical system."),
    "study": ("study", "Ask how measures and settings rank systems."),
    "pool": ("pool", "Pool the results of runs: the documents to judge."),
    "campaign": ("campaign", "A campaign in a folder: its status, pool, scores and report."),
    "assess": ("assess", "Let people judge: a server, its users, exports and backups."),
    "chunks": ("chunks", "Compare ways of cutting documents against gold spans."),
    "convert": ("convert", "Runs, assessments and topics between all formats."),
    "measures": ("measures", "List measures and sets, or explain one."),
    "evalj": ("evalj", "Score runs from EvalJ's own configuration files."),
}


class _LazyGroup(click.Group):
    """Imports a command when it is called, so that --version and --help start at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"doxel.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # whoever read our output has had enough: leave quietly, as head and less expect
            _give_up_stdout()
            raise click.exceptions.Exit(0) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="doxel")
def cli() -> None:
    """Measure how well a search system finds the right part of a document."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; errors become one sentence and exit status 2."""
    try:
        # click's own errors already exit with 2 and name the option
        status = cli.main(arguments, prog_name="doxel", standalone_mode=False)
        sys.stdout.flush()  # while it can still be said that there is no room for it
    except click.exceptions.Abort:
        click.echo("doxel: stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except DoxelError as error:
        from doxel.cli.hints import hint

        click.echo(f"doxel: {error}", err=True)
        more = hint(error, sys.argv[1:] if arguments is None else arguments)
        if more is not None:
            click.echo(f"doxel: {more}", err=True)
        sys.exit(2)
    except MemoryError:
        _give_up_stdout()
        click.echo("doxel: there is not enough memory for this", err=True)
        sys.exit(2)
    except BrokenPipeError:
        _give_up_stdout()
        sys.exit(0)
    except OSError as error:
        _give_up_stdout()
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"doxel: {where}{error.strerror or error}", err=True)
        sys.exit(2)
    except UnicodeEncodeError as error:
        _give_up_stdout()
        found = error.object[error.start : error.end]
        click.echo(f"doxel: the output cannot hold {found!a} in {error.encoding}: set PYTHONUTF8=1", err=True)
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)


def _give_up_stdout() -> None:
    """Send what is still to be written nowhere, so that the interpreter does not try again at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
