"""Curves: a measure left open at its ``@``, over its cutoffs, or one such measure over another.

``nxCG`` over ranks, ``iP`` over recall, ``P/R``: precision over recall at the same ranks.  A curve is
declared once, with its points and the words for its axes; any other measure that takes an ``@`` can be
drawn by its own name.  The points of a curve are ordinary measures: one evaluation computes scores and
curves together, and a point of a curve is the score that the measure has there.

Ranks are drawn one by one up to 100, every tenth up to 500 and every fiftieth from there on, and always
the last one, which is the limit (1500).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from doxel.errors import MeasureError
from doxel.measures.declare import Measure
from doxel.measures.names import parse_measures
from doxel.measures.parameters import Number
from doxel.measures.table import by_name
from doxel.quantisation.functions import meanings
from doxel.wording import did_you_mean

__all__ = ["CURVES", "Curve", "Shape", "curve", "curve_of"]

_LAST_RANK = 1500
_RANKS = (*range(101), *range(110, 501, 10), *range(550, _LAST_RANK + 1, 50))
_RECALLS = tuple(number / 100 for number in range(101))


@dataclass(frozen=True)
class Shape:
    """A declared curve: which measure over what, at which points.

    ``x`` is the measure that goes to the right, None for the cutoff itself; ``summaries`` are the
    measures that sum the curve up in one number; ``settings`` are parameters that the curve writes where
    nobody else does.
    """

    name: str
    y: str
    about: str
    x: str | None = None
    x_label: str = "rank"
    y_label: str = ""
    last: int = _LAST_RANK
    aliases: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


CURVES: tuple[Shape, ...] = (
    Shape(
        "ep/gr",
        "ep",
        "effort-precision at 100 points of gain-recall: how much of the reading was needed",
        x_label="gain-recall",
        y_label="effort-precision",
        aliases=("epgr",),
        summaries=("MAep", "iMAep", "ep"),
    ),
    Shape(
        "inex_eval",
        "inex_eval_P",
        "precision at 100 points of recall, on quantised relevance, as in 2002 to 2004",
        x_label="recall",
        y_label="precision",
        summaries=("inex_eval", "inex_eval_P"),
    ),
    Shape(
        "iP",
        "iP",
        "best precision by characters once each of 101 points of recall is reached",
        x_label="recall (characters)",
        y_label="interpolated precision",
        summaries=("MAiP", "iP"),
    ),
    Shape(
        "P/R",
        "HiXEval_P",
        "HiXEval: precision over recall by characters, at the same ranks",
        x="HiXEval_R",
        x_label="recall (HiXEval)",
        y_label="precision (HiXEval)",
        aliases=("HiXEval",),
        summaries=("HiXEval_P", "HiXEval_R", "HiXEval_F"),
    ),
    Shape(
        "gP/gR",
        "gP",
        "generalised precision over generalised recall, at the same ranks of articles; past the end of a "
        "list it stays where it ended",
        x="gR",
        x_label="generalised recall",
        y_label="generalised precision",
        aliases=("gPgR",),
        summaries=("MAgP", "gP", "gR", "igP"),
        settings={"pad": False},
    ),
    Shape(
        "nxCG",
        "nxCG",
        "gain by each rank as a share of what the ideal ranking would have gained by then",
        summaries=("nxCG", "MAnxCG"),
    ),
    Shape(
        "SRP",
        "SRP",
        "structural relevance per result, by each rank",
        summaries=("SRP", "SRPL"),
    ),
    Shape(
        "GR",
        "GR",
        "share of the targets that a user is expected to have seen by each rank, from rank 0",
        last=1000,
        summaries=("GR",),
    ),
    Shape(
        "EPRUM",
        "EPRUM_P",
        "expected precision at 100 points of recall, for users who browse",
        x_label="recall",
        y_label="precision (EPRUM)",
        summaries=("EPRUM", "EPRUM_P", "BEPD"),
    ),
    Shape(
        "PRUM",
        "PRUM_P",
        "chance that a consulted result discovers something new, at 100 points of recall",
        x_label="recall",
        y_label="precision (PRUM)",
        summaries=("PRUM", "PRUM_P"),
    ),
)


@dataclass(frozen=True)
class Curve:
    """A curve with its parameters; ``y`` and ``x`` are measures that still lack their ``@``."""

    name: str
    about: str
    x_label: str
    y_label: str
    y: Measure
    x: Measure | None
    points: tuple[float, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def over_ranks(self) -> bool:
        """Whether the cutoffs themselves are ranks and go to the right."""
        return self.x is None and _kind(self.y).whole

    @property
    def stem(self) -> str:
        """The name as it can stand in the name of a file.

        >>> curve('ep/gr(quant="spec")').stem
        'epgr-quant-spec'
        """
        return re.sub(r"[^A-Za-z0-9_.]+", "-", self.name.replace("/", "")).strip("-.")

    @cached_property
    def measures(self) -> list[Measure]:
        """What to evaluate in order to draw the curve."""
        return [one @ point for one in self._axes for point in self.points]

    @property
    def _axes(self) -> tuple[Measure, ...]:
        return (self.y,) if self.x is None else (self.y, self.x)

    def of(self, scores: pl.DataFrame) -> pl.DataFrame:
        """Return the curve of each run and topic: run, topic, curve, x, y, at.

        ``scores`` are those of an evaluation (run, topic, measure, score) that had the curve's measures
        among its own; the others are passed over.  ``at`` is the cutoff: the same as x, unless another
        measure goes to the right.
        """
        named = self._named(set(scores["measure"].unique()))
        points = scores.join(named, on="measure", how="inner", maintain_order="left")
        y = points.filter(pl.col("axis") == 0).select("run", "topic", "at", y="score")
        if self.x is None:
            both = y.with_columns(x=pl.col("at"))
        else:
            x = points.filter(pl.col("axis") == 1).select("run", "topic", "at", x="score")
            both = y.join(x, on=["run", "topic", "at"], how="inner", maintain_order="left")
        ordered = both.with_row_index("row").with_columns(
            pl.col("row").min().over(key).alias(f"first {key}") for key in ("run", "topic")
        )
        return ordered.sort("first run", "first topic", "at").select(
            "run", "topic", pl.lit(self.name).alias("curve"), "x", "y", "at"
        )

    def _named(self, known: set[str]) -> pl.DataFrame:
        """Return the names of the points, as the scores have them, with axis and cutoff.

        Scores carry the resolved name of a quantisation: ``gen`` is spec or another, by their scale.
        """
        written = self.y.written.get("quant")
        for quant in (None,) if written is None else meanings(written):
            rows = [
                (str((one if quant is None else one(quant=quant)) @ point), axis, float(point))
                for axis, one in enumerate(self._axes)
                for point in self.points
            ]
            if any(name in known for name, _, _ in rows):
                break
        return pl.DataFrame(
            rows, schema={"measure": pl.String, "axis": pl.Int8, "at": pl.Float64}, orient="row"
        )


def curve(name: str) -> Curve:
    """Return the curve that a name stands for, with the parameters written in it.

    >>> curve("nxCG(alpha=1)").measures[:2]
    [nxCG(alpha=1)@1, nxCG(alpha=1)@2]
    >>> curve("epgr").name, len(curve("ep/gr").points), curve("P/R").x
    ('ep/gr', 100, HiXEval_R)
    >>> curve("MAep")
    Traceback (most recent call last):
    doxel.errors.MeasureError: MAep takes no @ and is no curve; its curve is ep/gr
    """
    match = re.fullmatch(r"\s*([^\s(@]+)\s*(\(.*\))?\s*(?:@\s*)?", name, re.DOTALL)
    if match is None:
        raise MeasureError(f"a curve: wanted a name such as ep/gr or nxCG(alpha=1), found {name!r}")
    written, arguments = match[1], match[2] or ""
    shape = _shapes().get(written) or _own_shape(written)
    point = _some_point(shape.y)
    measure = parse_measures(f"{shape.y}{arguments}@{point}", by_name())[0]
    return _build(shape, {**shape.settings, **measure.written})


def curve_of(measure: Measure) -> Curve | None:
    """Return the curve that a measure sums up or is a point of, with its parameters, if it has one.

    >>> from doxel.measures import parse
    >>> [str(curve_of(one)) for one in parse('MAep(task="thorough"), MAiP, char_rec@5, T2I_AP')]
    ['ep/gr(task="thorough")', 'iP', 'char_rec', 'None']
    """
    declared = measure.declaration
    shape = next((one for one in CURVES if declared.name in one.summaries), None)
    if shape is None and declared.at is None:
        return None
    shape = shape or _own_shape(declared.name)
    known = by_name()[shape.y].declaration.parameters
    taken = {name: value for name, value in measure.written.items() if name in known}
    if declared.name == "BEPD":
        taken["model"] = "bep_distance"
    return _build(shape, {**shape.settings, **taken})


def _build(shape: Shape, written: Mapping[str, Any]) -> Curve:
    y = by_name()[shape.y](**written)
    x = None
    if shape.x is not None:
        other = by_name()[shape.x]
        x = other(**{name: value for name, value in written.items() if name in other.declaration.parameters})
    shown = Measure(y.declaration, {k: v for k, v in y.written.items() if shape.settings.get(k, _NO) != v})
    return Curve(
        name=shape.name + shown.name.removeprefix(y.declaration.name),
        about=shape.about,
        x_label="rank of the article" if shape.x_label == "rank" and _by_articles(y) else shape.x_label,
        y_label=shape.y_label or shape.y,
        y=y,
        x=x,
        points=_points(y, shape.last),
    )


_NO = object()


def _points(y: Measure, last: int) -> tuple[float, ...]:
    """Return the cutoffs at which a measure is drawn: all that its ``@`` admits, ranks up to the limit."""
    kind = _kind(y)
    every: tuple[float, ...] = _RECALLS
    if kind.whole:
        limit = y.written.get("limit", _LAST_RANK)
        last = min(last, _LAST_RANK if limit is None else limit)
        every = (*(rank for rank in _RANKS if rank < last), last)
    return tuple(point for point in every if kind.low < point or (kind.low == point and not kind.above))


def _kind(measure: Measure) -> Number:
    at = measure.declaration.at
    if at is None or not isinstance(at.kind, Number):
        raise MeasureError(f"{measure.declaration.name} takes no number after @ and is no curve")
    return at.kind


def _by_articles(measure: Measure) -> bool:
    return measure.declaration.view.limited_by == "articles"


def _shapes() -> dict[str, Shape]:
    return {name: shape for shape in CURVES for name in (shape.name, *shape.aliases)}


def _own_shape(name: str) -> Shape:
    """Return the curve of a measure that has none declared: the measure over its cutoffs."""
    measure = by_name().get(name)
    if measure is None:
        known = ", ".join(shape.name for shape in CURVES)
        hint = did_you_mean(name, [*_shapes(), *by_name()])
        raise MeasureError(
            f"there is no curve {name!r}: wanted one of {known}, or a measure that takes @{hint}"
        )
    declared = measure.declaration
    if declared.name in _shapes():  # it came by an alias
        return _shapes()[declared.name]
    if declared.at is None:
        of = next((shape.name for shape in CURVES if declared.name in shape.summaries), None)
        raise MeasureError(
            f"{declared.name} takes no @ and is no curve" + (f"; its curve is {of}" if of else "")
        )
    label = "rank" if isinstance(declared.at.kind, Number) and declared.at.kind.whole else declared.at.name
    return Shape(declared.name, declared.name, declared.summary, x_label=label)


def _some_point(name: str) -> str:
    """Return a cutoff that a measure admits."""
    return "1" if _kind(by_name()[name]).whole else "0.5"
