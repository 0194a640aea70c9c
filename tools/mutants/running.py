"""Runs tests against mutants, each in a copy of the package: the working tree is never changed."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.mutants.mutant import ROOT, SOURCE, Mutant, MutantError
from tools.mutants.table import tests_of

__all__ = ["Outcome", "check", "run"]

_RED = {1, 2}  # pytest: a test failed, or could not even be imported
_SECONDS = 600  # a mutant that does not end is noticed as well


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: ``dead`` when a test turned red, and in which words."""

    mutant: Mutant
    dead: bool
    said: str


@dataclass
class _Copy:
    """A copy of the package, in which one mutant at a time lives."""

    folder: Path
    edits: int = field(default=0)

    @property
    def package(self) -> Path:
        return self.folder / "doxel"

    def write(self, file: str, text: str) -> None:
        """Write a file of the package; its compiled form of before must not be taken for it."""
        path = self.package / file
        path.write_text(text, encoding="utf-8")
        self.edits += 1
        stamp = path.stat().st_mtime + self.edits  # compiled files know their source by whole seconds
        os.utime(path, (stamp, stamp))

    def test(self, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run tests against the copy, up to the first that fails."""
        options = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.folder / "hypothesis"),
        }
        return subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )


def check(mutants: Sequence[Mutant]) -> None:
    """Raise MutantError unless every mutant fits its file."""
    for mutant in mutants:
        mutant.applied((SOURCE / mutant.file).read_text(encoding="utf-8"))
        tests_of(mutant)


def run(mutants: Sequence[Mutant], *, jobs: int = 2) -> Iterator[Outcome]:
    """Yield what becomes of each mutant, as it comes out."""
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
    """The tests must see the copy, and must be green before anything is changed."""
    place = subprocess.run(
        [sys.executable, "-c", "import doxel; print(doxel.__file__)"],
        env={**os.environ, "PYTHONPATH": str(copies[0].folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if not Path(place).is_relative_to(copies[0].folder):
        raise MutantError(f"the tests would see {place} instead of a copy in {copies[0].folder}")
    with ThreadPoolExecutor(len(copies)) as pool:
        # never an empty share: without names, all tests would run
        shares = [tests[number :: len(copies)] for number in range(min(len(copies), len(tests)))]
        runs = list(pool.map(lambda both: both[0].test(both[1]), zip(copies, shares, strict=False)))
    for done in runs:
        if done.returncode:
            raise MutantError(f"the tests are red before anything is changed:\n{done.stdout}{done.stderr}")


def _outcome(mutant: Mutant, free: queue.Queue[_Copy]) -> Outcome:
    copy = free.get()
    original = (copy.package / mutant.file).read_text(encoding="utf-8")
    try:
        copy.write(mutant.file, mutant.applied(original))
        done = copy.test(tests_of(mutant))
    except subprocess.TimeoutExpired:
        return Outcome(mutant, dead=True, said=f"still running after {_SECONDS} s")
    finally:
        copy.write(mutant.file, original)
        free.put(copy)
    if done.returncode not in {0, *_RED}:
        raise MutantError(f"{mutant}: the tests did not run:\n{done.stdout}{done.stderr}")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return Outcome(mutant, dead=done.returncode in _RED, said=failed[0] if failed else "")
