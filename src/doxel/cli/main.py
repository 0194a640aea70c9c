"""The ``doxel`` command: imports only the subcommand that is called, and turns errors into messages.

An error about a file may be followed by a hint: the kind of the file, if it was passed as something else.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import gc
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import click

from doxel._version import __version__
from doxel.cli.console import discard_stdout, print_note
from doxel.errors import DoxelError, DoxelWarning, InputError, UnscoredRunError
from doxel.wording import quote_value

__all__ = ["COMMANDS", "SECTIONS", "cli", "describe_formats", "list_readable_formats", "main"]

_ALLOCATOR = "narenas:1,dirty_decay_ms:5000,muzzy_decay_ms:5000"
_LARGEST = 50_000_000  # bytes; larger files are not read again for a hint
_OPTIONS = {
    "-a": "assessments",
    "--assessments": "assessments",
    "-t": "topics",
    "--topic-file": "topics",
    "-c": "collections",
    "--collection": "collections",
    "--baseline": None,
    "-o": None,
    "--out": None,
}
_RUN_COMMANDS = ("evaluate", "explain", "compare", "gate", "report", "check", "pool", "judge", "evalj")
_POSITIONAL = {**dict.fromkeys(_RUN_COMMANDS, "runs"), "topics": "topics"}
_MISNAMED_GOLD = "an assessment"  # the keys of a line are unknown, which does not make it a result
_ADVICE = {
    "runs": "pass runs without an option",
    "assessments": "pass assessments with -a",
    "topics": "pass topics with -t",
}


_OUTPUTS = ("-o", "--output", "--out", "--plot")


def refuse_overwriting(arguments: Sequence[str]) -> None:
    """Reject an output that is one of the other files of the command: it would be lost."""
    words = list(arguments)
    for number, word in enumerate(words):
        option, has_value, value = word.partition("=")
        if word[:2] == "-o" and len(word) > 2:  # the value follows at once
            option, has_value, value = "-o", "-o", word[2:]
        if option not in _OUTPUTS:
            continue
        others = words[:number] + words[number + 1 if has_value else number + 2 :]
        path = value if has_value else "".join(words[number + 1 : number + 2])
        if Path(path).is_file() and any(_is_same_file(other, path) for other in others):
            raise InputError(option, wanted="a file that the command does not read", found=quote_value(path))


def _is_same_file(word: str, path: str) -> bool:
    with contextlib.suppress(OSError, ValueError):  # most words are not paths
        return Path(word).samefile(path)
    return False


def find_hint(error: DoxelError, arguments: Sequence[str]) -> str | None:
    """Return a hint about the file in an error; None for most errors, and in case of doubt."""
    if not isinstance(error, InputError) or error.file is None:
        return None
    path, expected = Path(error.file), _list_expected_kinds(error.file, arguments)
    try:
        if path.is_dir():
            return _advise_on_folder(path) if "runs" in expected and "read" in error.problem else None
        if not expected or not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        formats = list_readable_formats(path)
    except (OSError, DoxelError):
        return None
    if not formats or expected <= formats.keys() or error.problem == _MISNAMED_GOLD:
        return None
    is_certain = len(formats) == 1 and arguments[0] in _RUN_COMMANDS
    where = f"; {_ADVICE[next(iter(formats))]}" if is_certain else ""
    return f"{path} can be read as {describe_formats(formats)}{where}"


def _advise_on_folder(path: Path) -> str:
    """Return what to do with a folder that was passed as a run."""
    if (path / "manifest.json").is_file():
        return f"{path} is a collection; pass it with -c"
    return f"a run is a file; pass {path}/* for all files in the folder"


def describe_formats(formats: Mapping[str, str]) -> str:
    """Return the kinds of a file, each with its format.

    >>> describe_formats({"runs": "csv", "assessments": "chroma"})
    'a run (csv) or as assessments (chroma)'
    """
    labels = {"runs": "a run"}
    return " or as ".join(f"{labels.get(kind, kind)} ({name})" for kind, name in formats.items())


def _list_expected_kinds(file: str, arguments: Sequence[str]) -> set[str]:
    """Return the kinds that a file was passed as, by the option before it or by the command."""
    kinds = {
        _OPTIONS.get(before, _POSITIONAL.get(arguments[0]))
        for before, word in pairwise(arguments)
        if word == file or file.startswith(f"{word.rstrip('/')}/")
    }
    return {kind for kind in kinds if kind is not None}


def list_readable_formats(path: Path) -> dict[str, str]:
    """Return the kinds that the whole file can be read as, each with its format."""
    from doxel.cli.commands.convert import CONVERTIBLE_KINDS
    from doxel.files import read_bytes

    data = read_bytes(path)
    formats: dict[str, str] = {}
    for kind in CONVERTIBLE_KINDS:
        file_format = kind.recognise(data)
        try:
            if file_format is not None:
                file_format.read(data, str(path))
                formats[kind.name] = file_format.name
        except DoxelError:
            continue
    return formats


# The commands under their headings in `doxel --help`, each with its line there.
SECTIONS = {
    "Evaluate": {
        "evaluate": "Score runs against assessments.",
        "explain": "Show how a score comes about, rank by rank.",
        "compare": "Test whether runs differ: intervals, p-values, effect sizes.",
        "gate": "Fail if a run is worse than a stored result, for CI.",
        "report": "Write an HTML page about runs: scores, curves and documents.",
        "check": "Check runs, topics and assessments for errors before scoring.",
        "chunks": "Compare ways of cutting documents into chunks.",
        "measures": "List measures and named sets, or explain one.",
        "audit": "Test any scorer against laws, with the smallest counterexamples.",
        "cite": "Print BibTeX for the measures of a result and for doxel.",
        "evalj": "Score runs from configuration files of EvalJ, a tool of 2006.",
        "demo": "Run all steps on a bundled example.",
    },
    "Prepare": {
        "ingest": "Read documents into a collection.",
        "collection": "Show the statistics, outlines and texts of a collection.",
        "topics": "Summarise topic files and the structure in their queries.",
        "nexi": "Explain a query with structure, in the language NEXI.",
        "search": "Answer topics with a baseline run (BM25).",
        "align": "Find the spans of documents that texts come from.",
        "convert": "Convert runs, assessments and topics between formats.",
    },
    "Judge": {
        "judge": "Judge results of runs by hand, alone, and write gold passages.",
        "pool": "Pool the results of runs: list the documents to judge.",
        "assess": "Serve the pages for assessors; manage users and exports.",
        "campaign": "Manage a campaign in a folder: status, pool, scores, report.",
    },
    "Study": {
        "study": "Study how measures and settings rank systems.",
        "simulate": "Write the run of a simulated system that knows the assessments.",
        "recallbase": "List the relevant elements with their gains (the recall base).",
    },
}
# The name of each command, its module, and its line in `doxel --help`.
COMMANDS = {name: (name, line) for section in SECTIONS.values() for name, line in section.items()}


def _import_lasting(name: str) -> ModuleType:
    """Import a module and its imports, and exclude their objects from garbage collection.

    Collections would take a tenth of the time of a small evaluation.
    """
    if name in sys.modules or not gc.isenabled():
        return importlib.import_module(name)
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.freeze()
        gc.enable()


class _LazyGroup(click.Group):
    """Imports a command only when it is called, so that --version and --help start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = _import_lasting(f"doxel.cli.commands.{COMMANDS[cmd_name][0]}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # the reader of our output has closed the pipe, as head and less do: end without an error
            discard_stdout()
            raise click.exceptions.Exit(0) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        width = max(map(len, COMMANDS))  # the same column in all sections
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])

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
@click.option(
    "--budget",
    "limits",
    multiple=True,
    metavar="NAME=N",
    help="Change a limit on inputs for the command: unpacked-bytes, ratio, table-bytes, document-bytes, "
    "depth, attributes or seconds.",
)
def cli(limits: tuple[str, ...]) -> None:
    """Measure how well a search system finds the right part of a document.

    A run is the output of a system: ranked results per topic (query).  Assessments are the human judgements
    of what is relevant.  Both may be passages, chunks, XML elements or whole documents.  'doxel COMMAND
    --help' explains a command.
    """
    if limits:
        from doxel.files.budget import change_limit

        for limit in limits:
            change_limit(limit)


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; an error becomes a message and exit status 2, a run not scored status 1."""
    _replace_closed_streams()
    # Threads of linear algebra wait for each other at full speed: here they cost more than they save.
    # Scores then do not depend on the number of cores either.  Read when NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Polars keeps freed memory for a while, for all its threads together: the next run is read into it.
    # Settings of the user come later and win.  So do those of a program that has imported Polars itself and
    # runs this command, which inherits them.
    settings = os.environ.get("_RJEM_MALLOC_CONF", "")
    if _ALLOCATOR not in settings:
        os.environ["_RJEM_MALLOC_CONF"] = f"{_ALLOCATOR},{settings}".rstrip(",")
    signals: list[int] = []
    try:
        refuse_overwriting(sys.argv[1:] if arguments is None else arguments)
        with warnings.catch_warnings(), _interrupt_on_signals(signals):
            warnings.simplefilter("ignore", DoxelWarning)  # the commands print them
            # click's own errors already exit with 2 and name the option
            status = cli.main(arguments, prog_name="doxel", standalone_mode=False)
        sys.stdout.flush()  # now, so that a full disk is still reported
    except click.exceptions.Abort:
        _print_error("stopped")
        for number in signals:  # the caller sees how the command ended, as without a handler
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        sys.exit(130)
    except click.ClickException as error:
        with contextlib.suppress(OSError):
            error.show()
        sys.exit(2)
    except DoxelError as error:
        _explain_error(error, sys.argv[1:] if arguments is None else arguments)
        sys.exit(1 if isinstance(error, UnscoredRunError) else 2)
    except MemoryError:
        discard_stdout()
        _print_error("out of memory")
        sys.exit(2)
    except BrokenPipeError:
        discard_stdout()
        sys.exit(0)
    except OSError as error:
        discard_stdout()
        where = f"{error.filename}: " if error.filename else ""
        reason = "stdout is closed" if error.errno == errno.EBADF else error.strerror or str(error)
        _print_error(where + reason)
        sys.exit(2)
    except UnicodeEncodeError as error:
        discard_stdout()
        text = error.object[error.start : error.end]
        _print_error(f"{text!a} cannot be printed as {error.encoding}; set PYTHONUTF8=1")
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)


def _explain_error(error: DoxelError, arguments: Sequence[str]) -> None:
    """Print the message of an error, and a hint if there is one."""
    try:
        sys.stdout.flush()
    except OSError:  # the error is about stdout
        discard_stdout()
    _print_error(str(error))
    advice = find_hint(error, arguments)
    if advice is not None:
        _print_error(advice)


def _print_error(message: str) -> None:
    """Print a message on stderr; the exit status reports the error even if stderr cannot be written."""
    with contextlib.suppress(OSError):
        print_note(message)


@contextlib.contextmanager
def _interrupt_on_signals(received: list[int]) -> Iterator[None]:
    """Treat requests to end like Ctrl-C, so that temporary files are removed; add them to ``received``."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    in_main_thread = threading.current_thread() is threading.main_thread()
    handled = [number for number in numbers if in_main_thread and signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:  # not those that the caller ignores, as nohup does
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _replace_closed_streams() -> None:
    """Open the null device in place of a standard stream that the caller has closed, as ``>&-`` does.

    Otherwise the next file that is opened would get its number, and messages would be written into it.
    Output to a closed stdout is still an error, because the null device is opened for reading.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        access = os.O_WRONLY if name == "stderr" else os.O_RDONLY
        with contextlib.suppress(OSError):
            null = os.open(os.devnull, access)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
