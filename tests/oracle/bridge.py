"""Convert the oracle's cases to doxel's inputs: many cases as the topics of one run over one collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import ASPECTS, BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.documents import Collection, read_collection
from doxel.documents.ingestion import ingest
from doxel.evaluation import evaluate
from doxel.evaluation.score_explanation import ScoreExplainer
from doxel.runs import RESULTS, Run
from oracle import MEASURES, Case, Document, Element, Refused
from oracle.unjudged import optimistic, remove


@dataclass(frozen=True)
class Bridge:
    """The oracle's cases, and the same data as a collection, assessments and a run."""

    cases: list[Case]
    collection: Collection | dict[str, str]
    assessments: Assessments
    run: Run
    chunks: list[tuple[str, int, int]] | None = None
    _evaluated: dict[str, ScoreExplainer] = field(default_factory=dict)

    def compare(self, name: str, *, at: object = None, order: str = "rank", **parameters: object) -> int:
        """Compare all topics' scores of one measure with the oracle; return the number of defined scores."""
        (defined,) = self._compare([(name, {"at": at, **parameters})], order=order)
        return defined

    @contextmanager
    def at_once(self, *, order: str = "rank") -> Iterator[Callable[..., None]]:
        """Compare measures as ``compare`` does, all of them in one evaluation, at the end.

        The number of defined scores must be ``above`` a bound.
        """
        requests: list[tuple[str, dict[str, object]]] = []
        bounds: list[int] = []

        def request(name: str, *, above: int = -1, **parameters: object) -> None:
            requests.append((name, parameters))
            bounds.append(above)

        yield request
        counts = self._compare(requests, order=order)
        for (name, parameters), bound, count in zip(requests, bounds, counts, strict=True):
            assert count > bound, (name, parameters, count)

    def _compare(
        self, requests: Sequence[tuple[str, dict[str, object]]], *, order: str = "rank"
    ) -> list[int]:
        scores = self._score([_written(name, **parameters) for name, parameters in requests], order)
        tables = scores.partition_by("measure", maintain_order=True)
        assert len(tables) == len(requests), "a measure was rejected, or two are the same"
        return [
            self._defined(table, [self._oracle(name, case, order=order, **parameters) for case in self.cases])
            for table, (name, parameters) in zip(tables, requests, strict=True)
        ]

    def _score(self, measures: list[str], order: str, *, residual: bool = False) -> pl.DataFrame:
        """Return scores; data that were evaluated once are scored by further measures as they are."""
        if order not in self._evaluated:
            result = evaluate(
                self.run,
                self.assessments,
                measures,
                collection=self.collection,
                order=order,
                chunks=self.chunks,
                residual=residual,
            )
            assert result.explainer is not None
            self._evaluated[order] = result.explainer
            return result.scores
        return self._evaluated[order].score(self.run.id, measures, residual=residual)

    def compare_optimistic(self, name: str, *, at: Any = None, **parameters: object) -> int:
        """Compare the optimistic scores of one measure with the oracle; return the number that differ.

        Counted are the topics whose optimistic score is not their score.
        """
        scores = self._score([_written(name, at=at, **parameters)], "rank", residual=True)
        expected = [optimistic(MEASURES[name], name, case, at=at, **parameters) for case in self.cases]
        hopes = scores.select("topic", "measure", score="optimistic")
        self._defined(hopes, [None if exact is None else float(exact) for exact in expected])
        return int((scores["residual"].fill_nan(0.0) != 0).sum())

    @staticmethod
    def _defined(table: pl.DataFrame, expected: list[float | None]) -> int:
        """Compare the scores of one measure, and return the number of defined scores."""
        measure = table["measure"][0]
        result = dict(zip(table["topic"], table["score"], strict=True))
        for number, wanted in enumerate(expected):
            score = result[f"t{number}"]
            if wanted is None:
                assert math.isnan(score), (measure, number, score, "wanted undefined")
            else:
                details = (measure, number, score, wanted)
                assert math.isclose(score, wanted, rel_tol=1e-9, abs_tol=1e-11), details
        return sum(wanted is not None for wanted in expected)

    @staticmethod
    def _oracle(name: str, case: Case, **parameters: object) -> float | None:
        if name.startswith(("omega_", "greedy_", "chroma_omega")):
            del parameters["order"]  # a reference choice is of a chunking, which has none
        if parameters.pop("unjudged", "nonrelevant") == "remove":
            case = remove(case, str(parameters.get("order", "rank")))
        exact = MEASURES[name](case, **parameters)
        return None if exact is None else float(exact)


def refuses(name: str, case: Case, **parameters: object) -> bool:
    """Return whether the oracle rejects a case."""
    try:
        MEASURES[name](case, **parameters)
    except Refused:
        return True
    return False


def build(cases: list[Case], folder: Path) -> Bridge:
    """Write the documents of all cases, ingest them, and collect assessments and results."""
    sources = folder / "sources"
    sources.mkdir(parents=True)
    for number, case in enumerate(cases):
        for document in case.documents:
            (sources / f"t{number}-{document.id}.xml").write_text(markup(document), encoding="utf-8")
    ingest([str(sources)], str(folder / "collection"))
    collection = read_collection(folder / "collection")
    return Bridge(cases, collection, _assessments(cases), _run(cases), _chunks(cases))


def rerun(bridge: Bridge, cases: list[Case]) -> Bridge:
    """Return the bridge of cases that differ from those of a bridge in their results only."""
    return replace(bridge, cases=cases, run=_run(cases), _evaluated={})


def bare(cases: list[Case]) -> Bridge:
    """Use the documents of all cases as texts without elements."""
    texts = {
        f"t{number}-{document.id}": document.known_text()
        for number, case in enumerate(cases)
        for document in case.documents
    }
    return Bridge(cases, texts, _assessments(cases), _run(cases), _chunks(cases))


def _run(cases: list[Case]) -> Run:
    return Run("run", _results(cases), task=cases[0].task)


def _chunks(cases: list[Case]) -> list[tuple[str, int, int]] | None:
    """Return all chunks of all cases; those of other topics have no relevant text for a topic."""
    chunks = []
    for number, case in enumerate(cases):
        if case.chunks is None:
            return None
        for chunk in case.chunks:
            assert chunk.start is not None
            assert chunk.end is not None
            chunks.append((f"t{number}-{chunk.doc}", chunk.start, chunk.end))
    return chunks


def markup(document: Document) -> str:
    """Write a document as XML, with comments where text nodes are separated."""
    assert document.root is not None
    left = sorted(document.breaks)
    text = document.known_text()

    def own(start: int, end: int) -> str:
        pieces = []
        while left and start <= left[0] < end:
            pieces.append(escape(text[start : left[0]]) + "<!--break-->")
            start = left.pop(0)
        return "".join(pieces) + escape(text[start:end])

    def write(element: Element) -> str:
        position, inner = element.start, []
        for child in element.children:
            inner += [own(position, child.start), write(child)]
            position = child.end
        inner.append(own(position, element.end))
        return f"<{element.tag}>{''.join(inner)}</{element.tag}>"

    return write(document.root)


def _written(name: str, *, at: object = None, **parameters: object) -> str:
    written = ", ".join(f"{key}={_shown(value)}" for key, value in parameters.items())
    cutoff = "" if at is None else f"@{float(at) if isinstance(at, Fraction) else at}"
    return f"{name}({written}){cutoff}"


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return str(float(value)) if isinstance(value, Fraction) else str(value)


def _results(cases: list[Case]) -> pl.DataFrame:
    rows = []
    for number, case in enumerate(cases):
        for result in case.results:
            spans: dict[str, object] = (
                {"start": result.start, "end": result.end} if result.path is None else {"path": result.path}
            )
            if result.path is None and result.start is None:
                spans = {"start": -1, "end": -1}
            rsv = None if result.rsv is None else float(result.rsv)
            doc = f"t{number}-{result.doc}"
            rows.append({"topic": f"t{number}", "doc": doc, "rank": result.rank, "rsv": rsv, **spans})
    return RESULTS.fit(pl.DataFrame(rows, infer_schema_length=None)) if rows else RESULTS.empty()


def _assessments(cases: list[Case]) -> Assessments:
    judged: list[dict[str, object]] = []
    highlights: list[dict[str, object]] = []
    beps: list[dict[str, object]] = []
    elements: list[dict[str, object]] = []
    aspects: list[dict[str, object]] = []
    for number, case in enumerate(cases):
        topic = f"t{number}"
        sizes = {document.id: document.size for document in case.documents}
        # a topic is assessed even when none of its documents is
        judged += [
            {"topic": topic, "doc": f"{topic}-{doc}", "docsize": sizes.get(doc)}
            for doc in sorted(case.judged) or ["none"]
        ]
        for doc, spans in case.highlights.items():
            labels = zip(
                spans,
                case.aspects.get(doc, [None] * len(spans)),
                case.highlight_grades.get(doc, [None] * len(spans)),
                strict=True,
            )
            place = {"topic": topic, "doc": f"{topic}-{doc}"}
            highlights += [
                {**place, "start": start, "end": end, "aspect": aspect, "grade": grade}
                for (start, end), aspect, grade in labels
            ]
        aspects += [
            {"topic": topic, "aspect": name, "weight": float(weight), "vital": vital}
            for name, (weight, vital) in case.aspect_settings.items()
        ]
        beps += [{"topic": topic, "doc": f"{topic}-{doc}", "position": at} for doc, at in case.beps.items()]
        for (doc, path), grade in (case.grades or {}).items():
            elements.append(
                {"topic": topic, "doc": f"{topic}-{doc}", "path": path, **_grade(case.scale, grade)}
            )
    return Assessments(
        scale=cases[0].scale,
        judged=JUDGED.from_rows(judged),
        highlights=HIGHLIGHTS.from_rows(highlights),
        beps=BEPS.from_rows(beps),
        elements=ELEMENTS.from_rows(elements),
        aspects=ASPECTS.from_rows(aspects),
    )


def _grade(scale: str, grade: object) -> dict[str, str]:
    if scale == "2005":
        return {"exhaustivity": str(grade)}
    assert isinstance(grade, tuple)
    names = ("relevance", "coverage") if scale == "2002" else ("exhaustivity", "specificity")
    return {name: str(value) for name, value in zip(names, grade, strict=True)}
