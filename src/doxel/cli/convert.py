"""``doxel convert``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from doxel.assessments import read_assessments
from doxel.assessments.converting import convert_assessments
from doxel.assessments.formats import FORMATS as ASSESSMENT_FORMATS
from doxel.cli.console import note
from doxel.cli.options import collection_option
from doxel.documents import read_collection
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.formats import Converted, Format
from doxel.files.sets import read_file_set
from doxel.runs import FORMATS as RUN_FORMATS
from doxel.runs import Run, read_runs
from doxel.runs.converting import convert_run
from doxel.topics import read_topics
from doxel.topics.converting import convert_topics
from doxel.topics.formats import FORMATS as TOPIC_FORMATS
from doxel.wording import counted

__all__ = ["KINDS", "Kind", "command", "recognise_kind"]

_HEAD = 65_536  # bytes by which a format is recognised


@dataclass(frozen=True)
class Kind:
    """Runs, assessments or topics: their formats, and how they are read and converted."""

    name: str
    formats: tuple[Format[Any], ...]
    read: Callable[..., Any]
    convert: Callable[..., Converted[Any]]
    count: Callable[[Any], str]

    def named(self, name: str) -> Format[Any] | None:
        """Return the format with a name, such as ``jsonl`` or ``runs:jsonl``, None where it has none."""
        kind, colon, bare = name.rpartition(":")
        if colon and kind != self.name:
            return None
        return next((one for one in self.formats if one.name == bare), None)

    def recognised(self, data: bytes) -> Format[Any] | None:
        """Return the first format that recognises the beginning of a file."""
        return next((one for one in self.formats if one.recognises(data[:_HEAD])), None)


def _read_run(path: str, *, format_name: str | None, fol_end: bool) -> Run:
    runs = read_runs(path, format=format_name, fol_end=fol_end)
    if len(runs) != 1:
        raise InputError("runs are converted one by one", file=path, wanted="one run", found=f"{len(runs):,}")
    return runs[0]


KINDS: tuple[Kind, ...] = (
    Kind(
        "runs",
        RUN_FORMATS,
        lambda path, name, fol_end: _read_run(path, format_name=name, fol_end=fol_end),
        convert_run,
        lambda run: f"{counted(run.results.height, 'result')} for {counted(len(run.topics), 'topic')}",
    ),
    Kind(
        "assessments",
        ASSESSMENT_FORMATS,
        lambda path, name, _: read_assessments(path, format=name),
        convert_assessments,
        lambda some: (
            f"{counted(some.judged.height, 'judged document')} for {counted(len(some.topics), 'topic')}"
        ),
    ),
    Kind(
        "topics",
        TOPIC_FORMATS,
        lambda path, name, _: read_topics(path, format=name),
        lambda topics, target, _: convert_topics(topics, target),
        lambda topics: counted(len(topics), "topic"),
    ),
)


def _known_format(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse a name that no format has; its kind may stand before it."""
    if value is None or any(kind.named(value) for kind in KINDS):
        return value
    raise click.BadParameter(f"wanted one of {_all_names()}; found {value!r}", ctx, param)


def _all_names() -> str:
    return "; ".join(f"{kind.name}: {_names(kind)}" for kind in KINDS)


def _names(kind: Kind) -> str:
    return ", ".join(one.name for one in kind.formats)


def _table_of_formats() -> str:
    return "\n".join(f"{kind.name:<11}  {_names(kind)}" for kind in KINDS)


_HELP = f"""\
Turn runs, assessments or topics into another format.

IN is a file, or, where it is a set, a folder or archive; OUT is compressed if it ends in .gz, .xz or .zst.
With a collection, paths become positions and positions paths, as the format needs them.  What the format
cannot hold is listed, and nothing is written, unless --lossy says that it may go.

\b
{_table_of_formats()}

\b
doxel convert run.xml run.fol --to fol -c wikipedia.doxel --lossy
doxel convert topics/ topics.jsonl --to jsonl
doxel convert chunks.jsonl documents.run --to trec --documents maxp --lossy
"""


@click.command("convert", help=_HELP)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from",
    "source_format",
    callback=_known_format,
    metavar="F",
    help="The format of IN.  Default: recognised by content.  Where that leaves a doubt, name the kind "
    "too: runs:jsonl, assessments:jsonl, topics:jsonl.",
)
@click.option(
    "--to", "target_format", callback=_known_format, metavar="F", required=True, help="The format of OUT."
)
@collection_option
@click.option(
    "--documents",
    type=click.Choice(["first", "maxp"]),
    help="For a run of parts as trec: rank a document by its first result (the default), or by its best rsv.",
)
@click.option("--lossy", is_flag=True, help="Write OUT even if it cannot hold everything that IN has.")
@click.option("--fol-end", is_flag=True, help="The last column of an 8-column run is an end, not a length.")
def command(
    *,
    source: str,
    target: str,
    source_format: str | None,
    target_format: str,
    collection: str | None,
    documents: str | None,
    lossy: bool,
    fol_end: bool,
) -> int:
    """Turn runs, assessments or topics into another format."""
    kind = recognise_kind(source, source_format, target_format)
    chosen = kind.named(target_format)
    if chosen is None:
        raise InputError(
            f"{kind.name} cannot be written as {target_format}",
            file=source,
            wanted=f"--to with one of {_names(kind)}",
        )
    if documents is not None and (kind.name, chosen.name) != ("runs", "trec"):
        raise InputError("--documents makes a ranking of documents", wanted="a run, and --to trec")
    opened = None if collection is None else read_collection(collection)
    name = None if source_format is None else source_format.rpartition(":")[2]
    thing = kind.read(source, name, fol_end)
    for sentence in thing.notes:
        note(f"{source}: {sentence}")
    rule = {} if documents is None else {"documents": documents}
    converted = kind.convert(thing, chosen, opened, **rule)
    _write(converted, chosen, source, target, lossy=lossy)
    note(f"{target}: {kind.count(converted.thing)}, written as {chosen.name}")
    return 0


def _write(converted: Converted[Any], chosen: Format[Any], source: str, target: str, *, lossy: bool) -> None:
    """Write something, or refuse it: nothing is lost unasked, and what is written can be read again."""
    if converted.losses and not lossy:
        hint = "-c, with which places can be said in other words, or " if converted.wants_collection else ""
        raise InputError(
            f"{chosen.name} cannot hold everything",
            file=source,
            wanted=f"{hint}--lossy, to leave out what is found here",
            found=", ".join(converted.losses),
        )
    try:
        data = chosen.write(converted.thing)
    except InputError as error:
        if not converted.wants_collection:
            raise
        wanted = f"{error.wanted or 'places'}, which -c can find out"
        raise InputError(
            error.problem, file=error.file, line=error.line, wanted=wanted, found=error.found
        ) from None
    if converted.losses:
        _refuse_unreadable(data, chosen, source)
    for sentence in converted.notes:
        note(sentence)
    for loss in converted.losses:
        note(f"left out: {loss}")
    write_file(target, data)


def _refuse_unreadable(data: bytes, chosen: Format[Any], source: str) -> None:
    """Refuse what has lost so much that it could not be read again."""
    try:
        chosen.read(data, source)
    except InputError as error:
        problem = f"too little would be left to be read again as {chosen.name}"
        raise InputError(problem, file=source, wanted=error.wanted, found=error.found) from None


def recognise_kind(source: str, source_format: str | None, target_format: str) -> Kind:
    """Return what a file or folder holds: by the format it is said to have, by content, by its aim."""
    name, data = read_file_set(source, kind="runs, assessments or topics").files[0]
    if source_format is not None:
        found = [(kind, one) for kind in KINDS if (one := kind.named(source_format))]
    else:
        found = [(kind, one) for kind in KINDS if (one := kind.recognised(data))]
    if not found:
        shown = repr(data[:60].decode("utf-8", "replace"))
        raise InputError(
            "not a known format", file=name, line=1, wanted=f"one of {_all_names()}", found=shown
        )
    is_markup = data[:_HEAD].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")
    if len(found) > 1 and not is_markup:
        found = _readable(found, data, name)
    if len(found) > 1:
        found = [one for one in found if one[0].named(target_format)] or found
    if len(found) > 1 and not is_markup:
        could = ", or ".join(f"{kind.name} ({one.name})" for kind, one in found)
        wanted = "--from with " + " or ".join(f"{kind.name}:{one.name}" for kind, one in found)
        raise InputError("could be one thing or another", file=name, wanted=wanted, found=could)
    return found[0][0]  # markup that is several things is assessments, which may quote their topic


def _readable(
    found: Sequence[tuple[Kind, Format[Any]]], data: bytes, name: str
) -> list[tuple[Kind, Format[Any]]]:
    """Return the formats in which the first line makes sense; better still, all of it.

    Where no format makes sense of that line, the whole file decides, and at last how far each came: a
    mistake somewhere in a file does not change what it is.
    """
    first = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    reached = {number: _reach(one, first, name) for number, (_, one) in enumerate(found)}
    if max(reached.values()) < _READ:
        reached = {number: _reach(one, data, name) for number, (_, one) in enumerate(found)}
    best = max(reached.values())
    return [found[number] for number, reach in reached.items() if reach == best]


_READ, _READ_ALL = 1 << 61, 1 << 62


def _reach(one: Format[Any], data: bytes, name: str) -> int:
    """Return the line up to which lines can be read; more if all can, and most if nothing is left out."""
    try:
        thing = one.read(data, name)
    except InputError as error:
        return error.line or 0
    is_odd = bool(thing.notes) or (
        "about" in getattr(thing, "table", ()) and thing.table["about"].count() > 0
    )
    return _READ if is_odd else _READ_ALL
