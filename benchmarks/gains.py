"""The measures over elements, as a whole command: extended cumulated gain, inex_eval, inex_eval_ng."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from benchmarks.evaluating import evaluate_command, splitting
from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import UnavailableError, best_of, command, quiet
from benchmarks.samples import Samples

__all__ = ["GAINS", "measure"]

_SHARE = Gate("<=", 3.0)
# half of the cost when the gate was set: evaluating took 8.7 s of processors, splitting the lines 3.55 s
_PROCESSORS = Gate("<=", 1.2)
GAINS = (
    "nxCG@5,10,25,50",
    "MAnxCG@10,25,50",
    "gr@10,50",
    "ep@0.1,0.5",
    "MAep",
    "iMAep",
    "inex_eval",
    "inex_eval_P@0.1",
    "qP@10",
    "qR@10",
)
_GRADED = ('inex_eval_ng(variant="o")', 'inex_eval_ng(variant="s")', "inex_eval_ng_P@10", "inex_eval_ng_R@10")


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of both kinds of assessments: highlights alone, and with grades."""
    yield _share(samples, "gains, highlights", "qrels.txt", GAINS)
    yield _processors(samples)
    yield _share(samples, "gains, with inex_eval_ng", "2005", (*GAINS, *_GRADED))


def _processors(samples: Samples) -> Line:
    """Return the processor time of evaluating against that of splitting lines: medians, taken in turns."""
    name = "gains, highlights: processor time of splitting lines"
    scored, split = _commands(samples, "qrels.txt", GAINS)
    try:
        turns = [(command(scored).cpu, command(split).cpu) for _ in range(samples.scale.repetitions)]
    except UnavailableError as reason:
        return unavailable(name, str(reason), _PROCESSORS)
    evaluating, splitting_lines = (statistics.median(seconds) for seconds in zip(*turns, strict=True))
    remark = f"medians of {len(turns)}: evaluate {evaluating:.2f} s, split {splitting_lines:.2f} s"
    return Line(name, evaluating / splitting_lines, "x", _PROCESSORS, remark)


def _commands(samples: Samples, assessments: str, measures: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the commands that evaluate the runs and that split their lines."""
    folder = samples.gain_campaign()
    runs = sorted((folder / "thorough").glob("*.run"))
    options = ["-a", str(folder / assessments), "-c", str(samples.collection()), "--task", "thorough"]
    return evaluate_command(options, measures, runs), splitting(runs)


def _share(samples: Samples, name: str, assessments: str, measures: tuple[str, ...]) -> Line:
    name += ": time of splitting lines"
    scored, split = _commands(samples, assessments, measures)
    try:
        best = best_of(
            min(3, samples.scale.repetitions),
            {"evaluate": lambda: command(scored), "split": lambda: command(split)},
        )
    except UnavailableError as reason:
        return unavailable(name, str(reason), _SHARE)
    remark = f"evaluate {best['evaluate']}, {best['evaluate'].memory:.0f} MB; split {best['split']}"
    return Line(name, best["evaluate"].wall / best["split"].wall, "x", _SHARE, remark, quiet(best))
