"""Whole campaigns as folders: assessments in their formats, and runs of systems of different quality."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.generator.assessmentfiles import qrels, write_xml
from benchmarks.generator.bare import LENGTH, RELEVANT, bare_documents, bare_topics, pieces
from benchmarks.generator.ranking import System, rank, systems
from benchmarks.generator.runfiles import ColumnsRun, XmlRun
from benchmarks.generator.topics import Topic, Universe, topics
from doxel.documents import read_collection
from doxel.spans import Ints

__all__ = ["KINDS", "write_bare_campaign", "write_campaign", "write_document_campaign"]


KINDS = ("focused", "fol", "thorough", "xml")
_POOL = 300  # documents that the systems of a campaign look at for a topic


def write_bare_campaign(
    folder: Path,
    *,
    topic_count: int,
    runs: int,
    results: int = 1_500,
    documents: int = 100_000,
    relevant: int = RELEVANT,
    length: int = LENGTH,
    seed: int = 1,
) -> None:
    """Write ``qrels.txt`` and ``fol/*.run`` without overlap, over documents that are ids and lengths.

    About ``relevant`` documents of a topic have two highlights each; a document has about ``length``
    characters.
    """
    (folder / "fol").mkdir(parents=True)
    bare = bare_documents(documents, length=length, seed=seed)
    with ExitStack() as stack:
        assessments = stack.enter_context((folder / "qrels.txt").open("wb"))
        files = [
            (system, stack.enter_context(ColumnsRun(folder / "fol" / f"{system.id}.run", system)))
            for system in systems(runs)
        ]
        for number, topic in enumerate(bare_topics(bare, topic_count, relevant=relevant, seed=seed)):
            assessments.write(qrels(topic))
            for system, file in files:
                rng = np.random.default_rng([seed, 7, number, system.stream])
                passages = pieces(bare, topic, count=results, grain=system.grain, rng=rng)
                best, score = rank(passages.relevance, system, results, rng)
                frame = {
                    "doc": bare.number[passages.row[best]],
                    "rsv": score,
                    "start": passages.start[best],
                    "end": passages.end[best],
                }
                file.add(topic.id, pl.DataFrame(frame))


def write_document_campaign(
    folder: Path,
    *,
    topic_count: int,
    runs: int,
    results: int = 1_500,
    judged: int = 1_000,
    documents: int = 500_000,
    seed: int = 1,
) -> None:
    """Write ``qrels.txt`` and ``trec/*.run``, both of TREC: grades and rankings of whole documents.

    ``judged`` documents of a topic have a grade: 0, 1 or 2, a tenth of them relevant.
    """
    (folder / "trec").mkdir(parents=True)
    names = pl.select(
        pl.format("GX{}-{}", pl.int_range(documents) % 997, pl.int_range(documents))
    ).to_series()
    with ExitStack() as stack:
        assessments = stack.enter_context((folder / "qrels.txt").open("wb"))
        files = [
            (system, stack.enter_context(ColumnsRun(folder / "trec" / f"{system.id}.run", system)))
            for system in systems(runs)
        ]
        for number in range(topic_count):
            topic, rng = str(301 + number), np.random.default_rng([seed, 10, number])
            candidates = rng.choice(documents, judged + 2 * results, replace=False)
            grade = np.zeros(len(candidates))
            grade[:judged] = rng.choice([0, 1, 2], judged, p=[0.9, 0.07, 0.03])
            pool = pl.DataFrame({"doc": names.gather(candidates[:judged]), "grade": grade[:judged]})
            pool.select(
                pl.lit(topic).alias("topic"), pl.lit("0").alias("q0"), "doc", pl.col("grade").cast(pl.Int64)
            ).write_csv(assessments, include_header=False, separator=" ")
            for system, file in files:
                chance = np.random.default_rng([seed, 11, number, system.stream])
                best, score = rank(grade, system, results, chance)
                file.add(topic, pl.DataFrame({"doc": names.gather(candidates[best]), "rsv": score}))


def write_campaign(
    folder: Path,
    collection: Path,
    *,
    topic_count: int,
    runs: int,
    results: int = 1_500,
    relevant: int = 60,
    kinds: Sequence[str] = KINDS,
    seed: int = 1,
) -> None:
    """Write a campaign over a collection.

    ``qrels.txt``, ``2005/`` and ``2006/`` hold the assessments; the runs are of these kinds:
    ``focused/*.run`` (paths, no overlap), ``fol/*.run`` (their spans), ``thorough/*.run`` (paths, with
    overlap) and ``xml/*.xml`` (the same in INEX XML).
    """
    for kind in kinds:
        (folder / kind).mkdir(parents=True)
    universe = Universe(read_collection(collection), seed=seed)
    with ExitStack() as stack:
        assessments = stack.enter_context((folder / "qrels.txt").open("wb"))
        files = [(system, _RunFiles(folder, system, kinds, stack)) for system in systems(runs)]
        for number, topic in enumerate(topics(universe, topic_count, relevant=relevant, seed=seed)):
            assessments.write(qrels(topic))
            for year in (2005, 2006):
                write_xml(folder / str(year), topic, universe, year=year)
            candidates = _Candidates(universe, topic, np.random.default_rng([seed, 8, number]))
            for system, file in files:
                rng = np.random.default_rng([seed, 9, number, system.stream])
                file.add(topic.id, candidates, system, results, rng)


class _Candidates:
    """The elements from which all systems choose for a topic."""

    def __init__(self, universe: Universe, topic: Topic, rng: np.random.Generator) -> None:
        self._universe = universe
        relevant = topic.judged["row"].to_numpy()
        others = rng.permutation(len(universe))[:_POOL]
        documents = np.unique(np.concatenate([relevant, others]))
        rows = universe.rows(documents)
        self.rows: Ints = rows[universe.size[rows] > 0]
        self.relevance = universe.relevance(topic, self.rows)

    def disjoint(self, grain: int) -> Ints:
        """Return places of elements that do not overlap: no larger than the grain, in a parent that is."""
        size, parent = self._universe.size, self._universe.forest.parent[self.rows]
        above = np.where(parent < 0, np.iinfo(np.int64).max, size[parent])
        return np.flatnonzero((size[self.rows] <= grain) & (above > grain))

    def likeness(self, grain: int) -> npt.NDArray[np.float64]:
        """Return how near elements are to the size that a system prefers, at most 1/2."""
        return 0.5 / (1.0 + np.abs(np.log(self._universe.size[self.rows] / grain)))

    def frame(self, rows: Ints, rsv: npt.NDArray[np.float64]) -> pl.DataFrame:
        """Return elements as results."""
        forest = self._universe.forest
        return pl.DataFrame(
            {
                "doc": self._universe.docs.gather(forest.document[rows]),
                "rsv": rsv,
                "path": self._universe.paths.gather(rows),
                "start": forest.start[rows],
                "end": forest.end[rows],
            }
        )


class _RunFiles:
    """The files of one system."""

    def __init__(self, folder: Path, system: System, kinds: Sequence[str], stack: ExitStack) -> None:
        self._files: dict[str, ColumnsRun | XmlRun] = {}
        for kind in kinds:
            if kind == "xml":
                xml = XmlRun(folder / kind / f"{system.id}.xml", system, task="Thorough")
                self._files[kind] = stack.enter_context(xml)
            else:
                columns = ColumnsRun(folder / kind / f"{system.id}.run", system)
                self._files[kind] = stack.enter_context(columns)

    def add(
        self, topic: str, candidates: _Candidates, system: System, results: int, rng: np.random.Generator
    ) -> None:
        """Rank for one topic, with overlap and without."""
        best, score = rank(candidates.relevance + candidates.likeness(system.grain), system, results, rng)
        overlapping = candidates.frame(candidates.rows[best], score)
        apart = candidates.disjoint(system.grain)
        best, score = rank(candidates.relevance[apart], system, results, rng)
        focused = candidates.frame(candidates.rows[apart[best]], score)
        frames = {
            "focused": focused,
            "fol": focused.drop("path"),
            "thorough": overlapping,
            "xml": overlapping,
        }
        for kind, file in self._files.items():
            file.add(topic, frames[kind])
