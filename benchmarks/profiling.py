"""``python -m benchmarks.profiling [PATH...]``: sample where the hottest paths spend their time.

The stacks of all threads are sampled every few milliseconds of processor time.  Time in a library counts for
the function of doxel that called it; a thread that waits for another one does not count.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import doxel
from benchmarks.evaluating import DOCUMENTS, FOCUSED
from benchmarks.gains import GAINS
from benchmarks.samples import FULL, QUICK, Samples
from doxel.chunking import compare_chunkings
from doxel.documents.ingestion import ingest
from doxel.evaluation import evaluate
from doxel.studies.study_table import find_study

__all__ = ["PATHS", "Profile", "profiled"]

_EVERY = 0.002
_SHOWN = 12
_WAITING = ("threading.py", "queue.py", "_base.py")  # concurrent.futures
_HOME = Path(doxel.__file__).parent


def _ingesting(samples: Samples) -> None:
    ingest([str(samples.sources())], str(samples.scratch() / "collection"), jobs=1)


def _focused(samples: Samples) -> None:
    folder = samples.bare_campaign()
    runs = sorted(map(str, (folder / "fol").glob("*.run")))
    evaluate(runs, str(folder / "qrels.txt"), list(FOCUSED), jobs=1)


def _documents(samples: Samples) -> None:
    folder = samples.document_campaign()
    runs = sorted(map(str, (folder / "trec").glob("*.run")))
    evaluate(runs, str(folder / "qrels.txt"), list(DOCUMENTS), jobs=1)


def _thorough(samples: Samples) -> None:
    folder, collection = samples.gain_campaign(), samples.collection()
    runs = sorted(map(str, (folder / "thorough").glob("*.run")))
    qrels = str(folder / "qrels.txt")
    evaluate(runs, qrels, list(GAINS), collection=str(collection), task="thorough", jobs=1)


def _chunks(samples: Samples) -> None:
    folder, collection = samples.gain_campaign(), samples.collection()
    compare_chunkings(str(collection), str(folder / "qrels.txt"), ["characters:400", "characters:400:100"])


def _compare(samples: Samples) -> None:
    folder = samples.report_campaign()
    runs = sorted(map(str, (folder / "fol").glob("*.run")))
    compared = evaluate(runs, str(folder / "qrels.txt"), ["MAiP"], jobs=1).compare("MAiP")
    compared.means, compared.pairs  # noqa: B018 -- computed when they are asked for


def _studies(samples: Samples) -> None:
    folder = samples.report_campaign()
    runs = sorted(map(str, (folder / "fol").glob("*.run")))[: 2 * samples.scale.runs]
    for name in ("agreement", "power", "holes"):
        find_study(name).ask(runs, str(folder / "qrels.txt"), ["MAiP", "iP@0.01"], jobs=1)


PATHS: dict[str, Callable[[Samples], None]] = {
    "ingest": _ingesting,
    "documents": _documents,
    "focused": _focused,
    "thorough": _thorough,
    "chunks": _chunks,
    "compare": _compare,
    "studies": _studies,
}


class Profile:
    """The number of samples in each function of doxel, and the seconds in total."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.seconds = self.processor = 0.0

    def look(self, here: FrameType | None) -> None:
        """Take one sample of all threads; of this one, as it was before the interruption."""
        frames = {**sys._current_frames(), threading.get_ident(): here}  # noqa: SLF001 -- what it is for
        self.seen.update(filter(None, map(_place, frames.values())))

    def __str__(self) -> str:
        total = max(1, self.seen.total())
        lines = [f"{count / total:6.1%}  {place}" for place, count in self.seen.most_common(_SHOWN)]
        return "\n".join([f"{self.seconds:.2f} s, {self.processor:.2f} s of processors", *lines])


def _place(frame: FrameType | None) -> str | None:
    """Return the innermost function of doxel in a stack, or None if the thread waits."""
    if frame is not None and frame.f_code.co_filename.endswith(_WAITING):
        return None
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_HOME):
            return f"{path.relative_to(_HOME).as_posix()}: {frame.f_code.co_name}"
        frame = frame.f_back
    return None


def profiled(work: Callable[[], None]) -> Profile:
    """Profile a function by a signal: a sampling thread would see only the code that releases the lock."""
    profile = Profile()
    signal.signal(signal.SIGPROF, lambda _, frame: profile.look(frame))
    clock, processor = time.perf_counter(), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
    try:
        work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    profile.seconds, profile.processor = time.perf_counter() - clock, time.process_time() - processor
    return profile


def main() -> None:
    """Profile the named paths, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profiling", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH", help=", ".join(PATHS))
    parser.add_argument("--quick", action="store_true", help="little data: shows only that it runs")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parent / "data")
    options = parser.parse_args()
    samples = Samples(options.data, QUICK if options.quick else FULL)
    if unknown := [name for name in options.paths if name not in PATHS]:
        parser.error(f"no path {unknown[0]!r}; there are {', '.join(PATHS)}")
    for name in options.paths or PATHS:
        work = PATHS[name]
        work(samples)  # a first call makes the samples and imports the modules
        print(f"{name}: {profiled(lambda work=work: work(samples))}\n")  # type: ignore[misc]
    samples.tidy()


if __name__ == "__main__":
    main()
