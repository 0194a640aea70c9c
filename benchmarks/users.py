"""Measures of users who browse, and structural relevance: their cost, and how it grows.

The views are made directly, at their most expensive: every result leads to some target with a chance of
its own, so that every rank changes a probability; every result of the list for SRP overlaps others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.lines import Gate, Line
from benchmarks.measuring import Cost, best_of, here, quiet
from benchmarks.samples import Samples
from doxel.measures import parse_measure
from doxel.measures.declaration import View
from doxel.measures.gain_views import TiedLevels
from doxel.measures.inex.structural_relevance import Isolation
from doxel.measures.user_views import Encounters, Entries

__all__ = ["measure"]

_SECONDS = Gate("<=", 60.0)
_TARGETS = 100
_SMALLER = 4  # divisor of the targets and results, to measure the growth
_OVERLAPS = 10  # results that each result overlaps, for SRP

Make = Callable[[int, int, int], View]  # topics, targets, results


def measure(samples: Samples) -> Iterator[Line]:
    """Yield seconds at full size, and the exponents of growth."""
    for name, make in (("EPRUM", encounters), ("GR@1000", encounters), ("SRP@1000", isolation)):
        yield from _lines(samples, name, make)


def _lines(samples: Samples, name: str, make: Make) -> Iterator[Line]:
    scale = samples.scale
    sizes = {
        "full": (_TARGETS, scale.results),
        "fewer targets": (_TARGETS // _SMALLER, scale.results),
        "fewer results": (_TARGETS, scale.results // _SMALLER),
    }
    views = {label: make(scale.topics, *size) for label, size in sizes.items()}
    best = best_of(min(2, scale.repetitions), {label: _scoring(name, view) for label, view in views.items()})
    full = best["full"]
    size = f"{scale.topics} topics, {_TARGETS} targets, {scale.results} results"
    remark = f"one of {scale.runs} runs: {full}; {size}"
    yield Line(f"users: {name}, seconds", full.cpu * scale.runs, "s", _SECONDS, remark, quiet(best))
    for label in ("fewer targets", "fewer results"):
        exponent = math.log(full.cpu / best[label].cpu, _SMALLER)
        growth = f"{best[label].cpu:.3f} s with a quarter of them"
        yield Line(f"users: {name}, growth with {label.removeprefix('fewer ')}", exponent, "", None, growth)


def _scoring(name: str, view: View) -> Callable[[], Cost]:
    (measure,) = parse_measure(name)
    parameters = measure.resolve_parameters({})

    def score() -> Cost:
        fresh = replace(view)  # the values that a view caches for one measure would speed up the next
        return here(lambda: measure.compute(fresh, parameters))

    return score


def encounters(topics: int, targets: int, results: int) -> Encounters:
    """Return a view in which every result leads to one target."""
    rng = np.random.default_rng([5, topics, targets, results])
    topic = np.repeat(np.arange(topics), results)
    first = np.tile(np.arange(results), (topics, 1))
    return Encounters(
        entries=Entries(
            topic=topic,
            rank=np.tile(np.arange(1, results + 1), topics),
            target=topic * targets + rng.integers(targets, size=len(topic)),
            chance=rng.uniform(0.05, 0.95, len(topic)),
        ),
        target_topic=np.repeat(np.arange(topics), targets),
        weight=rng.choice([0.25, 0.5, 1.0], topics * targets),
        first=first,
        last=first,
        length=np.full(topics, results),
        ideal=None,
        ideal_length=None,
    )


def isolation(topics: int, targets: int, results: int) -> Isolation:
    """Return a view in which every result overlaps several others; ``targets`` results are relevant."""
    rng = np.random.default_rng([6, topics, targets, results])
    relevance = np.zeros((topics, results))
    relevance[:, rng.permutation(results)[:targets]] = 1.0
    rank = np.tile(np.arange(results), (topics, 1))
    pairs = topics * results * _OVERLAPS
    result = np.tile(np.repeat(np.arange(results), _OVERLAPS), topics)
    return Isolation(
        levels=TiedLevels(
            relevance=relevance,
            first=rank,
            last=rank,
            length=np.full(topics, float(results)),
            distinct=np.full(topics, float(results)),
            total=np.full(topics, float(targets)),
        ),
        steady=rng.uniform(0.0, 0.05, (topics, results)),
        topic=np.repeat(np.arange(topics), results * _OVERLAPS),
        result=result,
        other=(result + rng.integers(1, results, pairs)) % results,
    )
