"""Scorers that are programs: each case is written to files, and a figure is read from the output.

A program runs in a process group of its own.  When it takes too long, prints too much, or the audit is
stopped, the whole group is killed; the files of cases are in a temporary folder that is removed at the end.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from doxel.auditing.audit_cases import AuditCase
from doxel.auditing.case_files import CaseFormat
from doxel.auditing.scorers import Failure, Figure, Outcome
from doxel.errors import InputError
from doxel.wording import quote_value

__all__ = ["CommandScorer", "compile_figure", "split_command", "stop_on_signals"]

_MOST_OUTPUT = 10_000_000  # bytes; no figure needs more
_WAIT = 0.25  # seconds between checks of the size of the output


def split_command(command: str) -> list[str]:
    """Return the words of a command; it must have {gold} and {run}, and a program that exists."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError("the command", wanted="quotes that are closed", found=str(error)) from None
    for placeholder in ("{gold}", "{run}"):
        if not any(placeholder in word for word in words):
            wanted = "{gold} and {run}, which become the names of files"
            raise InputError("the command", wanted=wanted, found=quote_value(command, 200))
    if shutil.which(words[0]) is None:
        raise InputError("the command", wanted="a program that can be run", found=quote_value(words[0], 200))
    return words


def compile_figure(expression: str) -> re.Pattern[str]:
    """Return the pattern of a figure, a regular expression with one group for the number."""
    try:
        pattern = re.compile(expression, re.MULTILINE)
    except re.error as error:
        raise InputError(
            "--figure", wanted="a regular expression", found=f"{expression!r} ({error})"
        ) from None
    if pattern.groups != 1:
        wanted = "a regular expression with one group, such as 'MAP: ([0-9.]+)'"
        raise InputError("--figure", wanted=wanted, found=repr(expression))
    return pattern


class CommandScorer:
    """A program that reads gold and a run from files and prints figures."""

    batch_size = 1

    def __init__(
        self,
        command: str,
        case_format: CaseFormat,
        figures: dict[str, tuple[re.Pattern[str], Figure]],
        *,
        timeout: float,
    ) -> None:
        self.words, self.case_format, self.timeout = split_command(command), case_format, timeout
        self._patterns = {name: pattern for name, (pattern, _) in figures.items()}
        self.figures = tuple(figure for _, figure in figures.values())
        self.shape = case_format.shape
        self.untested: tuple[str, ...] = () if case_format.states_judged else ("unjudged",)
        self.decimals = dict.fromkeys(figures, 0)  # the most decimals with which a figure was printed

    def get_tolerance(self, figure: str) -> float:
        """Return the difference that rounding explains: figures are printed with a few decimals."""
        return max(1e-9, 1.001 * 10.0 ** -self.decimals[figure])

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Provide a folder for files."""
        with tempfile.TemporaryDirectory(prefix="doxel-audit-") as folder:
            self._folder = Path(folder)
            yield

    def score(self, cases: Sequence[AuditCase]) -> list[Outcome]:
        """Return the figures for each case."""
        return [self._score_case(case) for case in cases]

    def _score_case(self, case: AuditCase) -> Outcome:
        words = self.fill_command(*self.case_format.write(case, self._folder))
        with (
            tempfile.TemporaryFile(dir=self._folder) as output,
            tempfile.TemporaryFile(dir=self._folder) as errors,
        ):
            failure = self._run(words, output, errors)
            return failure or self._read_figures(_read_text(output), _read_text(errors))

    def fill_command(self, gold: Path, run: Path) -> list[str]:
        """Return the words of the command for two files."""
        return [word.replace("{gold}", str(gold)).replace("{run}", str(run)) for word in self.words]

    def write_case(self, case: AuditCase, folder: Path, shown_folder: Path, suffix: str, figure: str) -> str:
        """Write a case to files, and return the command line that scores them where they will be shown."""
        del figure
        gold, run = self.case_format.write(case, folder, suffix)
        return shlex.join(self.fill_command(shown_folder / gold.name, shown_folder / run.name))

    def _run(self, words: list[str], output: IO[bytes], errors: IO[bytes]) -> Failure | None:
        """Run the program to its end; return why it failed, or None."""
        deadline = time.monotonic() + self.timeout
        process = subprocess.Popen(  # noqa: S603 -- the user's own command
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
        )
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    status = process.wait(min(_WAIT, max(0.0, deadline - time.monotonic())))
                    break
                if time.monotonic() >= deadline:
                    return Failure("hangs", f"no answer within {self.timeout:g} seconds")
                if max(os.fstat(stream.fileno()).st_size for stream in (output, errors)) > _MOST_OUTPUT:
                    return Failure("crashes", f"printed more than {_MOST_OUTPUT:,} bytes")
        finally:
            _end_group(process)
        return None if status == 0 else Failure("crashes", _describe_end(status, _read_text(errors)))

    def _read_figures(self, output: str, errors: str) -> Outcome:
        figures: dict[str, float] = {}
        for name, pattern in self._patterns.items():
            match = pattern.search(output) or pattern.search(errors)
            if match is None:
                excerpt = quote_value(output.strip(), 200) if output.strip() else "nothing"
                return Failure(
                    "prints no figure", f"{pattern.pattern!r} is not in the output, which is {excerpt}"
                )
            try:
                figures[name] = float(match[1])
            except (TypeError, ValueError):
                return Failure("prints no figure", f"{match[1]!r} is not a number")
            mantissa, _, exponent = match[1].lower().partition("e")
            decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
            self.decimals[name] = max(self.decimals[name], decimals)
        return figures


def _read_text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read(_MOST_OUTPUT).decode("utf-8", "replace")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the process group, and wait for the program."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _describe_end(status: int, errors: str) -> str:
    lines = [line for line in errors.splitlines() if line.strip()]
    ending = f"signal {-status}" if status < 0 else f"exit status {status}"
    return f"{ending}: {quote_value(lines[-1].strip(), 200)}" if lines else ending


@contextlib.contextmanager
def stop_on_signals() -> Iterator[None]:
    """Treat the requests to end like Ctrl-C, so that programs and files are cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handlers = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
