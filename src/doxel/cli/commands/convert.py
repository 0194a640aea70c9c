"""``doxel convert``: convert runs, assessments and topics between formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from doxel.assessments import read_assessments
from doxel.assessments.assessment_conversion import convert_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.cli.console import print_note
from doxel.cli.options import SectionedCommand, collection_option, fol_end_option
from doxel.documents import read_collection
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.archives import read_file_set
from doxel.files.file_format import Conversion, FileFormat, describe_head
from doxel.runs import RUN_FORMATS, Run, read_runs
from doxel.runs.run_conversion import convert_run
from doxel.topics import read_topics
from doxel.topics.topic_files import TOPIC_FORMATS, convert_topics
from doxel.wording import pluralise

__all__ = ["CONVERTIBLE_KINDS", "ConvertibleKind", "command", "recognise_kind"]

_HEAD = 65_536  # bytes read to recognise a format


@dataclass(frozen=True)
class ConvertibleKind:
    """A kind of file (runs, assessments or topics): its formats, reader and converter."""

    name: str
    formats: tuple[FileFormat[Any], ...]
    read: Callable[..., Any]
    convert: Callable[..., Conversion[Any]]
    count: Callable[[Any], str]

    def find_format(self, name: str) -> FileFormat[Any] | None:
        """Return the format with a name, such as ``jsonl`` or ``runs:jsonl``, or None."""
        kind, colon, bare = name.rpartition(":")
        if colon and kind != self.name:
            return None
        return next((entry for entry in self.formats if entry.name == bare), None)

    def recognise(self, data: bytes) -> FileFormat[Any] | None:
        """Return the first format that recognises the start of a file, or None."""
        return next((entry for entry in self.formats if entry.recognises(data[:_HEAD])), None)


def _read_run(path: str, *, format_name: str | None, fol_end: bool) -> Run:
    runs = read_runs(path, format=format_name, fol_end=fol_end)
    if len(runs) != 1:
        raise InputError(
            "only one run can be converted at a time", file=path, wanted="one run", found=f"{len(runs):,}"
        )
    return runs[0]


CONVERTIBLE_KINDS: tuple[ConvertibleKind, ...] = (
    ConvertibleKind(
        "runs",
        RUN_FORMATS,
        lambda path, name, fol_end: _read_run(path, format_name=name, fol_end=fol_end),
        convert_run,
        lambda run: f"{pluralise(run.results.height, 'result')} for {pluralise(len(run.topics), 'topic')}",
    ),
    ConvertibleKind(
        "assessments",
        ASSESSMENT_FORMATS,
        lambda path, name, _: read_assessments(path, format=name),
        convert_assessments,
        lambda assessments: (
            f"{pluralise(assessments.judged.height, 'judged document')} for "
            f"{pluralise(len(assessments.topics), 'topic')}"
        ),
    ),
    ConvertibleKind(
        "topics",
        TOPIC_FORMATS,
        lambda path, name, _: read_topics(path, format=name),
        lambda topics, target, _: convert_topics(topics, target),
        lambda topics: pluralise(len(topics), "topic"),
    ),
)


def _check_format(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Check the name of a format, optionally with its kind before a colon."""
    if value is None or any(kind.find_format(value) for kind in CONVERTIBLE_KINDS):
        return value
    names = _list_all_formats(is_target=param.name == "target_format")
    raise click.BadParameter(f"wanted one of {names}; found {value!r}", ctx, param)


def _list_all_formats(*, is_target: bool = False) -> str:
    return "; ".join(f"{kind.name}: {_list_formats(kind, is_target=is_target)}" for kind in CONVERTIBLE_KINDS)


def _list_formats(kind: ConvertibleKind, *, is_target: bool) -> str:
    return ", ".join(entry.name for entry in kind.formats if not (is_target and entry.is_read_only))


def _describe_formats() -> str:
    """Return a paragraph per kind, which click must not wrap, with one line per format."""
    paragraphs = []
    for kind in CONVERTIBLE_KINDS:
        width = max(len(entry.name) for entry in kind.formats)
        lines = [
            f"  {entry.name:<{width}}  {entry.about}{' (only read)' if entry.is_read_only else ''}"
            for entry in kind.formats
        ]
        paragraphs.append("\n".join(["\b", f"Formats of {kind.name}:", *lines]))
    return "\n\n".join(paragraphs)


_HELP = f"""\
Convert runs, assessments or topics to another format.

IN is a file, or a folder or archive of files that form one set.  OUT is compressed if it ends in .gz, .xz or
.zst.  With a collection, element paths and character offsets are converted into each other as the format
requires.  If the format cannot represent everything, the losses are listed and nothing is written, unless
you pass --lossy.

{_describe_formats()}

\b
doxel convert run.xml run.fol --to fol -c wikipedia.doxel --lossy
doxel convert topics/ topics.jsonl --to jsonl
doxel convert chunks.jsonl documents.run --to trec --documents maxp --lossy
"""


@click.command("convert", cls=SectionedCommand, help=_HELP)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from",
    "source_format",
    callback=_check_format,
    metavar="F",
    help="The format of IN, one of those above.  Default: recognised by content.  If that is ambiguous, add "
    "the kind: runs:jsonl, assessments:jsonl, topics:jsonl.",
)
@click.option(
    "--to",
    "target_format",
    callback=_check_format,
    metavar="F",
    required=True,
    help="The format of OUT, one of those above that is not only read.",
)
@collection_option
@click.option(
    "--documents",
    type=click.Choice(["first", "maxp"]),
    help="To write a run of passages or elements as trec: rank documents by their first result (first, the "
    "default) or by their highest score (maxp; the score of an INEX run is its rsv).",
)
@click.option("--lossy", is_flag=True, help="Write OUT even if it cannot represent everything in IN.")
@fol_end_option
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
    """Convert runs, assessments or topics to another format."""
    kind = recognise_kind(source, source_format, target_format)
    target_type = kind.find_format(target_format)
    if target_type is None:
        raise InputError(
            f"{kind.name} cannot be written as {target_format}",
            file=source,
            wanted=f"--to with one of {_list_formats(kind, is_target=True)}",
        )
    target_type.check_writing()
    if documents is not None and (kind.name, target_type.name) != ("runs", "trec"):
        raise InputError("--documents makes a ranking of documents", wanted="a run and --to trec")
    opened = None if collection is None else read_collection(collection)
    name = None if source_format is None else source_format.rpartition(":")[2]
    thing = kind.read(source, name, fol_end)
    for sentence in thing.notes:
        print_note(f"{source}: {sentence}")
    rule = {} if documents is None else {"documents": documents}
    conversion = kind.convert(thing, target_type, opened, **rule)
    _write(conversion, target_type, source, target, lossy=lossy)
    print_note(f"{target}: {kind.count(conversion.thing)}, written as {target_type.name}")
    return 0


def _write(
    conversion: Conversion[Any], file_format: FileFormat[Any], source: str, target: str, *, lossy: bool
) -> None:
    """Write the converted data; raise an error if data would be lost unasked or could not be read again."""
    if conversion.losses and not lossy:
        hint = "-c, to convert paths and offsets, or " if conversion.wants_collection else ""
        raise InputError(
            f"{file_format.name} cannot represent everything in the file",
            file=source,
            wanted=f"{hint}--lossy, to leave out the following",
            found=", ".join(conversion.losses),
        )
    try:
        data = file_format.write(conversion.thing)
    except InputError as error:
        if not conversion.wants_collection:
            raise
        wanted = f"{error.wanted or 'offsets'}, which a collection (-c) provides"
        raise InputError(
            error.problem, file=error.file, line=error.line, wanted=wanted, found=error.found
        ) from None
    if conversion.losses:
        _check_readable(data, file_format, source)
    for sentence in conversion.notes:
        print_note(sentence)
    for loss in conversion.losses:
        print_note(f"left out: {loss}")
    write_file(target, data)


def _check_readable(data: bytes, file_format: FileFormat[Any], source: str) -> None:
    """Raise an error if the data have lost so much that they could not be read again."""
    try:
        file_format.read(data, source)
    except InputError as error:
        problem = f"so much would be lost that the output could not be read as {file_format.name}"
        raise InputError(problem, file=source, wanted=error.wanted, found=error.found) from None


def recognise_kind(source: str, source_format: str | None, target_format: str) -> ConvertibleKind:
    """Return the kind of a file or folder, from the name of its format, its content, or the target format."""
    name, data = read_file_set(source, kind="runs, assessments or topics").files[0]
    if source_format is not None:
        candidates = [
            (kind, entry) for kind in CONVERTIBLE_KINDS if (entry := kind.find_format(source_format))
        ]
    else:
        candidates = [(kind, entry) for kind in CONVERTIBLE_KINDS if (entry := kind.recognise(data))]
    if not candidates:
        wanted = f"one of {_list_all_formats()}"
        raise InputError("unknown format", file=name, line=1, wanted=wanted, found=describe_head(data))
    is_markup = data[:_HEAD].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")
    if len(candidates) > 1 and not is_markup:
        candidates = _choose_readable(candidates, data, name)
    if len(candidates) > 1:
        candidates = [entry for entry in candidates if entry[0].find_format(target_format)] or candidates
    if len(candidates) > 1 and not is_markup:
        kinds = ", or ".join(f"{kind.name} ({entry.name})" for kind, entry in candidates)
        wanted = "--from with " + " or ".join(f"{kind.name}:{entry.name}" for kind, entry in candidates)
        raise InputError("ambiguous format", file=name, wanted=wanted, found=kinds)
    return candidates[0][0]  # ambiguous markup is assessments, which may quote their topic


def _choose_readable(
    candidates: Sequence[tuple[ConvertibleKind, FileFormat[Any]]], data: bytes, name: str
) -> list[tuple[ConvertibleKind, FileFormat[Any]]]:
    """Return the formats that can read the first line, or those that can read it without remarks.

    If no format can read the first line, the formats that read most lines of the file are returned: an
    error somewhere in a file does not change its format.
    """
    first = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    reached = {number: _measure_reach(entry, first, name) for number, (_, entry) in enumerate(candidates)}
    if max(reached.values()) < _READ:
        reached = {number: _measure_reach(entry, data, name) for number, (_, entry) in enumerate(candidates)}
    best = max(reached.values())
    return [candidates[number] for number, reach in reached.items() if reach == best]


_READ, _READ_ALL = 1 << 61, 1 << 62


def _measure_reach(file_format: FileFormat[Any], data: bytes, name: str) -> int:
    """Return the line of the first error; ``_READ`` without errors, ``_READ_ALL`` also without remarks."""
    try:
        thing = file_format.read(data, name)
    except InputError as error:
        return error.line or 0
    is_odd = bool(thing.notes) or (
        "about" in getattr(thing, "table", ()) and thing.table["about"].count() > 0
    )
    return _READ if is_odd else _READ_ALL
