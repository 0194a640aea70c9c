"""Runs tests against mutants, each in a copy of the package: the working tree is never changed."""

from __future__ import annotations

import multiprocessing
import os
import queue
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.mutants.mutant import ROOT, SOURCE, Mutant, MutantError
from tools.mutants.table import tests_of

__all__ = ["Outcome", "check", "run"]

_RED = {1, 2}  # pytest: a test failed, or could not even be imported
_SECONDS = 600  # a mutant that does not end is noticed as well
_OUTPUT, _STATUS = "output.txt", "status.txt"
_NO_REPORT = -1  # the process ended before the tests did

# tests run in forks of one process, which has imported the libraries
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["pytest", "hypothesis.strategies", "numpy", "polars", "xdist.plugin"])


@dataclass(frozen=True)
class Outcome:
    """The outcome of a mutant: whether a test failed (``dead``), which one, and after how many seconds."""

    mutant: Mutant
    dead: bool
    message: str
    seconds: float


@dataclass
class _Copy:
    """A copy of the package, in which one mutant at a time lives."""

    folder: Path
    edits: int = field(default=0)

    @property
    def package(self) -> Path:
        return self.folder / "doxel"

    def write(self, file: str, text: str) -> None:
        """Write a file of the package with a new time, so that its old compiled form is not used."""
        path = self.package / file
        path.write_text(text, encoding="utf-8")
        self.edits += 1
        stamp = path.stat().st_mtime + self.edits  # compiled files know their source by whole seconds
        os.utime(path, (stamp, stamp))

    def test(self, tests: Sequence[str], seconds: int | None = None) -> tuple[int | None, str]:
        """Run tests against the copy, up to the first that fails; return pytest's status and output.

        The status is None if they are still running after ``seconds``.
        """
        report = self.folder / _STATUS
        report.unlink(missing_ok=True)
        process = _PROCESSES.Process(target=_run_tests, args=(self.folder, tests))
        process.start()
        process.join(seconds)
        has_ended = not process.is_alive()
        process.kill()
        process.join()
        # a server of forks sometimes loses the exit code of one of two processes
        status = int(report.read_text(encoding="utf-8")) if report.exists() else _NO_REPORT
        output = (self.folder / _OUTPUT).read_text(encoding="utf-8")
        return status if has_ended else None, output


def _run_tests(folder: Path, tests: Sequence[str]) -> None:
    """Run tests against the package in a folder, in this process, and write pytest's status to a file."""
    with (folder / _OUTPUT).open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(ROOT)
    sys.pycache_prefix = str(folder / "compiled")
    sys.dont_write_bytecode = False  # compiled once per copy, whatever the environment says
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # likewise for the commands that tests start
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ["PYTHONPATH"] = str(folder)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    sys.path.insert(0, str(folder))
    package = find_spec("doxel")
    if package is None or not Path(str(package.origin)).is_relative_to(folder):
        raise MutantError(f"the tests would see {package} instead of the copy in {folder}")
    options = ["-x", "-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
    selection = ["-m", "not integration", "--hypothesis-seed=0"]  # ``make test`` must notice a mutant
    status = pytest.main([*options, *selection, *tests])
    (folder / _STATUS).write_text(str(int(status)), encoding="utf-8")


def check(mutants: Sequence[Mutant]) -> None:
    """Raise MutantError unless every mutant fits its file."""
    for mutant in mutants:
        mutant.apply((SOURCE / mutant.file).read_text(encoding="utf-8"))
        tests_of(mutant)


def run(mutants: Sequence[Mutant], *, jobs: int = 2) -> Iterator[Outcome]:
    """Yield the outcome of each mutant as soon as it is known."""
    check(mutants)
    with _copies(jobs) as copies:
        _check_unchanged(copies, sorted({test for mutant in mutants for test in tests_of(mutant)}))
        free: queue.Queue[_Copy] = queue.Queue()
        for copy in copies:
            free.put(copy)
        with ThreadPoolExecutor(jobs) as pool:
            waiting = [pool.submit(_outcome, mutant, free) for mutant in mutants]
            for done in as_completed(waiting):
                yield done.result()


@contextmanager
def _copies(count: int) -> Iterator[list[_Copy]]:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [_Copy(Path(folder) / str(number)) for number in range(count)]
        for copy in copies:
            shutil.copytree(SOURCE, copy.package, ignore=shutil.ignore_patterns("__pycache__"))
        yield copies


def _check_unchanged(copies: Sequence[_Copy], tests: Sequence[str]) -> None:
    """Raise MutantError unless all tests pass on the unchanged package."""
    with ThreadPoolExecutor(len(copies)) as pool:
        # never an empty share: without names, all tests would run
        shares = [tests[number :: len(copies)] for number in range(min(len(copies), len(tests)))]
        runs = list(pool.map(lambda both: both[0].test(both[1]), zip(copies, shares, strict=False)))
    for status, output in runs:
        if status != 0:
            raise MutantError(f"the tests fail on the unchanged package:\n{output}")


def _outcome(mutant: Mutant, free: queue.Queue[_Copy]) -> Outcome:
    copy = free.get()
    began = time.monotonic()
    original = (copy.package / mutant.file).read_text(encoding="utf-8")
    try:
        copy.write(mutant.file, mutant.apply(original))
        status, output = copy.test(tests_of(mutant), _SECONDS)
    finally:
        copy.write(mutant.file, original)
        free.put(copy)
    seconds = time.monotonic() - began
    if status is None:
        return Outcome(mutant, dead=True, message=f"still running after {_SECONDS} s", seconds=seconds)
    if status not in {0, *_RED}:
        raise MutantError(f"{mutant}: the tests did not run:\n{output}")
    failures = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return Outcome(mutant, status in _RED, failures[0] if failures else "", seconds)
