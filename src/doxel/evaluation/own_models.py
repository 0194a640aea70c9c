"""Custom user models: functions in a file, used by name in GR, PRUM and EPRUM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from doxel.errors import MeasureError
from doxel.evaluation.own_functions import ask, load_function
from doxel.measures.user_views import Entries
from doxel.spans import Ints
from doxel.wording import quote_value

if TYPE_CHECKING:
    from doxel.evaluation.ranked import Ranked

__all__ = ["OwnModel", "load_model"]


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
        self, ranked: Ranked, targets: Any, results: Ints
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
                ideal_list = ask(ideal_function, f"the ideal of user model {self.name!r}", target_frame)
                if not isinstance(ideal_list, pl.DataFrame):
                    raise MeasureError(
                        f"the ideal of user model {self.name!r}: wanted a frame, found {quote_value(ideal_list)}"
                    )
                counts[topic] = ideal_list.height
                ideal_pieces.append(
                    self._ask(
                        ideal_list, target_frame, topic, np.arange(1, ideal_list.height + 1), target_rows
                    )
                )
        run_entries = _joined(pieces)
        return (
            run_entries,
            _joined(ideal_pieces) if ideal_function is not None else None,
            counts if ideal_function is not None else None,
        )

    def _ask(
        self, results: pl.DataFrame, targets: pl.DataFrame, topic: int, rank: Ints, number: Ints
    ) -> tuple[Ints, Ints, Ints, Any]:
        answer = ask(self.function, f"user model {self.name!r}", results, targets)
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
    def _result_frame(ranked: Ranked, rows: Ints) -> pl.DataFrame:
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
    def _target_frame(ranked: Ranked, targets: Any, rows: Ints) -> pl.DataFrame:
        forest = ranked.bases.elements.forest
        return pl.DataFrame(
            {
                "doc": ranked.assessed.pairs["doc"].gather(targets.group[rows]),
                "path": ranked.bases.paths.gather(targets.row[rows]),
                "start": targets.position[rows],
                "end": forest.end[targets.row[rows]],
                "weight": targets.weight[rows],
            }
        )


def _joined(pieces: list[tuple[Ints, Ints, Ints, Any]]) -> Entries:
    if not pieces:
        nothing = np.zeros(0, dtype=np.int64)
        return Entries(nothing, nothing, nothing, np.zeros(0))
    return Entries(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def load_model(written: str) -> OwnModel:
    """Load the user model ``FILE.py:NAME``."""
    return OwnModel(*load_function(written, "a user model", "a function NAME(results, targets)"))
