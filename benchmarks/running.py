"""Runs: reading them, against splitting lines and against lxml's bare parse; resolving paths."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import UnavailableError, best_of, probe, quiet
from benchmarks.samples import Samples

__all__ = ["measure"]

_COLUMNS, _XML, _RESOLVING = Gate(">=", 5.0), Gate(">=", 0.5), Gate("<=", 3.0)


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of reading and resolving runs."""
    yield _fol(samples)
    yield _xml(samples)
    yield from _resolving(samples)


def _fol(samples: Samples) -> Line:
    name = "runs: FOL, speed of splitting lines"
    path = str(samples.bare_campaign() / "fol" / "run-00.run")
    measured = {"split": lambda: probe("split", path), "read": lambda: probe("read_run", path)}
    try:
        best = best_of(samples.scale.repetitions, measured)
    except UnavailableError as reason:
        return unavailable(name, str(reason), _COLUMNS)
    remark = f"read {best['read']}; split {best['split']}"
    return Line(name, best["split"].wall / best["read"].wall, "x", _COLUMNS, remark, quiet(best))


def _xml(samples: Samples) -> Line:
    name = "runs: INEX XML, speed of lxml's parse"
    path = str(samples.element_campaign() / "xml" / "run-00.xml")
    measured = {"parse": lambda: probe("parse", path), "read": lambda: probe("read_run", path)}
    try:
        best = best_of(samples.scale.repetitions, measured)
    except UnavailableError as reason:
        return unavailable(name, str(reason), _XML)
    remark = f"read {best['read']}; parse {best['parse']}"
    return Line(name, best["parse"].wall / best["read"].wall, "x", _XML, remark, quiet(best))


def _resolving(samples: Samples) -> Iterator[Line]:
    name = "runs: resolving paths, time of reading"
    folder = samples.element_campaign()
    text, xml = str(folder / "thorough" / "run-00.run"), str(folder / "xml" / "run-00.xml")
    collection = str(samples.collection())
    measured = {
        "xml": lambda: probe("read_run", xml),
        "text": lambda: probe("read_run", text),
        "resolve": lambda: probe("resolve", text, collection),
        "again": lambda: probe("resolve_again", text, collection),
    }
    try:
        best = best_of(min(3, samples.scale.repetitions), measured)
    except UnavailableError as reason:
        yield unavailable(name, str(reason), _RESOLVING)
        return
    for label, resolved, read, gate in (
        ("them as XML", "resolve", "xml", _RESOLVING),
        # of the same results in columns, which are read seven times as fast: to see both change
        ("them in columns", "resolve", "text", None),
        ("them in columns, the collection at hand", "again", "text", None),
    ):
        share = best[resolved].wall / best[read].wall
        remark = f"resolve {best[resolved]}; read {best[read]}"
        yield Line(f"{name} {label}", share, "x", gate, remark, quiet(best))
