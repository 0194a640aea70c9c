"""Chunks: 1,000 topics with 1,000 retrieved chunks each, from JSON lines and, in Python, from Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.evaluating import evaluate_command
from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import Cost, UnavailableError, best_of, command, probe, quiet
from benchmarks.samples import Samples

__all__ = ["measure"]

_SECONDS, _MEMORY = Gate("<=", 10.0), Gate("<=", 1024.0)
_MEASURES = ("chunks", "nxCG@10", "span_rec(min=1)@10", "read", 'char_iou(repeats="charged")@10')


def measure(samples: Samples) -> Iterator[Line]:
    """Yield time and memory of scoring chunks from both kinds of files."""
    folder = samples.chunks()
    evaluate = evaluate_command(["-a", str(folder / "gold.jsonl")], _MEASURES, [folder / "run.jsonl"])
    yield from _lines("chunks, JSON lines", samples, lambda: command(evaluate))
    from_parquet = (str(folder / "run.parquet"), str(folder / "gold.jsonl"), *_MEASURES)
    yield from _lines("chunks, Parquet in Python", samples, lambda: probe("evaluate_parquet", *from_parquet))


def _lines(name: str, samples: Samples, run: Callable[[], Cost]) -> Iterator[Line]:
    try:
        best = best_of(min(3, samples.scale.repetitions), {"evaluate": run})
    except UnavailableError as reason:
        yield unavailable(f"{name}: time", str(reason), _SECONDS)
        yield unavailable(f"{name}: peak memory", str(reason), _MEMORY)
        return
    cost = best["evaluate"]
    yield Line(f"{name}: time", cost.wall, "s", _SECONDS, str(cost), quiet(best))
    yield Line(f"{name}: peak memory", cost.memory, "MB", _MEMORY)
