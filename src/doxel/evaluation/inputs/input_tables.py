"""Convert the arguments of ``evaluate``, files, objects or plain data, to runs and assessments.

Plain data are what the adapters convert (see :mod:`doxel.adapters`): frames, lists of dicts, lists of tuples
(topic, doc, start, end), mappings from topics to lists of chunks, and others.  In any other mapping, the
keys are the names of runs.  Names of documents and topics are matched with those of collection and gold.
Assessments with a ``grade`` and no place in any row are judgements of whole documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from doxel.adapters.column_names import COLUMN_NAMES
from doxel.adapters.name_matching import KnownNames, match_documents, match_topics
from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import ASPECTS, BEPS, HIGHLIGHTS, JUDGED, check_aspects
from doxel.assessments.jsonl_assessments import parse_aspect, parse_aspects
from doxel.assessments.judged_pairs import split_judged_passages
from doxel.documents import Collection
from doxel.documents.page_places import convert_pages, is_page_path
from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.runs.passage_ids import split_passage_ids
from doxel.runs.run import NO_DOCUMENT, NOT_FOUND_OFFSET
from doxel.wording import pluralise, quote_value

__all__ = [
    "ChangedRun",
    "NamedFile",
    "RunSource",
    "as_assessments",
    "as_runs",
    "list_known_names",
    "match_foreign_names",
    "read_source",
]


@dataclass(frozen=True)
class NamedFile:
    """A run file with a name chosen by the user."""

    path: str | os.PathLike[str]
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ChangedRun:
    """A run with a change that is applied as soon as the run is read, in whichever process reads it."""

    original: RunSource
    change: Callable[[Run], Run]

    def __str__(self) -> str:
        return str(self.original)


RunSource = Run | NamedFile | ChangedRun | str | os.PathLike[str]
_RUN_SOURCES = (Run, NamedFile, ChangedRun, str, os.PathLike)


def list_known_names(documents: Collection | None, judged: Assessments | None = None) -> KnownNames:
    """Return the ids of documents and topics with which the names in plain data are matched."""
    if judged is None:
        return KnownNames.of(documents)
    return KnownNames.of(documents, judged.judged["doc"], judged.topics, judged.questions)


def as_runs(
    runs: Any,
    documents: Collection | None = None,
    judged: Assessments | None = None,
    *,
    passage_ids: bool = False,
) -> Iterator[RunSource]:
    """Yield runs, or the files that contain them, from any supported input.

    Texts without a document id are searched in all ``documents``.  Names of documents and topics are matched
    with those of the documents and of the assessments, ``judged``.  ``passage_ids``: ids such as doc:0-120
    and doc#3 are those of passages.
    """
    if isinstance(runs, _RUN_SOURCES):
        sources = iter([runs])
    elif isinstance(runs, Sequence) and runs and all(isinstance(run, _RUN_SOURCES) for run in runs):
        sources = iter(runs)
    else:
        sources = _convert_runs(runs, documents, list_known_names(documents, judged))
    yield from (ChangedRun(source, split_passage_ids) for source in sources) if passage_ids else sources


def _add_foreign_names(results: pl.DataFrame, names: pl.DataFrame, owner: str) -> pl.DataFrame:
    """Return results with their other names: by line, or in order if several results are in one line."""
    if not names["line"].is_duplicated().any():
        return results.join(names, on="line", how="left", maintain_order="left")
    if not names["line"].equals(results["line"]):
        raise InputError(owner, wanted="the results as they were read", found="others")
    return results.hstack(names.drop("line"))


def match_foreign_names(run: Run, documents: Collection | None, judged: Assessments) -> Run:
    """Match the names of documents and topics in a run with the known ones, as for rows in Python.

    Documents are matched only in JSON lines with other column names than doxel's own, which hold exact ids.
    Any run may name a topic by the text of its question.
    """
    if run.foreign_names is None and not judged.questions:
        return run
    known_names, owner = list_known_names(documents, judged), run.file or f"run {run.id!r}"
    if run.foreign_names is None:
        return replace(run, results=match_topics(run.results, known_names, owner))
    results = _add_foreign_names(run.results, run.foreign_names, owner)
    doc = pl.when(pl.col("doc") != NO_DOCUMENT).then("doc")
    names = (
        pl.concat_list(doc, pl.col("names").fill_null([])).list.drop_nulls().list.unique(maintain_order=True)
    )
    matched = match_documents(results.with_columns(doc=doc, names=names), known_names, owner)
    results = match_topics(matched.with_columns(pl.col("doc").fill_null(NO_DOCUMENT)), known_names, owner)
    return replace(run, results=RESULTS.fit(results), foreign_names=None)


def _convert_runs(runs: Any, documents: Collection | None, known_names: KnownNames) -> Iterator[RunSource]:
    """Yield runs of plain data, and the files and runs among them."""
    from doxel.adapters.adapter_table import is_table  # which only plain data need

    if isinstance(runs, Mapping | Sequence) and not runs:
        kind = "mapping" if isinstance(runs, Mapping) else "list"
        wanted = "at least one run, or results by topic; {'mine': []} is a run without results"
        raise InputError("runs", wanted=wanted, found=f"an empty {kind}")
    elif is_table(runs):
        yield _convert_run(runs, "run", documents, known_names)
    elif isinstance(runs, Mapping):
        yield from _iterate_named(runs, documents, known_names)
    elif isinstance(runs, Iterable):
        for number, run in enumerate(runs, 1):
            if isinstance(run, _RUN_SOURCES):
                yield run
            else:
                yield _convert_run(run, f"run{number}", documents, known_names)
    else:
        raise InputError("runs", wanted="files, runs or plain data, one or several", found=quote_value(runs))


def _iterate_named(
    runs: Mapping[Any, Any], documents: Collection | None, known_names: KnownNames
) -> Iterator[RunSource]:
    """Yield the runs of a mapping from names to runs."""
    is_named_like_topics = {str(name) for name in runs} <= set(known_names.topics)
    if is_named_like_topics and _lacks_results(runs):
        runs = {"run": []}  # every topic without results
    elif is_named_like_topics and not any(isinstance(data, _RUN_SOURCES) for data in runs.values()):
        runs = {name: _convert_run(data, str(name), documents, known_names) for name, data in runs.items()}
        _refuse_misplaced_rows(runs.values())
    for name, data in runs.items():
        yield _convert_named(data, str(name), documents, known_names)


def _refuse_misplaced_rows(runs: Iterable[Run]) -> None:
    """Raise an error if each run has results of one topic, and any run is not named after its topic."""
    topics = {run.id: run.results["topic"].unique().to_list() for run in runs}
    misplaced = [name for name, members in topics.items() if members != [name]]
    if misplaced and all(len(members) == 1 for members in topics.values()):
        name, topic = misplaced[0], topics[misplaced[0]][0]
        raise InputError(
            "runs",
            wanted="results listed under the topic that they name, or runs under names that are not topics",
            found=f"results of topic {quote_value(topic)} under {quote_value(name)}",
        )


def _lacks_results(runs: Mapping[Any, Any]) -> bool:
    """Return whether all values of a mapping are empty lists or mappings."""
    return all(
        isinstance(data, Mapping | Sequence) and not isinstance(data, str) and not data
        for data in runs.values()
    )


def read_source(source: RunSource, read: Callable[[str | os.PathLike[str]], Run]) -> Run:
    """Return a run; ``read`` reads it if the source is a file."""
    if isinstance(source, Run):
        return source
    if isinstance(source, NamedFile):
        return replace(read_source(source.path, read), id=source.name)
    if isinstance(source, ChangedRun):
        return source.change(read_source(source.original, read))
    return read(source)


def as_assessments(
    source: Any, documents: Collection | None = None, *, passage_ids: bool = False
) -> Assessments:
    """Return assessments from one or several files, an object or plain data.

    Texts without a document id are searched in all ``documents``.  ``passage_ids``: grades of ids such as
    doc:0-120 and doc#3 are those of passages.
    """
    assessments = _convert_assessments(source, documents)
    return (
        split_judged_passages(assessments)
        if passage_ids and assessments.scale == "documents"
        else assessments
    )


def _convert_assessments(source: Any, documents: Collection | None) -> Assessments:
    if isinstance(source, str | os.PathLike) or _is_list_of_paths(source):
        source = read_assessments(source)
    if isinstance(source, Assessments):
        return _require_collection(source, documents)
    source, aspects = _separate_aspects(source)
    frame = _convert_frame(source, "assessments", list_known_names(documents), gold=True)
    frame = _name_missing_documents(frame, documents, "assessments")
    if not frame.height:
        raise InputError("assessments", wanted="rows with a topic and a doc", found="none")
    _check_spans(frame, "assessments", lowest=0, whole=True)
    _check_whole(frame, "bep", "assessments", lowest=0)
    _check_aspect_names(frame)
    beps = _filter_rows_with(frame, "bep")
    frame = _convert_pages(frame.with_columns(page=_drop_pages_of_beps(frame)), "assessments")
    highlights = _filter_rows_with(frame, "start", "path", "text")
    if _filter_rows_with(frame, "grade").height:
        if not highlights.height and not beps.height:
            return _grade_documents(frame)
        _check_graded_rows(frame)
    assessments = Assessments(
        scale="2006",
        judged=JUDGED.fit(frame.select("topic", "doc").unique(maintain_order=True)),
        highlights=HIGHLIGHTS.fit(highlights),
        beps=_place_beps(beps),
        aspects=aspects,
        format="jsonl",
        questions=_list_questions(frame),
    )
    return _require_collection(check_aspects(assessments), documents)


def _separate_aspects(source: Any) -> tuple[Any, pl.DataFrame]:
    """Return the rows without those that declare the aspects of a topic, and these."""
    is_rows = isinstance(source, Sequence) and not isinstance(source, str)
    if not is_rows or not any(isinstance(row, Mapping) and "aspects" in row for row in source):
        return source, ASPECTS.empty()
    aspects, others = [], []
    for number, row in enumerate(source, 1):
        if isinstance(row, Mapping) and row.get("aspects") is not None:
            aspects += parse_aspects(row, "assessments", number)
        else:
            others.append(row)
    return others, ASPECTS.from_rows(aspects)


def _check_aspect_names(frame: pl.DataFrame) -> None:
    """Raise an error for the first aspect that is no text, is empty, or belongs to no highlight."""
    if frame.schema.get("aspect", pl.Null) == pl.Null:
        return
    places = [pl.col(name).is_null() for name in ("start", "path", "text", "page") if name in frame.columns]
    is_placeless = pl.all_horizontal(places) if places else pl.lit(value=True)
    rows_with_aspect = frame.with_row_index("row", 1).filter(pl.col("aspect").is_not_null())
    for row, aspect, lacks_place in rows_with_aspect.select(
        "row", "aspect", is_placeless.alias("lacks")
    ).iter_rows():
        parse_aspect(aspect, "assessments", row)
        if lacks_place:
            wanted = "start and end, a path or a text, as in other rows"
            raise InputError(f"assessments, row {row}", wanted=wanted, found="an aspect alone")


def _list_questions(frame: pl.DataFrame) -> dict[str, str]:
    """Return the texts of the topics that have one besides their id."""
    if "question" not in frame.columns:
        return {}
    texts = frame.filter(pl.col("question") != pl.col("topic")).unique("topic", maintain_order=True)
    return dict(texts.select("topic", "question").iter_rows())


def _grade_documents(frame: pl.DataFrame) -> Assessments:
    """Return judgements of whole documents, as a file of TREC qrels gives them."""
    grade = frame["grade"].cast(pl.Float64, strict=False)
    invalid = frame.with_row_index("row", 1).filter(~grade.is_finite().fill_null(value=False))
    if invalid.height:
        raise InputError(
            f"assessments, row {invalid['row'][0]}",
            wanted="a grade, as in other rows: a number",
            found=quote_value(invalid["grade"][0]),
        )
    judged = frame.select("topic", "doc", grade=grade).unique(maintain_order=True)
    repeated = judged.filter(pl.struct("topic", "doc").is_duplicated())
    if repeated.height:
        topic, doc, _ = repeated.row(0)
        grades = repeated.filter(pl.col("topic") == topic, pl.col("doc") == doc)["grade"]
        raise InputError(
            f"assessments of topic {topic}, document {doc}",
            wanted="one grade",
            found=" and ".join(f"{grade:g}" for grade in grades),
        )
    return Assessments(scale="documents", judged=JUDGED.fit(judged), format="trec")


def _check_graded_rows(frame: pl.DataFrame) -> None:
    """Raise an error for the first grade of a whole document among highlights, which nothing would use."""
    places = [pl.col(name).is_null() for name in ("start", "path", "text") if name in frame.columns]
    numbered = frame.with_row_index("row", 1).filter(pl.all_horizontal(places))
    graded = numbered.filter(pl.col("grade").cast(pl.Float64, strict=False) != 0)
    if graded.height:
        raise InputError(
            f"assessments, row {graded['row'][0]}",
            wanted="start and end, a path or a text, as in other rows",
            found="a grade alone",
        )


def _convert_named(
    data: Any, name: str, documents: Collection | None, known_names: KnownNames
) -> Run | NamedFile:
    if isinstance(data, Run):
        return replace(data, id=name)
    if isinstance(data, str | os.PathLike):
        return NamedFile(data, name)
    return _convert_run(data, name, documents, known_names)


def _convert_run(data: Any, name: str, documents: Collection | None, known_names: KnownNames) -> Run:
    frame = _name_missing_documents(
        _convert_frame(data, f"run {name!r}", known_names), documents, f"run {name!r}"
    )
    if documents is None:
        _refuse_loaded_pages(frame, f"run {name!r}")
    _check_spans(frame, f"run {name!r}", lowest=NOT_FOUND_OFFSET, whole=False)
    _check_whole(frame, "rank", f"run {name!r}")
    results = RESULTS.fit(_convert_pages(frame, f"run {name!r}"))
    return Run(name, results, unread_texts=_list_unread_texts(frame))


def _list_unread_texts(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the columns that hold texts of several words and that no result uses."""
    others = frame.head(1).drop(*RESULTS.empty().columns, *COLUMN_NAMES, "question", strict=False)
    first_row = next(others.select(pl.selectors.string()).iter_rows(named=True), {})
    return tuple(name for name, text in first_row.items() if len((text or "").split()) > 1)


def _name_missing_documents(frame: pl.DataFrame, documents: Collection | None, owner: str) -> pl.DataFrame:
    """Give texts without a document id a placeholder: they will be searched in all documents."""
    lacks_doc = frame["doc"].is_null()
    if not lacks_doc.any():
        return frame
    has_texts = "text" in frame.columns
    lacks_both = int((lacks_doc & frame["text"].is_null()).sum()) if has_texts else int(lacks_doc.sum())
    if lacks_both:
        found = pluralise(lacks_both, "row with neither", "rows with neither")
        raise InputError(owner, wanted="a doc or a text in every row", found=found)
    if documents is None:
        rows = pluralise(int(lacks_doc.sum()), "row without a doc", "rows without a doc")
        raise InputError(
            owner,
            wanted="a doc in every row, or collection={id: text} in which to search the texts",
            found=f"{rows}, no collection",
        )
    return frame.with_columns(doc=pl.col("doc").fill_null(NO_DOCUMENT))


def _filter_rows_with(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the rows that have a value in at least one of the columns."""
    has_value = [pl.col(name).is_not_null() for name in columns if name in frame.columns]
    return frame.filter(pl.any_horizontal(has_value)) if has_value else frame.clear()


def _check_spans(frame: pl.DataFrame, owner: str, *, lowest: int, whole: bool) -> None:
    """Raise an error for the first row with an invalid span; ``whole`` requires an end for each start."""
    if "start" not in frame.columns and "end" not in frame.columns:
        return
    spans = frame.select(
        pl.col(name) if frame.schema.get(name, pl.Null) != pl.Null else pl.lit(None, pl.Int64).alias(name)
        for name in ("start", "end")
    )
    start, end = pl.col("start"), pl.col("end")
    try:
        invalid = spans.with_row_index("row", 1).filter(
            (start < lowest)
            | (end < start)
            | (start != start.round())
            | (end != end.round())
            | (start.is_null() & end.is_not_null())
            | (pl.lit(whole) & start.is_not_null() & end.is_null())
        )
    except pl.exceptions.PolarsError:
        types = ", ".join(f"{name} {spans[name].dtype}" for name in spans.columns)
        raise InputError(owner, wanted="start and end as whole numbers", found=types) from None
    if invalid.height:
        row, first, last = invalid.row(0)
        raise InputError(
            f"{owner}, row {row}",
            wanted=f"start and end as whole numbers, {lowest} <= start <= end",
            found=f"start {first}, end {last}",
        )


def _check_whole(frame: pl.DataFrame, column: str, owner: str, *, lowest: int | None = None) -> None:
    """Raise an error for the first row in which an optional column is not a whole number."""
    if frame.schema.get(column, pl.Null) == pl.Null:
        return
    wanted = f"{column} as a whole number" + ("" if lowest is None else f", {lowest} or more")
    value = pl.col(column)
    is_whole = value.is_finite() & (value == value.round())
    try:
        valid = is_whole if lowest is None else is_whole & (value >= lowest)
        invalid = frame.with_row_index("row", 1).filter(~valid)
    except pl.exceptions.PolarsError:
        raise InputError(owner, wanted=wanted, found=f"{column} {frame[column].dtype}") from None
    if invalid.height:
        raise InputError(f"{owner}, row {invalid['row'][0]}", wanted=wanted, found=f"{invalid[column][0]}")


def _refuse_loaded_pages(frame: pl.DataFrame, owner: str) -> None:
    """Raise an error for offsets of chunks with a page, which may count within the page."""
    count = _filter_rows_with(_filter_rows_with(frame, "loaded_page"), "start").height
    if count:
        raise InputError(
            owner,
            wanted="a collection (-c), in which to find the texts: offsets may count within a page",
            found=pluralise(count, "chunk with a page", "chunks with a page"),
        )


def _convert_pages(frame: pl.DataFrame, owner: str) -> pl.DataFrame:
    """Return rows with paths in place of pages, after checking the pages."""
    _check_whole(frame, "page", owner, lowest=1)
    return convert_pages(frame)


def _drop_pages_of_beps(frame: pl.DataFrame) -> pl.Expr:
    """Return the pages of highlights: the page of a best entry point belongs to that."""
    if "page" not in frame.columns or "bep" not in frame.columns:
        return pl.col("page") if "page" in frame.columns else pl.lit(None)
    return pl.when(pl.col("bep").is_null()).then("page")


def _place_beps(beps: pl.DataFrame) -> pl.DataFrame:
    """Return best entry points by offset, or by path where a page is given."""
    if not beps.height:
        return BEPS.empty()
    frame = _convert_pages(beps.with_columns(start="bep", end=pl.lit(None)), "assessments")
    return BEPS.fit(frame.with_columns(position="start"))


def _require_collection(assessments: Assessments, documents: Collection | None) -> Assessments:
    """Raise an error if places are given by page or quotation and there is no collection to find them in."""
    if documents is not None:
        return assessments
    paths = pl.concat([assessments.highlights["path"], assessments.beps["path"]])
    pages = int(is_page_path(paths).sum()) if paths.null_count() < len(paths) else 0
    if pages:
        raise InputError(
            pluralise(pages, "place is given by its page", "places are given by their pages"),
            file=assessments.file,
            wanted="a collection (-c), to find the pages",
        )
    is_quoted = pl.col("text").is_not_null() & pl.col("start").is_null() & pl.col("path").is_null()
    quotations = assessments.highlights.filter(is_quoted).height
    if quotations:
        raise InputError(
            pluralise(quotations, "relevant passage is quoted", "relevant passages are quoted"),
            file=assessments.file,
            wanted="a collection (-c, in Python collection={id: text}), to find the text",
        )
    return assessments


def _is_list_of_paths(source: Any) -> bool:
    return (
        isinstance(source, Sequence)
        and bool(source)
        and all(isinstance(item, str | os.PathLike) for item in source)
    )


_WANTED_COLUMNS = (
    "the columns topic and doc, or others that mean the same: query_id, qid, query or question; doc_id, "
    "docno, source or file_name, or instead of the document its text as text, content or page_content"
)


def _convert_frame(data: Any, owner: str, known_names: KnownNames, *, gold: bool = False) -> pl.DataFrame:
    """Return plain data as a frame with doxel's column names, and known ids of topics and documents."""
    from doxel.adapters.adapter_table import adapt_table

    adapted = adapt_table(data, owner, gold=gold)
    frame = match_documents(adapted.frame, known_names, owner)
    if "text" in frame.columns and "doc" not in frame.columns:
        frame = frame.with_columns(doc=pl.lit(None, dtype=pl.String))
    missing_columns = [name for name in ("topic", "doc") if name not in frame.columns]
    if missing_columns:
        raise InputError(owner, wanted=_WANTED_COLUMNS, found=", ".join(adapted.columns) or "no rows")
    if frame["topic"].null_count():
        row = frame.with_row_index("row", 1).filter(pl.col("topic").is_null())["row"][0]
        raise InputError(f"{owner}, row {row}", wanted="a topic", found="none")
    return match_topics(frame, known_names, owner, positions=adapted.positions)
