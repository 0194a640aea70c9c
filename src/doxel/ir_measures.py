"""Measures of doxel for ir_measures and PyTerrier: ``import doxel.ir_measures`` registers them.

Measures are imported from this module, and take parameters and a cutoff as those of ir_measures do::

    from doxel.ir_measures import MAiP, char_rec, nxCG

    ir_measures.calc_aggregate([MAiP, char_rec @ 5], qrels, run)
    pt.Experiment([bm25], topics, qrels, eval_metrics=[MAiP, char_rec @ 5, nxCG @ 10])

Runs and assessments are frames with the columns of ir_measures (query_id, doc_id, score; relevance) and
columns for the part of a document: start and end, or path.  After ``configure(passage_ids=True)``, ids such
as ``doc:start-end`` replace these columns, also in dictionaries and lists.  :func:`configure` also sets the
collection and other options of :func:`doxel.evaluate`.

Names that ir_measures defines itself, such as AP and nDCG, still mean its own measures.  The score is NaN for
a topic with nothing to find and, with a warning, for a run that a measure does not accept.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from doxel.arguments import check_arguments
from doxel.documents.collection import as_collection
from doxel.errors import DoxelWarning, InputError, MissingExtraError
from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.evaluator import evaluate
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.measures import MEASURES, Measure
from doxel.measures.measure_table import find_measure
from doxel.runs import RESULTS, Run
from doxel.wording import quote_value

try:
    _library: Any = importlib.import_module("ir_measures")
except ImportError:
    raise MissingExtraError("doxel.ir_measures", "classic") from None

_PLACES = ("start", "end", "length", "path")
_FIXED = ("runs", "assessments", "measures", "topics", "keep", "progress", "compat", "min_grade")
_options: dict[str, Any] = {}


@check_arguments
def configure(**options: Any) -> None:
    """Set the options of :func:`doxel.evaluate` for ir_measures and PyTerrier, such as ``collection``.

    Each call replaces all earlier options; a call without arguments restores the defaults.
    """
    import inspect

    option_names = [name for name in inspect.signature(evaluate).parameters if name not in _FIXED]
    for name in options:
        if name not in option_names:
            raise InputError("an option", wanted=f"one of {', '.join(option_names)}", found=quote_value(name))
    _options.clear()
    _options.update(options)


class ProvidedMeasure(_library.Measure):  # type: ignore[misc]
    """A measure of doxel in the form that ir_measures uses; it is printed as in doxel."""

    declared: Measure  # the measure of doxel, without parameters

    @property
    def measure(self) -> Measure:
        """The measure of doxel with its parameters."""
        parameters = {name: value for name, value in self.params.items() if name != self.AT_PARAM}
        measure = self.declared(**parameters)
        return measure @ self.params[self.AT_PARAM] if self.AT_PARAM in self.params else measure

    def validate_params(self) -> None:
        """Raise an error if parameters are wrong, or the cutoff is missing."""
        self.measure.check()

    def aggregator(self) -> Any:
        """Return the aggregator that averages over topics as doxel does, without undefined scores."""
        return _TopicMean()

    def __repr__(self) -> str:
        return self.measure.name


class _TopicMean(_library.measures.base.Agg):  # type: ignore[misc]
    """The mean over topics, computed by the same sum as the means of an evaluation."""

    def __init__(self) -> None:
        self._scores: list[float] = []

    def add(self, value: float) -> None:
        self._scores.append(value)

    def result(self) -> float:
        table = pl.DataFrame({"score": self._scores}, schema={"score": pl.Float64})
        scores = table.with_columns(run=pl.lit(""), measure=pl.lit(""), topic=pl.lit(""))
        return float(Evaluation(scores).means["score"].item()) if self._scores else float("nan")


class DoxelProvider(_library.Provider):  # type: ignore[misc]
    """The provider of doxel's measures."""

    NAME = "doxel"

    def supports(self, measure: Any) -> bool:
        """Return whether a measure is one of doxel; raise an error if its parameters are wrong."""
        if not isinstance(measure, ProvidedMeasure):
            return False
        measure.validate_params()
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        # PyTerrier may pass a few topics at a time, perhaps none with a judged document
        return _ProviderEvaluator(list(measures), _list_gold(qrels), {"on_mismatch": "score", **_options})


class _ProviderEvaluator(_library.Evaluator):  # type: ignore[misc]
    """Scores runs against the same assessments."""

    def __init__(
        self, measures: list[ProvidedMeasure], gold: list[dict[str, Any]], options: dict[str, Any]
    ) -> None:
        super().__init__(measures, {str(row["query_id"]) for row in gold})
        documents = as_collection(options.get("collection"))
        has_passage_ids = bool(options.get("passage_ids"))
        self._options = {**options, "collection": documents}
        self._gold = as_assessments(_to_columns(gold), documents, passage_ids=has_passage_ids)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        by_name = {str(measure): measure for measure in self.measures}
        names = [measure.measure for measure in self.measures]
        rows = _list_rows(run, "score", "run")
        results = _to_columns(rows) if rows else Run("run", RESULTS.empty())
        options = self._options if rows else {**self._options, "passage_ids": False}
        result = evaluate(results, self._gold, names, **options)
        for rejection in result.rejected:  # ir_measures would give every topic the score 0
            warnings.warn(DoxelWarning(f"{rejection.measure}: {rejection.reason}"), stacklevel=3)
            for topic in sorted(self.qrel_qids):
                yield _library.Metric(topic, by_name[rejection.measure], math.nan)
        for topic, name, score in result.scores.select("topic", "measure", "score").iter_rows():
            yield _library.Metric(query_id=topic, measure=by_name[name], value=score)


def _list_gold(qrels: Any) -> list[dict[str, Any]]:
    """Return assessments as rows; one with a place and a relevance of 0 or less only judges its document."""
    rows = _list_rows(qrels, "relevance", "assessments")
    has_places = any(row.get(place) is not None for row in rows for place in _PLACES)
    if not has_places:
        return rows
    gold_rows = []
    for row in rows:
        relevance = row.pop("relevance")
        is_relevant = relevance is None or relevance > 0
        gold_rows.append(
            {key: value if is_relevant or key not in _PLACES else None for key, value in row.items()}
        )
    return gold_rows


def _list_rows(data: Any, value: str, owner: str) -> list[dict[str, Any]]:
    """Return the rows of a frame, of a dictionary of dictionaries or of named tuples."""
    names = ("query_id", "doc_id", value, *_PLACES)
    if isinstance(data, Mapping):
        return [
            {"query_id": topic, "doc_id": doc, value: number}
            for topic, documents in data.items()
            for doc, number in documents.items()
        ]
    if hasattr(data, "itertuples"):  # a pandas frame
        columns = {name: data[name].tolist() for name in names if name in data.columns}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    else:
        rows = [{name: getattr(item, name) for name in names if hasattr(item, name)} for item in data]
    for row in rows[:1]:
        missing_names = [name for name in names[:3] if name not in row]
        if missing_names:
            raise InputError(owner, wanted=", ".join(names[:3]), found=f"no {', '.join(missing_names)}")
    return [{name: None if _is_nan(item) else item for name, item in row.items()} for row in rows]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _to_columns(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return rows as a frame whose ids are texts; whole numbers may have become floats beside gaps."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    integers = [name for name in ("start", "end", "length") if name in frame.columns]
    return frame.with_columns(
        pl.col("query_id", "doc_id").cast(pl.String),
        *(pl.col(name).cast(pl.Int64) for name in integers),
    )


def as_ir_measure(measure: str | Measure) -> ProvidedMeasure:
    """Return a measure of doxel, or a custom one, in the form that ir_measures uses."""
    from doxel.evaluation.inputs.measure_sets import expand_sets

    measures = expand_sets(measure)
    if len(measures) != 1:
        raise InputError(
            "a measure", wanted="a single measure", found=f"{len(measures)} in {quote_value(str(measure))}"
        )
    doxel_measure = measures[0]
    provided = _provide(Measure(doxel_measure.declaration))
    at = {} if doxel_measure.at is None else {provided.AT_PARAM: doxel_measure.at}
    with_parameters: ProvidedMeasure = provided(**doxel_measure.written, **at)
    return with_parameters


def _provide(declared: Measure) -> ProvidedMeasure:
    """Return a measure of doxel without parameters as a measure of ir_measures."""
    declaration = declared.declaration
    parameters = {
        parameter.name: _library.ParamInfo(desc=parameter.about)
        for parameter in (*declaration.parameters.values(), *([declaration.at] if declaration.at else []))
    }
    attributes = {
        "__doc__": declaration.summary,
        "__name__": declaration.name,
        "__module__": __name__,
        "NAME": declaration.name,
        "AT_PARAM": declaration.at.name if declaration.at is not None else "cutoff",
        "SUPPORTED_PARAMS": parameters,
        "declared": declared,
    }
    provided: ProvidedMeasure = type(declaration.name, (ProvidedMeasure,), attributes)()
    return provided


def _register() -> dict[str, ProvidedMeasure]:
    """Register provider and measures with ir_measures, once; return the measures by name."""
    provider = _library.providers.register(DoxelProvider())
    _library.DefaultPipeline.providers.append(provider)
    registered: dict[str, ProvidedMeasure] = {}
    for measure in MEASURES:
        names = [measure.declaration.name, *measure.declaration.aliases]
        free = [name for name in names if name not in _library.measures.registry]
        if not free or free[0] != names[0]:
            continue  # ir_measures has a measure of this name
        provided = _provide(measure)
        _library.measures.register(provided, aliases=free[1:], name=names[0])
        registered |= dict.fromkeys(free, provided)
    return registered


_measures = _register()

__all__ = [*sorted(_measures), "DoxelProvider", "ProvidedMeasure", "as_ir_measure", "configure"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _measures:
        return _measures[name]
    is_taken = name.startswith("_") or name in _library.measures.registry
    declared = None if is_taken else find_measure(name)
    if declared is None:
        raise AttributeError(f"module 'doxel.ir_measures' has no attribute {name!r}")
    return _provide(declared)  # a custom measure


def __dir__() -> list[str]:
    return sorted(__all__)
