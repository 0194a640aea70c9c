"""Scores for other tools: as ir_measures, pytrec_eval and ranx return them, and as a pandas frame.

Also the SHA-256 of everything that was scored, so that a stored result names its data.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel.assessments.assessments import ASSESSMENT_TABLES, Assessments
from doxel.documents.collection import Collection, TextCollection, as_collection
from doxel.documents.manifest import MANIFEST_FILE
from doxel.errors import DoxelError, InputError, MissingExtraError
from doxel.evaluation.inputs.input_tables import ChangedRun, NamedFile, RunSource, as_assessments, as_runs
from doxel.files.archives import iterate_members
from doxel.files.named_sources import is_dataset_name
from doxel.runs.run import RESULTS, Run
from doxel.topics.topics import Topics
from doxel.wording import join_words

if TYPE_CHECKING:
    from doxel.evaluation.evaluation_result import Evaluation

__all__ = [
    "InputSources",
    "convert_to_ir_measures",
    "convert_to_pandas",
    "convert_to_pytrec_eval",
    "convert_to_ranx",
    "hash_inputs",
]

_BLOCK = 1 << 20


def _select_run(evaluation: Evaluation, run: str | None) -> pl.DataFrame:
    """Return the scores of one run; it must be named if there are several."""
    names = evaluation.scores["run"].unique(maintain_order=True).to_list()
    if run is None and len(names) == 1:
        return evaluation.scores
    if run not in names:
        found = "none" if run is None else repr(run)
        raise InputError("a run", wanted=f"one of {join_words(names, 10)}", found=found)
    return evaluation.scores.filter(pl.col("run") == run)


def convert_to_pytrec_eval(evaluation: Evaluation, run: str | None = None) -> dict[str, dict[str, float]]:
    """Return the scores of a run as ``{topic: {measure: score}}``, as pytrec_eval does."""
    scores: dict[str, dict[str, float]] = {}
    for topic, measure, score in _select_run(evaluation, run).select("topic", "measure", "score").iter_rows():
        scores.setdefault(topic, {})[measure] = score
    return scores


def convert_to_ranx(evaluation: Evaluation, run: str | None = None) -> dict[str, dict[str, float]]:
    """Return the scores of a run as ``{measure: {topic: score}}``, as ``Run.scores`` of ranx."""
    scores: dict[str, dict[str, float]] = {}
    for topic, measure, score in _select_run(evaluation, run).select("topic", "measure", "score").iter_rows():
        scores.setdefault(measure, {})[topic] = score
    return scores


def convert_to_ir_measures(evaluation: Evaluation, run: str | None = None) -> list[Any]:
    """Return the scores of a run as ``Metric`` of ir_measures: query_id, measure, value.

    Measures of doxel are those of :mod:`doxel.ir_measures`; a measure of neither is named by a string.
    """
    try:
        import ir_measures
    except ImportError:
        raise MissingExtraError("to_ir_measures", "classic") from None
    importlib.import_module("doxel.ir_measures")  # registers them; it imports this room
    table = _select_run(evaluation, run)
    measures: dict[str, Any] = {}
    for name in table["measure"].unique(maintain_order=True):
        try:
            measures[name] = ir_measures.parse_measure(name)
        except (NameError, ValueError, SyntaxError, TypeError, AssertionError, KeyError):
            measures[name] = name
    return [
        ir_measures.Metric(query_id=topic, measure=measures[measure], value=score)
        for topic, measure, score in table.select("topic", "measure", "score").iter_rows()
    ]


def convert_to_pandas(evaluation: Evaluation) -> Any:
    """Return the scores as a pandas frame with the columns run, topic, measure and score."""
    try:
        import pandas as pd
    except ImportError:
        raise DoxelError("to_pandas needs pandas: pip install pandas") from None
    return pd.DataFrame(evaluation.scores.to_dict(as_series=False))


@dataclass(frozen=True)
class InputSources:
    """The arguments of ``evaluate`` that hold data, as they were given."""

    runs: Any
    assessments: Any
    collection: Any = None
    topics: Any = None
    chunks: Any = None
    functions: Sequence[Any] = ()  # user models and tokenisers, as FILE.py:NAME or functions


def hash_inputs(sources: InputSources) -> list[dict[str, str]]:
    """Return role, name and SHA-256 of every input.

    The hash of a file is that of its bytes.  A folder has the hash of the lines ``hash  name`` of its files
    (hidden ones left out), sorted by name.  A collection on disk has the hash of its manifest, which contains
    the fingerprints of all texts.  Plain data have the hash of their rows as JSON lines with doxel's names.
    """
    documents = as_collection(sources.collection)
    hashes = [_hash_run(source) for source in as_runs(sources.runs, documents)]
    hashes += _hash_paths("assessments", sources.assessments) or [
        {
            "role": "assessments",
            "name": "plain data",
            "sha256": _hash_assessments(as_assessments(sources.assessments, documents)),
        }
    ]
    if sources.collection is not None:
        hashes.append(_hash_collection(sources.collection))
    if isinstance(sources.topics, Topics):
        table = {"topics": sources.topics.table.drop("file", "line")}
        hashes.append({"role": "topics", "name": "topics", "sha256": _hash_frames(table)})
    files = [source.rpartition(":")[0] for source in sources.functions if isinstance(source, str)]
    for role, source in (("topics", sources.topics), ("chunks", sources.chunks), ("functions", files)):
        hashes += _hash_paths(role, source)
    return hashes


def _hash_run(source: RunSource) -> dict[str, str]:
    if isinstance(source, ChangedRun):
        return _hash_run(source.original)
    if isinstance(source, Run):
        rows = RESULTS.fit(source.results).drop("line")
        return {"role": "run", "name": source.id, "sha256": _hash_frames({"results": rows})}
    path = source.path if isinstance(source, NamedFile) else source
    return {"role": "run", "name": str(source), "sha256": _hash_path(path)}


def _hash_paths(role: str, source: Any) -> list[dict[str, str]]:
    """Return the hashes of files; none for anything else."""
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str | os.PathLike) for path in paths):
        return []
    return [
        {"role": role, "name": os.fspath(path), "sha256": _hash_path(path)}
        for path in paths
        if not is_dataset_name(path)
    ]


def _hash_path(path: str | os.PathLike[str]) -> str:
    if not Path(path).is_dir():
        return _hash_file(path)
    lines = sorted(
        (member.name, _hash_file(member.path)) for member in iterate_members(path) if member.path is not None
    )
    return hashlib.sha256("".join(f"{digest}  {name}\n" for name, digest in lines).encode()).hexdigest()


def _hash_file(path: str | os.PathLike[str]) -> str:
    digest = hashlib.sha256()
    with Path(path).open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _hash_frames(frames: Mapping[str, pl.DataFrame]) -> str:
    digest = hashlib.sha256()
    for name, frame in frames.items():
        digest.update(f"{name}\n".encode())
        digest.update(frame.write_ndjson().encode())
    return digest.hexdigest()


def _hash_assessments(assessments: Assessments) -> str:
    names = (*ASSESSMENT_TABLES, *(("aspects",) if assessments.aspects.height else ()))
    tables = {name: getattr(assessments, name).drop("line", "file", strict=False) for name in names}
    if not assessments.has_aspects:
        tables["highlights"] = tables["highlights"].drop("aspect")
    return _hash_frames(tables)


def _hash_collection(source: Any) -> dict[str, str]:
    if isinstance(source, TextCollection):
        source = {doc: source[doc].text for doc in source}
    if isinstance(source, str | os.PathLike | Collection):
        folder = source.folder if isinstance(source, Collection) else Path(source)
        return {"role": "collection", "name": str(folder), "sha256": _hash_file(folder / MANIFEST_FILE)}
    digest = hashlib.sha256()
    for doc, text in source.items():
        digest.update(json.dumps([str(doc), text]).encode() + b"\n")
    return {"role": "collection", "name": "plain data", "sha256": digest.hexdigest()}
