"""User models that users write, for GR, PRUM and EPRUM.

A model is a function, or ``FILE.py:NAME``, which names a function in a file.  ``@doxel.user_model`` makes a
function available by its name in every evaluation of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from doxel.arguments import check_arguments
from doxel.errors import InputError, MeasureError
from doxel.files.function_files import (
    call_function,
    describe_home,
    get_function_name,
    load_function,
    pack_object,
)
from doxel.measures.user_views import Entries
from doxel.spans import Ints
from doxel.usermodels import CUSTOM_MODELS, MODELS
from doxel.wording import quote_value

if TYPE_CHECKING:
    from doxel.evaluation.ranked_run import RankedRun

__all__ = ["OwnModel", "collect_models", "load_model", "user_model"]

Model = TypeVar("Model", bound=Callable[..., Any])


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
        if self.written:
            return load_model, (self.written,)
        label, home = f"user model {self.name!r}", describe_home(self.function)
        try:
            packed = pack_object(self.function, home, label, lambda other: other is self.function)
        except InputError as error:  # all models are sent, so raise it only if a measure uses this one
            return _restore_unsendable, (self.name, error)
        return _restore_model, (self.name, *packed)

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
        no_numbers = np.zeros(0, dtype=np.int64)
        return Entries(no_numbers, no_numbers, no_numbers, np.zeros(0))
    return Entries(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def _restore_model(name: str, load: Callable[..., Any], arguments: tuple[Any, ...]) -> OwnModel:
    return OwnModel(name, load(*arguments))


def _restore_unsendable(name: str, error: InputError) -> OwnModel:
    def refuse(results: pl.DataFrame, targets: pl.DataFrame) -> Any:
        del results, targets
        raise error

    return OwnModel(name, refuse)


@check_arguments
def user_model(function: Model) -> Model:
    """Make a function available as a user model, as a decorator.

    The name of the function is then accepted as ``model=`` in GR, EPRUM and PRUM, in every evaluation of
    this process.  A function of the same name replaces it.

    Parameters
    ----------
    function
        A function ``name(results, targets)`` of two Polars frames that returns an array of probabilities,
        one row per result and one column per target.

    Returns
    -------
    Callable
        The function itself.

    Examples
    --------
    >>> import numpy as np
    >>> import doxel
    >>> @doxel.user_model
    ... def same_document(results, targets):
    ...     return np.equal.outer(results["doc"].to_numpy(), targets["doc"].to_numpy()) * 0.5
    >>> gold = [("1", "report", 100, 200)]
    >>> run = [("1", "report", 300, 400)]
    >>> doxel.evaluate(run, gold, "GR(model=same_document)@1").means["score"].item()
    0.5
    """
    name = get_function_name(function, "a user model")
    if not name.isidentifier():
        raise InputError("a user model", wanted="a function with a name", found=quote_value(name))
    if name in MODELS:
        raise InputError(
            "a user model", wanted="a name that doxel's models do not have", found=f"a function called {name}"
        )
    CUSTOM_MODELS[name] = function
    return function


def collect_models(models: Sequence[str | Callable[..., Any]]) -> dict[str, OwnModel]:
    """Return the custom user models by name: those that are marked in this process, and the given ones."""
    given_models = {model.name: model for model in map(load_model, models)}
    return {**{name: OwnModel(name, function) for name, function in CUSTOM_MODELS.items()}, **given_models}


def load_model(source: str | Callable[..., Any]) -> OwnModel:
    """Load the user model ``FILE.py:NAME``, or take a function as one."""
    if not isinstance(source, str):
        return OwnModel(get_function_name(source, "a user model"), source)
    return OwnModel(*load_function(source, "a user model", "a function NAME(results, targets)"))
