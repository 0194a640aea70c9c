"""Cases computed by hand: small trees, their runs, and the fractions expected of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doxel.evaluation import evaluate
from oracle import Case, Document, grow, plant
from oracle.bridge import build
from oracle.cases import element


class Table:
    """Scores of cases by name."""

    def __init__(self, cases: dict[str, Case], folder) -> None:
        self._names = list(cases)
        self._bridge = build([with_text(case) for case in cases.values()], folder)
        self._scores: dict[str, dict[str, float]] = {}

    def __call__(self, name: str, measure: str) -> float:
        return self.scores(name, [measure])[0]

    def at(self, name: str, measure: str, ranks) -> list[float]:
        return self.scores(name, [f"{measure}@{rank}" for rank in ranks])

    def scores(self, name: str, measures: list[str]) -> list[float]:
        new = [measure for measure in measures if measure not in self._scores]
        if new:
            bridge = self._bridge
            result = evaluate(bridge.run, bridge.assessments, new, collection=bridge.collection)
            assert not result.rejected
            by_measure = result.scores["score"].to_numpy().reshape(len(new), -1)
            self._scores |= {
                measure: dict(zip(self._names, scores.tolist(), strict=True))
                for measure, scores in zip(new, by_measure, strict=True)
            }
        return [self._scores[measure][name] for measure in measures]


def with_text(case: Case) -> Case:
    """Return the case with texts; the small cases have only sizes, and any text of that size will do."""
    documents = [replace(document, text="x" * document.size) for document in case.documents]
    return replace(case, documents=documents)


def exactly(*values):
    return pytest.approx([float(value) for value in values], rel=1e-13, abs=1e-15)


def graded(scale, grades, run=None, highlights=None):
    """Return a flat document whose children have these grades; the run lists them by number from 0."""
    children = [grow("p", 10 * place, 10 * place + 10) for place in range(len(grades))]
    root = plant(grow("a", 0, 10 * len(grades), *children))
    case = Case(
        [Document("d", root.size, root)],
        {"d": highlights or []},
        grades={("d", f"/a[1]/p[{i}]"): grade for i, grade in enumerate(grades, 1) if grade is not None},
        scale=scale,
        judged={"d"},
    )
    places = range(len(grades)) if run is None else run
    return replace(case, results=[element(case, "d", f"/a[1]/p[{place + 1}]") for place in places])


def with_rsv(case, *rsv):
    results = [
        replace(result, rank=rank, rsv=value)
        for rank, (result, value) in enumerate(zip(case.results, rsv, strict=True))
    ]
    return replace(case, results=results)


def nested(*names, highlights, grades=None, run=(), size=20):
    """Return a chain of elements, each the only child of the one before, followed by 10 more characters."""
    inner = grow(names[-1], 0, 10)
    for name in reversed(names[1:-1]):
        inner = grow(name, 0, 10, inner)
    root = plant(grow(names[0], 0, size, inner))
    scale = "2003" if grades else "2006"
    case = Case([Document("d", size, root)], {"d": highlights}, grades=grades, scale=scale, judged={"d"})
    paths = {each.tag: each.path for each in [root, *_below(root)]}
    return replace(case, results=[element(case, "d", paths[name]) for name in run])


def _below(element):
    for child in element.children:
        yield child
        yield from _below(child)
