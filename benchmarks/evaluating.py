"""``doxel evaluate`` as a whole command, from files to scores, against splitting the lines of its runs."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import UnavailableError, best_of, command, quiet
from benchmarks.samples import Samples

__all__ = ["FOCUSED", "evaluate_command", "measure", "splitting"]

_SHARE, _MEMORY, _SMALL = Gate("<=", 0.4), Gate("<", 400.0), Gate("<", 3.0)
FOCUSED = (
    "iP@0,0.01,0.05,0.1",
    "MAiP",
    "char_prec,char_rec,char_f1,char_iou",
    "art_prec,art_rec,art_f1",
    "HiXEval_P@10,25,50",
    "HiXEval_R@10,25,50",
    "HiXEval_F@10,25,50",
    "overlap@10",
)
_SPLIT = """import sys
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        rows = [l.split() for l in f]
"""


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of evaluating FOL runs."""
    folder = samples.bare_campaign()
    runs = sorted((folder / "fol").glob("*.run"))
    share, memory = "evaluate: time of splitting lines", "evaluate: peak memory"
    scored = evaluate_command(["-a", str(folder / "qrels.txt")], FOCUSED, runs)
    try:
        best = best_of(
            samples.scale.repetitions,
            {"split": lambda: command(splitting(runs)), "evaluate": lambda: command(scored)},
        )
    except UnavailableError as reason:
        yield unavailable(share, str(reason), _SHARE)
        yield unavailable(memory, str(reason), _MEMORY)
    else:
        remark = f"evaluate {best['evaluate']}; split {best['split']}"
        yield Line(share, best["evaluate"].wall / best["split"].wall, "x", _SHARE, remark, quiet(best))
        yield Line(memory, best["evaluate"].memory, "MB", _MEMORY)
    yield _small(samples)


def _small(samples: Samples) -> Line:
    """Measure a case of a few lines: what is left is the start."""
    name = "evaluate: a small run, time of the imports"
    folder = samples.scratch()
    (folder / "small.qrels").write_text("1 Q0 7 100 1000 150 150:100\n2 Q0 8 80 100 10 10:80\n", "utf-8")
    (folder / "small.run").write_text("1 Q0 7 1 2.5 small 100 200\n2 Q0 8 1 2.5 small 0 100\n", "utf-8")
    scored = evaluate_command(["-a", str(folder / "small.qrels")], FOCUSED, [folder / "small.run"])
    imports = [sys.executable, "-c", "import numpy, polars"]
    try:
        best = best_of(
            samples.scale.repetitions,
            {"imports": lambda: command(imports), "evaluate": lambda: command(scored)},
        )
    except UnavailableError as reason:
        return unavailable(name, str(reason), _SMALL)
    remark = f"evaluate {best['evaluate']}; imports {best['imports']}"
    return Line(name, best["evaluate"].wall / best["imports"].wall, "x", _SMALL, remark, quiet(best))


def evaluate_command(options: Sequence[str], measures: Sequence[str], runs: Sequence[Path]) -> list[str]:
    """Return the command that scores runs."""
    doxel = Path(sysconfig.get_path("scripts")) / "doxel"
    named = [part for measure in measures for part in ("-m", measure)]
    return [str(doxel), "evaluate", *options, *named, *map(str, runs)]


def splitting(runs: Sequence[Path]) -> list[str]:
    """Return the command that splits the lines of the same runs."""
    return [sys.executable, "-c", _SPLIT, *map(str, runs)]
