"""Read and write assessments in any format, from one file or from several as one set.

``ASSESSMENT_FORMATS`` lists the formats in the order in which they are recognised.

In a set, a document is judged once per topic.  A campaign's folder has one file per topic and pool.  Two
pools of one topic complement each other.  If both judge the same document identically, the judgement
counts once; if the judgements differ, reading fails with an error that names both places.  (INEX keeps
the pools of second assessors in folders named ``others``, beside ``main``: compare them, but score with
one of the two.)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from doxel.arguments import check_arguments
from doxel.assessments.assessments import (
    ASSESSMENT_TABLES,
    JUDGED,
    AssessmentFormat,
    Assessments,
    check_aspects,
    may_repeat,
)
from doxel.assessments.campaigns.archehr_keys import ARCHEHR_KEYS
from doxel.assessments.campaigns.bioasq_gold import BIOASQ_GOLD
from doxel.assessments.campaigns.genomics_gold import GENOMICS_GOLD
from doxel.assessments.campaigns.locomo_gold import LOCOMO_GOLD
from doxel.assessments.campaigns.qasper_gold import QASPER_GOLD
from doxel.assessments.campaigns.squad_gold import SQUAD_GOLD
from doxel.assessments.document_qrels import BEIR_QRELS, QRELS_JSON
from doxel.assessments.inex_xml_assessments import INEX2002_XML, INEX2003_XML, INEX2005_XML, INEX2006_XML
from doxel.assessments.jsonl_assessments import JSONL_ASSESSMENTS
from doxel.assessments.qrels import QRELS, TREC_QRELS
from doxel.assessments.question_csv import CHROMA_QUESTIONS, CSV_GOLD
from doxel.assessments.web_annotations import WEB_ANNOTATION
from doxel.errors import InputError
from doxel.files import write_file
from doxel.files.archives import FileSet, Paths, read_file_set
from doxel.files.file_format import find_format, recognise_format
from doxel.files.named_sources import iterate_dataset, load_site_function, split_sources
from doxel.wording import pluralise

__all__ = [
    "ASSESSMENT_FORMATS",
    "combine_assessments",
    "find_assessment_format",
    "read_assessments",
    "write_assessments",
]


@check_arguments
def read_assessments(paths: Paths, *, format: str | None = None) -> Assessments:  # noqa: A002 -- the public word
    """Read assessments from a file, or from several files, folders and archives as one set.

    The format of each file is recognised by its content unless ``format`` names it.  All files must have
    the same scale.  If a document is judged twice for a topic and the judgements differ, the error names
    both places.  ``ir_datasets:NAME`` is a data set of that library.  A database of ``doxel assess``, named
    by its SQLite file or its address, means the official judgements in it.
    """
    sources = split_sources(paths)
    parts = [_read_dataset_grades(name) for name in sources.datasets]
    parts += [load_site_function("read_site_assessments")(address) for address in sources.databases]
    files = read_file_set(sources.files, kind="assessments") if sources.files or not parts else FileSet(())
    for name, data in files.files:
        if format:
            file_format = find_assessment_format(format)
        else:
            file_format = recognise_format(ASSESSMENT_FORMATS, data, file=name, kind="assessments")
        parts.append(file_format.read(data, name))
    assessments = combine_assessments(parts)
    if not assessments.judged.height:
        raise InputError("no assessments", file=parts[0].file, wanted="judged documents", found="none")
    return replace(assessments, notes=(*files.notes, *assessments.notes))


def _read_dataset_grades(name: str) -> Assessments:
    """Read the judgements of a data set."""
    rows = [
        {
            "topic": qrel.query_id,
            "doc": qrel.doc_id,
            "grade": float(qrel.relevance),
            "file": name,
            "line": line,
        }
        for line, qrel in enumerate(iterate_dataset(name, "qrels"), 1)
    ]
    return Assessments(scale="documents", judged=JUDGED.from_rows(rows), file=name, format="trec")


@check_arguments
def write_assessments(
    assessments: Assessments,
    path: str | os.PathLike[str],
    format: str,  # noqa: A002 -- the public word
) -> None:
    """Write assessments to a file atomically; .gz, .xz and .zst files are compressed.

    Columns that the format cannot store are left out; ``AssessmentFormat.losses`` lists them for
    ``assessments.tables``.
    """
    write_file(path, find_assessment_format(format).write(assessments))


ASSESSMENT_FORMATS: tuple[AssessmentFormat, ...] = (
    INEX2006_XML,
    INEX2005_XML,
    INEX2002_XML,
    INEX2003_XML,
    CHROMA_QUESTIONS,
    BIOASQ_GOLD,
    GENOMICS_GOLD,
    ARCHEHR_KEYS,
    LOCOMO_GOLD,
    SQUAD_GOLD,
    QASPER_GOLD,
    QRELS_JSON,
    WEB_ANNOTATION,
    JSONL_ASSESSMENTS,
    BEIR_QRELS,
    CSV_GOLD,
    TREC_QRELS,
    QRELS,
)


def find_assessment_format(name: str) -> AssessmentFormat:
    """Return the assessment format with a name."""
    return find_format(ASSESSMENT_FORMATS, name, kind="assessments")


_KEY = ["topic", "doc"]
_PLACE = ["file_number", *_KEY]


def combine_assessments(parts: Sequence[Assessments]) -> Assessments:
    """Combine several assessments into one, and remove repeated judgements."""
    scale, parts = _find_scale(parts)
    tables = {
        name: pl.concat(
            [
                getattr(part, name).with_columns(file_number=pl.lit(number, dtype=pl.UInt32))
                for number, part in enumerate(parts)
            ]
        )
        for name in ASSESSMENT_TABLES
    }
    tables, repeats = _remove_repeats(tables)
    note = pluralise(
        repeats,
        "judgement is an exact repetition and counts once",
        "judgements are exact repetitions and count once",
    )
    notes = [note] if repeats else []
    formats = {part.format for part in parts}
    combined = Assessments(
        scale=scale,
        **{name: table.drop("file_number") for name, table in tables.items()},
        aspects=pl.concat([part.aspects for part in parts]),
        file=parts[0].file if len(parts) == 1 else None,
        format=formats.pop() if len(formats) == 1 else None,
        questions={topic: text for part in parts for topic, text in part.questions.items()},
        foreign_names={
            doc: (*(name for part in parts for name in part.foreign_names.get(doc, ())),)
            for part in parts
            for doc in part.foreign_names
        },
        about=_combine_about(parts),
        notes=(*(note for part in parts for note in part.notes), *notes),
    )
    return check_aspects(combined)


def _find_scale(parts: Sequence[Assessments]) -> tuple[str, Sequence[Assessments]]:
    """Return the scale of all parts; the scale of a file with nothing relevant is uncertain."""
    certain = [part for part in parts if _has_certain_scale(part)] or list(parts[:1])
    conflicting = next((part for part in certain if part.scale != certain[0].scale), None)
    if conflicting is not None:
        raise InputError(
            "assessments of two scales cannot be combined",
            file=conflicting.file,
            wanted=f"scale {certain[0].scale} as in {certain[0].file}",
            found=f"scale {conflicting.scale}",
        )
    formats = {part.format for part in certain}
    common = formats.pop() if len(formats) == 1 else None
    parts = [
        part if _has_certain_scale(part) or common is None else replace(part, format=common) for part in parts
    ]
    return certain[0].scale, parts


def _has_certain_scale(part: Assessments) -> bool:
    return part.scale == "documents" or any(
        getattr(part, name).height for name in ("highlights", "elements", "beps")
    )


def _combine_about(parts: Sequence[Assessments]) -> dict[str, str]:
    about: dict[str, str] = {}
    for part in parts:
        for key, value in part.about.items():
            earlier = about.setdefault(key, value)
            if earlier == value:
                continue
            if key == part.format:  # the objects of a campaign's file, as lines of JSON
                about[key] = f"{earlier}\n{value}"
                continue
            if key == "whitespace-text-node":  # it decides which text node a path refers to
                problem = f"the files of one set differ in {key}"
                raise InputError(problem, file=part.file, wanted=repr(earlier), found=repr(value))
            about[key] = earlier if value in earlier.split(", ") else f"{earlier}, {value}"
    return about


def _remove_repeats(tables: dict[str, pl.DataFrame]) -> tuple[dict[str, pl.DataFrame], int]:
    """Drop judgements that repeat another one exactly; two different judgements are an error."""
    judged = tables["judged"]
    if not may_repeat(judged):
        return tables, 0
    duplicates = judged.filter(pl.struct(_KEY).is_duplicated()).with_row_index("judgement")
    if not duplicates.height:
        return tables, 0
    owned_rows = {name: _find_owned_rows(table, duplicates) for name, table in tables.items()}
    contents: dict[int, list[object]] = {row: [] for row in duplicates["judgement"]}
    for name, rows in owned_rows.items():
        plain = rows.drop("row", "file", "line", "file_number", strict=False)
        for row, *values in plain.select("judgement", pl.exclude("judgement")).iter_rows():
            contents[row].append((name, *values))
    first: dict[tuple[str, str], int] = {}
    superfluous: list[int] = []
    for row, topic, doc in duplicates.select("judgement", *_KEY).iter_rows():
        earlier = first.setdefault((topic, doc), row)
        if earlier == row:
            continue
        if sorted(map(repr, contents[row])) != sorted(map(repr, contents[earlier])):
            raise _build_repeat_error(duplicates, earlier, row)
        superfluous.append(row)
    remaining = {
        name: table.filter(
            ~pl.int_range(pl.len()).is_in(
                owned_rows[name].filter(pl.col("judgement").is_in(superfluous))["row"].implode()
            )
        )
        for name, table in tables.items()
    }
    return remaining, len(superfluous)


def _find_owned_rows(table: pl.DataFrame, duplicates: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that belong to repeated judgements, each with its judgement."""
    line = pl.col("line").fill_null(
        0
    )  # null in JSON without line numbers, where a file judges a document once
    owners = duplicates.select("judgement", *_PLACE, line).sort("line")
    return (
        table.with_columns(line, row=pl.int_range(pl.len(), dtype=pl.Int64))
        .join(duplicates.select(_PLACE).unique(), on=_PLACE, how="semi")
        .sort("line", maintain_order=True)
        .join_asof(owners, on="line", by=_PLACE, strategy="backward", check_sortedness=False)
    )


def _build_repeat_error(duplicates: pl.DataFrame, earlier: int, row: int) -> InputError:
    topic, doc, file, line = duplicates.select(*_KEY, "file", "line").row(row)
    other_file, other_line = duplicates.select("file", "line").row(earlier)
    return InputError(
        f"topic {topic}, document {doc} judged a second time, and differently",
        file=file,
        line=line,
        wanted="one judgement per topic and document; pass those of another assessor with --assessor, in "
        "Python assessors=[...]",
        found=f"the first in {other_file}, line {other_line}",
    )
