"""Load and call custom functions, and use them as user models in GR, PRUM and EPRUM.

``FILE.py:NAME`` names a function in a file.  An exception in a custom function is reported with the line
that raised it.
"""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from doxel.errors import DoxelError, InputError, MeasureError
from doxel.measures.user_views import Entries
from doxel.spans import Ints
from doxel.wording import quote_value

if TYPE_CHECKING:
    from doxel.evaluation.ranked_run import RankedRun

__all__ = ["OwnModel", "call_function", "get_function_name", "load_function", "load_model"]


def get_function_name(function: Callable[..., Any], label: str) -> str:
    """Return the name of a function, by which measures refer to it."""
    name = getattr(function, "__name__", None)
    if name is None:
        raise InputError(label, wanted="a function with a name", found=repr(function))
    return str(name)


def call_function(function: Callable[..., Any], label: str, *arguments: Any) -> Any:
    """Call a custom function; report an exception with the line that raised it."""
    try:
        return function(*arguments)
    except DoxelError:
        raise
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        # skip the frame of this function; a call with wrong arguments has no other frame
        frames = traceback.extract_tb(error.__traceback__)[1:]
        home = getattr(getattr(function, "__code__", None), "co_filename", None)
        own_frames = [frame for frame in frames if frame.filename == home] or frames
        message = f"{type(error).__name__}: {error}"
        file, line = (own_frames[-1].filename, own_frames[-1].lineno) if own_frames else (home, None)
        raise InputError(f"{label} failed", file=file, line=line, found=message) from error


def load_function(written: str, label: str, wanted: str) -> tuple[str, Callable[..., Any], str]:
    """Return the name, the function and the absolute address of ``FILE.py:NAME``."""
    file, colon, name = written.rpartition(":")
    path = Path(file)
    if not colon or not name.isidentifier():
        raise InputError(label, wanted="FILE.py:NAME", found=repr(written))
    if not path.is_file():
        raise InputError(f"the file of {label}", file=file, wanted="a Python file", found="no such file")
    spec = importlib.util.spec_from_file_location(f"doxel_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"the file of {label}", file=file, wanted="a Python file", found=path.suffix)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        raise InputError(f"the file of {label} does not run", file=file, found=f"{error!r}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(label, file=file, wanted=wanted.replace("NAME", name), found="no such function")
    return name, function, f"{path.resolve()}:{name}"


@dataclass(frozen=True)
class OwnModel:
    """A function ``name(results, targets)`` of two frames that returns an array of results x targets.

    ``results`` has the columns doc, path, start, end; ``targets`` also has weight.  The function may have an
    attribute ``ideal``: a function of the targets that returns the results of the ideal list.
    """

    name: str
    function: Callable[[pl.DataFrame, pl.DataFrame], Any]
    written: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # functions loaded from a file cannot be pickled, so their address is
        return (load_model, (self.written,)) if self.written else (OwnModel, (self.name, self.function))

    def entries(
        self, ranked: RankedRun, targets: Any, results: Ints
    ) -> tuple[Entries, Entries | None, Ints | None]:
        """Call the function for each topic; return the entries of the run and of the ideal list."""
        pieces: list[tuple[Ints, Ints, Ints, Any]] = []
        ideal_pieces: list[tuple[Ints, Ints, Ints, Any]] = []
        counts = np.zeros(len(ranked.assessed.topics), dtype=np.int64)
        ideal_function = getattr(self.function, "ideal", None)
        for topic in np.unique(targets.topic).tolist():
            target_rows = np.flatnonzero(targets.topic == topic)
            target_frame = self._target_frame(ranked, targets, target_rows)
            rows = results[ranked.topic[results] == topic]
            pieces.append(
                self._ask(
                    self._result_frame(ranked, rows),
                    target_frame,
                    topic,
                    ranked.position[rows] + 1,
                    target_rows,
                )
            )
            if ideal_function is not None:
                ideal_list = call_function(
                    ideal_function, f"the ideal of user model {self.name!r}", target_frame
                )
                if not isinstance(ideal_list, pl.DataFrame):
                    raise MeasureError(
                        f"the ideal of user model {self.name!r}: wanted a frame, "
                        f"found {quote_value(ideal_list)}"
                    )
                counts[topic] = ideal_list.height
                ideal_pieces.append(
                    self._ask(
                        ideal_list, target_frame, topic, np.arange(1, ideal_list.height + 1), target_rows
                    )
                )
        run_entries = _join_entries(pieces)
        return (
            run_entries,
            _join_entries(ideal_pieces) if ideal_function is not None else None,
            counts if ideal_function is not None else None,
        )

    def _ask(
        self, results: pl.DataFrame, targets: pl.DataFrame, topic: int, rank: Ints, number: Ints
    ) -> tuple[Ints, Ints, Ints, Any]:
        answer = call_function(self.function, f"user model {self.name!r}", results, targets)
        try:
            chance = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise MeasureError(
                f"user model {self.name!r}: wanted numbers, found {quote_value(answer)}"
            ) from None
        if chance.shape != (results.height, targets.height):
            shape = f"one of {' x '.join(map(str, chance.shape))}" if chance.shape else quote_value(answer)
            raise MeasureError(
                f"user model {self.name!r}: wanted an array of {results.height} x {targets.height} "
                f"(results x targets), found {shape}"
            )
        if not ((chance >= 0) & (chance <= 1)).all():
            raise MeasureError(
                f"user model {self.name!r}: wanted probabilities from 0 to 1, found other values"
            )
        row, column = np.nonzero(chance)
        return np.full(len(row), topic), rank[row], number[column], chance[row, column]

    @staticmethod
    def _result_frame(ranked: RankedRun, rows: Ints) -> pl.DataFrame:
        source = ranked.source[rows]
        return pl.DataFrame(
            {
                "doc": ranked.columns["doc"].gather(source),
                "path": ranked.columns["path"].gather(source),
                "start": ranked.start[rows],
                "end": ranked.end[rows],
            }
        )

    @staticmethod
    def _target_frame(ranked: RankedRun, targets: Any, rows: Ints) -> pl.DataFrame:
        has_paths = ranked.bases.has_elements
        return pl.DataFrame(
            {
                "doc": ranked.assessed.pairs["doc"].gather(targets.group[rows]),
                "path": ranked.bases.paths.gather(targets.row[rows]) if has_paths else None,
                "start": targets.position[rows],
                "end": targets.end[rows],
                "weight": targets.weight[rows],
            },
            schema_overrides={"path": pl.String},
        )


def _join_entries(pieces: list[tuple[Ints, Ints, Ints, Any]]) -> Entries:
    if not pieces:
        nothing = np.zeros(0, dtype=np.int64)
        return Entries(nothing, nothing, nothing, np.zeros(0))
    return Entries(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def load_model(written: str) -> OwnModel:
    """Load the user model ``FILE.py:NAME``."""
    return OwnModel(*load_function(written, "a user model", "a function NAME(results, targets)"))
