"""Save an evaluation as JSON and load it again; fingerprints show whether its inputs have changed.

The file is that of ``doxel evaluate -q -f json``.  It holds scores, not runs or texts; instead of the
assessments and documents it has their fingerprints, the assessments' also by topic.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel._version import __version__
from doxel.arguments import check_arguments
from doxel.assessments.assessments import ASSESSMENT_TABLES, Assessments
from doxel.checks.score_warnings import ScoreWarning, sort_by_gravity
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.evaluation_result import MEAN, MORE_COLUMNS, SCORES, Evaluation, Rejection, select_rows
from doxel.files import write_file
from doxel.files.contents import read_text
from doxel.wording import join_words, pluralise, quote_value

if TYPE_CHECKING:
    from doxel.topics import Topics

__all__ = [
    "SCHEMA",
    "InputFingerprints",
    "ScoredInputs",
    "describe_changed_inputs",
    "describe_result",
    "fingerprint_inputs",
    "load_result",
    "read_saved_content",
    "save_result",
]

SCHEMA = 2
"""The version of the JSON of scores; since 2, warnings are objects."""


@dataclass(frozen=True)
class InputFingerprints:
    """Hashes of the assessments and documents that scores were computed from.

    ``topics`` has one per topic of the assessments.  ``collection`` covers the names and texts of all
    documents, ``judged`` those of the judged ones; both are None without a collection.
    """

    assessments: str
    topics: Mapping[str, str]
    collection: str | None = None
    judged: str | None = None
    documents: int | None = None


@dataclass(eq=False)
class ScoredInputs:
    """The inputs of an evaluation, for follow-up questions; of a loaded result only their fingerprints."""

    assessments: Assessments | None = None
    collection: Collection | None = None
    topics: Topics | None = None
    stored: InputFingerprints | None = None
    version: str = __version__  # of the doxel that computed the scores
    hashes: list[dict[str, Any]] = field(default_factory=list)  # of a loaded result: its files, with SHA-256

    @cached_property
    def topic_texts(self) -> dict[str, str]:
        """The texts of topics by id: those of the topics or, if there are none, of the assessments."""
        questions = {} if self.assessments is None else self.assessments.questions
        texts = {topic.id: topic.title or topic.query or topic.description for topic in self.topics or ()}
        return {**questions, **{topic: text for topic, text in texts.items() if text}}

    @cached_property
    def fingerprints(self) -> InputFingerprints | None:
        """The fingerprints of the inputs; None if the file that was loaded has none."""
        if self.assessments is None:
            return self.stored
        return fingerprint_inputs(self.assessments, self.collection)


def fingerprint_inputs(assessments: Assessments, collection: Collection | None) -> InputFingerprints:
    """Return the fingerprints of assessments and documents; they do not depend on the order of rows or files.

    >>> from doxel.evaluation.inputs.input_tables import as_assessments
    >>> rows = [("1", "report", 0, 10), ("1", "report", 20, 30)]
    >>> a, b = (fingerprint_inputs(as_assessments(part), None) for part in (rows, rows[::-1]))
    >>> a == b, a == fingerprint_inputs(as_assessments(rows[:1]), None)
    (True, False)
    """
    aspects = ("aspects",) if assessments.aspects.height else ()
    lines = pl.concat(_list_judgements(assessments, name) for name in (*ASSESSMENT_TABLES, *aspects))
    topics = {
        topic: _digest("\n".join([assessments.scale, *rows]))
        for topic, rows in lines.group_by("topic", maintain_order=True).agg(pl.col("line").sort()).iter_rows()
    }
    whole = _digest("\n".join(f"{topic}\0{digest}" for topic, digest in sorted(topics.items())))
    if collection is None or not collection.has_texts:
        return InputFingerprints(whole, topics)
    numbers = collection.numbers(assessments.judged["doc"].unique().sort())
    judged = collection.fingerprint_documents(pl.Series(numbers[numbers >= 0]).unique().sort().to_numpy())
    return InputFingerprints(whole, topics, collection.fingerprint, judged, len(collection))


def _list_judgements(assessments: Assessments, name: str) -> pl.DataFrame:
    """Return the rows of a table as lines of text, each with its topic; the origin of rows does not count."""
    table = assessments.tables[name]
    columns = [column for column in table.columns if (name, column) != ("highlights", "aspect")]
    values = [pl.col(column).cast(pl.String).fill_null("\0") for column in columns]
    line = pl.concat_str([pl.lit(name), *values], separator="\x1f")
    if (
        len(columns) < table.width
    ):  # a highlight without an aspect has the line of earlier versions, so that fingerprints stay the same
        line += (
            pl.when(pl.col("aspect").is_null()).then(pl.lit("")).otherwise(pl.lit("\x1f") + pl.col("aspect"))
        )
    return table.select("topic", line=line)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def describe_changed_inputs(now: InputFingerprints, before: InputFingerprints) -> list[str]:
    """Return sentences about changed assessments and documents, for which scores cannot be compared."""
    sentences = []
    if now.assessments != before.assessments:
        sentences.append(
            f"the assessments are not those of the baseline: {_list_changed_topics(now, before)}"
        )
    if now.collection is None and before.collection is not None:
        return [*sentences, "the baseline was made with a collection; pass it with -c"]
    if before.collection is None and now.collection is not None:
        sentences.append("the baseline was made without a collection, so that its documents are not known")
    elif now.collection != before.collection:
        sizes = f"{before.documents:,} documents before, {now.documents:,} now"
        count = "" if now.documents == before.documents else f" ({sizes})"
        among = "the judged ones among them" if now.judged != before.judged else "but not the judged ones"
        sentences.append(f"the documents are not those of the baseline{count}, {among}")
    advice = (
        "a difference of scores would not show anything about the ranker; make a new baseline with --update"
    )
    return [f"{sentence}; {advice}" for sentence in sentences]


def _list_changed_topics(now: InputFingerprints, before: InputFingerprints) -> str:
    added = [topic for topic in now.topics if topic not in before.topics]
    removed = [topic for topic in before.topics if topic not in now.topics]
    changed = [
        topic for topic in now.topics if before.topics.get(topic, now.topics[topic]) != now.topics[topic]
    ]
    parts = [
        f"{pluralise(len(topics), 'topic')} {label} ({join_words(topics)})"
        for label, topics in (("added", added), ("removed", removed), ("changed", changed))
        if topics
    ]
    return ", ".join(parts) or "their fingerprint differs"


def describe_result(evaluation: Evaluation, *, per_topic: bool) -> dict[str, Any]:
    """Return scores, counts, rejections, warnings and fingerprints as data for JSON.

    An undefined score is null, and so is an infinite one, which has ``"infinite": true`` beside it; likewise
    the keys ``optimistic`` and ``residual``, if they were requested.
    """
    scores = [
        {"run": run, "topic": topic, "measure": measure, **_describe_score(score), **more}
        for (run, topic, measure, score), more in _split_rows(select_rows(evaluation, per_topic=per_topic))
    ]
    fingerprints = None if evaluation.inputs is None else evaluation.inputs.fingerprints
    hashes = {} if fingerprints is None else asdict(fingerprints)
    if not per_topic:
        hashes.pop("topics", None)
    return {
        "schema": SCHEMA,
        "scores": scores,
        "counts": evaluation.means.select("run", "measure", "topics", "undefined").to_dicts(),
        "rejected": [asdict(rejection) for rejection in evaluation.rejected],
        "warnings": [warning.to_dict() for warning in sort_by_gravity(evaluation.warnings)],
        "versions": {"doxel": __version__, "polars": pl.__version__},
        "inputs": evaluation.hash_inputs() or ([] if evaluation.inputs is None else evaluation.inputs.hashes),
        "parameters": dict(evaluation.parameters),
        "tasks": dict(evaluation.tasks),
        "fingerprints": hashes or None,
    }


def _split_rows(rows: pl.DataFrame) -> Iterator[tuple[tuple[Any, ...], dict[str, float | None]]]:
    """Yield run, topic, measure and score of each row, and its further figures by name."""
    names = rows.columns[4:]
    for row in rows.iter_rows():
        figures = zip(names, row[4:], strict=True)
        yield row[:4], {name: value if _is_finite(value) else None for name, value in figures}


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _describe_score(score: float) -> dict[str, object]:
    if math.isfinite(score):
        return {"score": score}
    return {"score": None, "infinite": True} if math.isinf(score) else {"score": None}


def save_result(evaluation: Evaluation, path: str | os.PathLike[str]) -> None:
    """Write an evaluation as JSON, completely or not at all; compressed if the name ends in .gz or .zst."""
    content = describe_result(evaluation, per_topic=True)
    if evaluation.overall is not None:
        content["overall"] = "not the means of topics"
    text = json.dumps(content, indent=1, ensure_ascii=False, default=str)
    write_file(path, text.encode("utf-8", "surrogatepass") + b"\n")


@check_arguments
def load_result(path: str | os.PathLike[str]) -> Evaluation:
    """Return an evaluation from a file of ``Evaluation.save`` or of ``doxel evaluate -q -f json``.

    It has scores, means, warnings and parameters; runs, assessments and texts are not in the file.

    >>> from tempfile import TemporaryDirectory
    >>> from doxel import evaluate
    >>> result = evaluate([("1", "report", 50, 150)], [("1", "report", 100, 200)], "char_rec@5")
    >>> with TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/result.json")
    ...     print(load_result(f"{folder}/result.json").means["score"].to_list())
    [0.5]
    """
    name = os.fspath(path)
    content = read_saved_content(name)
    rows = _take(content, "scores", list, name)
    try:
        table = SCORES.from_rows(
            {
                **{column: str(row[column]) for column in ("run", "topic", "measure")},
                "score": _read_score(row["score"], is_infinite=row.get("infinite") is True),
            }
            for row in rows
        ).with_columns(
            pl.Series(name, [_read_score(row[name], is_infinite=False) for row in rows], dtype=pl.Float64)
            for name in MORE_COLUMNS
            if rows and all(name in row for row in rows)
        )
    except (KeyError, TypeError, AttributeError, ValueError, pl.exceptions.PolarsError):
        wanted = "rows with run, topic, measure and score"
        raise InputError("scores of a saved result", file=name, wanted=wanted) from None
    # the mean is the last row of its run and measure, even if a topic is called "all"
    is_mean = (pl.col("topic") == MEAN) & (pl.int_range(pl.len()).reverse() == 0).over("run", "measure")
    table = table.with_columns(mean=is_mean)
    scores, means = table.filter(~pl.col("mean")).drop("mean"), table.filter("mean").drop("mean")
    if means.height and not scores.height:
        found = "means only"
        raise InputError(
            "a saved result", file=name, wanted="scores per topic: doxel evaluate -q -f json", found=found
        )
    return Evaluation(
        scores=scores,
        rejected=tuple(Rejection(**row) for row in _take_rows(content, "rejected", Rejection, name)),
        warnings=tuple(_read_warnings(content, name)),
        parameters=_take(content, "parameters", dict, name),
        overall=means.drop("topic") if "overall" in content else None,
        tasks=_take(content, "tasks", dict, name),
        inputs=ScoredInputs(
            stored=_read_fingerprints(content.get("fingerprints"), name),
            version=str(_take(content, "versions", dict, name).get("doxel", "unknown")),
            hashes=_take(content, "inputs", list, name),
        ),
    )


def read_saved_content(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the data of a saved result as they are in the file, which may have means only."""
    name = os.fspath(path)
    try:
        content = json.loads(read_text(name))
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError(
            "a saved result",
            file=name,
            line=line,
            wanted="JSON of result.save() or doxel evaluate -q -f json",
        ) from None
    if not isinstance(content, dict) or "scores" not in content:
        wanted = "the JSON of result.save() or doxel evaluate -q -f json"
        raise InputError("a saved result", file=name, wanted=wanted, found=quote_value(content))
    schema = content.get("schema", 1)
    if not isinstance(schema, int) or schema > SCHEMA:
        wanted = f"the schema {SCHEMA} or an earlier one; a newer doxel wrote the file"
        raise InputError("a saved result", file=name, wanted=wanted, found=quote_value(schema))
    return content


def _take(content: Mapping[str, Any], key: str, kind: type, name: str) -> Any:
    value = content.get(key, kind())
    if not isinstance(value, kind):
        raise InputError(
            f"{key} of a saved result", file=name, wanted=f"a {kind.__name__}", found=quote_value(value)
        )
    return value


def _take_rows(content: Mapping[str, Any], key: str, kind: type, name: str) -> list[dict[str, Any]]:
    """Return the objects of a list, without keys that ``kind`` does not have."""
    fields = set(inspect.signature(kind).parameters)
    rows = _take(content, key, list, name)
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{key} of a saved result", file=name, wanted="objects", found=quote_value(rows))
    return [{key: value for key, value in row.items() if key in fields} for row in rows]


def _read_warnings(content: Mapping[str, Any], name: str) -> list[ScoreWarning]:
    """Return the warnings; until schema 2 they were sentences."""
    rows = _take(content, "warnings", list, name)
    objects = [{"sentence": row, "code": ""} if isinstance(row, str) else row for row in rows]
    details = _take_rows({"warnings": objects}, "warnings", ScoreWarning, name)
    return [ScoreWarning(**{"effect": "none", **row}) for row in details]


def _read_score(value: object, *, is_infinite: bool) -> float:
    if value is None:
        return math.inf if is_infinite else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _read_fingerprints(value: Any, name: str) -> InputFingerprints | None:
    if value is None:
        return None
    try:
        return InputFingerprints(**value)
    except TypeError:
        wanted = "assessments, topics, collection, judged and documents"
        raise InputError(
            "fingerprints of a saved result", file=name, wanted=wanted, found=quote_value(value)
        ) from None
