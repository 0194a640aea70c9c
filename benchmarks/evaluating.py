"""``doxel evaluate`` as a whole command, from files to scores, against others that read the same files.

Ratios are those of processor time, medians of all turns.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import Cost, UnavailableError, command, median_of, probe
from benchmarks.samples import Samples
from doxel.evaluation.evaluator import MANY_RUNS

__all__ = ["DOCUMENTS", "FOCUSED", "evaluate_command", "measure", "splitting"]

_SPLIT_SHARE, _TOOL_SHARE, _FOCUSED_SHARE = Gate("<=", 0.45), Gate("<=", 0.6), Gate("<=", 0.25)
_PAYS = Gate("<=", 1.0)
_MEMORY, _SMALL, _READING = Gate("<=", 250.0), Gate("<=", 2.0), Gate("<=", 0.05)
DOCUMENTS = ("AP", "nDCG@10", "P@5", "P@10")
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


# pytrec_eval on files that are read as its documentation shows
_PYTREC_EVAL = """import sys
import pytrec_eval
def read(name, column, number):
    by_topic = {}
    with open(name, encoding="utf-8") as f:
        for l in f:
            fields = l.split()
            by_topic.setdefault(fields[0], {})[fields[2]] = number(fields[column])
    return by_topic
evaluator = pytrec_eval.RelevanceEvaluator(read(sys.argv[1], 3, int), {"map", "ndcg_cut.10", "P.5,10"})
for name in sys.argv[2:]:
    evaluator.evaluate(read(name, 4, float))
"""
_TREC_EVAL = 'for run in "${@:3}"; do "$1" -m map -m ndcg_cut.10 -m P.5,10 "$2" "$run"; done'


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of evaluating runs of documents and FOL runs, and of a small run."""
    yield from _measure_documents(samples)
    yield from _measure_focused(samples)
    small, qrels = _write_small_run(samples)
    imports = [sys.executable, "-c", "import numpy, polars"]
    name = "evaluate: a small run, time of the imports"
    scored = evaluate_command(["-a", str(qrels)], FOCUSED, [small])
    yield from _compare(samples, name, scored, {"imports": imports}, _SMALL)


def _measure_documents(samples: Samples) -> Iterator[Line]:
    """Measure rankings of documents, against splitting their lines and against trec_eval."""
    folder = samples.document_campaign()
    qrels, runs = str(folder / "qrels.txt"), sorted((folder / "trec").glob("*.run"))
    files = [qrels, *map(str, runs)]
    scored = evaluate_command(["-a", qrels], DOCUMENTS, runs)
    program = shutil.which("trec_eval")
    if program is None:
        tool, other = "pytrec_eval", [sys.executable, "-c", _PYTREC_EVAL, *files]
    else:
        tool, other = "trec_eval", ["bash", "-c", _TREC_EVAL, "bash", program, *files]
    name = "evaluate documents: time of "
    yield from _compare(samples, f"{name}splitting lines", scored, {"split": splitting(runs)}, _SPLIT_SHARE)
    yield from _compare(samples, f"{name}{tool}", scored, {tool: other}, _TOOL_SHARE)
    yield from _measure_processes(samples, qrels, runs)
    name = "evaluate documents: reading assessments"
    try:
        cost = median_of(samples.scale.repetitions, {"read": lambda: probe("assessments", qrels)})["read"]
    except UnavailableError as reason:
        yield unavailable(name, str(reason), _READING)
    else:
        yield Line(name, cost.cpu, "s", _READING, f"read_assessments {cost}")


def _measure_processes(samples: Samples, qrels: str, runs: Sequence[Path]) -> Iterator[Line]:
    """Measure two processes against one: on these runs, and on enough runs for several processes."""
    folder = samples.scratch()
    copies = -(-MANY_RUNS // len(runs))
    links = [folder / f"{copy}-{run.name}" for copy in range(copies) for run in runs]
    for number, link in enumerate(links):
        link.symlink_to(runs[number % len(runs)].resolve())
    for files, gate in ((runs, None), (links, _PAYS)):
        yield from _compare(
            samples,
            f"evaluate documents: {len(files)} runs with --jobs 2, time of one process",
            evaluate_command(["-a", qrels, "--jobs", "2"], DOCUMENTS, files),
            {"one process": evaluate_command(["-a", qrels, "--jobs", "1"], DOCUMENTS, files)},
            gate,
            figure="wall",
        )


def _measure_focused(samples: Samples) -> Iterator[Line]:
    folder = samples.bare_campaign()
    runs = sorted((folder / "fol").glob("*.run"))
    command = evaluate_command(["-a", str(folder / "qrels.txt")], FOCUSED, runs)
    share, split = "evaluate: time of splitting lines", {"split": splitting(runs)}
    yield from _compare(samples, share, command, split, _FOCUSED_SHARE, "evaluate")
    sketch = [sys.executable, "-m", "benchmarks.sketch", str(folder / "qrels.txt"), *map(str, runs)]
    yield from _compare(samples, "the least for the same: time of splitting lines", sketch, split)


def _compare(
    samples: Samples,
    name: str,
    scored: Sequence[str],
    baseline: Mapping[str, Sequence[str]],
    gate: Gate | None = None,
    memory: str | None = None,
    figure: str = "cpu",
) -> Iterator[Line]:
    """Yield the processor time of a command as a share of a baseline's; with ``memory``, its peak too."""
    ((other, other_command),) = baseline.items()
    peak = f"{memory}: peak memory"
    try:
        cost = median_of(
            samples.scale.repetitions,
            {"evaluate": lambda: command(scored), other: lambda: command(other_command)},
        )
    except UnavailableError as reason:
        yield unavailable(name, str(reason), gate)
        if memory:
            yield unavailable(peak, str(reason), _MEMORY)
        return
    share = getattr(cost["evaluate"], figure) / getattr(cost[other], figure)
    yield Line(name, share, "x", gate, _describe(cost))
    if memory:
        yield Line(peak, cost["evaluate"].memory, "MB", _MEMORY)


def _describe(cost: Mapping[str, Cost]) -> str:
    return "; ".join(f"{name} {figures}" for name, figures in cost.items())


def _write_small_run(samples: Samples) -> tuple[Path, Path]:
    """Write a case of a few lines, whose cost is that of starting."""
    folder = samples.scratch()
    run, qrels = folder / "small.run", folder / "small.qrels"
    qrels.write_text("1 Q0 7 100 1000 150 150:100\n2 Q0 8 80 100 10 10:80\n", "utf-8")
    run.write_text("1 Q0 7 1 2.5 small 100 200\n2 Q0 8 1 2.5 small 0 100\n", "utf-8")
    return run, qrels


def evaluate_command(options: Sequence[str], measures: Sequence[str], runs: Sequence[Path]) -> list[str]:
    """Return the command that scores runs."""
    doxel = Path(sysconfig.get_path("scripts")) / "doxel"
    named = [part for measure in measures for part in ("-m", measure)]
    return [str(doxel), "evaluate", *options, *named, *map(str, runs)]


def splitting(runs: Sequence[Path]) -> list[str]:
    """Return the command that splits the lines of the same runs."""
    return [sys.executable, "-c", _SPLIT, *map(str, runs)]
