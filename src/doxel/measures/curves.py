"""Curves: a measure over all its cutoffs, or one measure over another at the same cutoffs.

Examples are ``nxCG`` over ranks, ``iP`` over recall, and ``P/R``, precision over recall at the same ranks.
The declared curves have their own points and axis labels; any other measure that takes a cutoff (``@``) can
be drawn by its name.  The points of a curve are ordinary measures, so one evaluation computes scores and
curves together.

``char_rec/budget`` is a measure over the budget of text that may be read, at 1, 2 and 5 times powers of ten:
from 100 to 100,000 characters, or from 10 to 10,000 words or tokens.

Over ranks, a curve has every rank up to 100, every tenth up to 500, every fiftieth after that, and the
last rank, which is the limit (1500).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from doxel.errors import MeasureError
from doxel.measures.declaration import Measure
from doxel.measures.measure_parameters import Number
from doxel.measures.measure_table import find_measure, map_measures, parse_measure_list
from doxel.quantisation.quantisations import list_full_names
from doxel.wording import did_you_mean

__all__ = ["BUDGETS", "CURVES", "Curve", "CurveDeclaration", "curve", "find_curve", "list_budgets"]

_LAST_RANK = 1500
_RANKS = (*range(101), *range(110, 501, 10), *range(550, _LAST_RANK + 1, 50))
_RECALLS = tuple(number / 100 for number in range(101))
BUDGETS = tuple(digit * 10**power for power in range(1, 6) for digit in (1, 2, 5))
"""Budgets of text: 1, 2 and 5 times powers of ten."""
_UNITS = {
    "chars": ("characters read", tuple(budget for budget in BUDGETS if 100 <= budget <= 100_000)),
    "words": ("words read", tuple(budget for budget in BUDGETS if budget <= 10_000)),
    "tokens": ("tokens read", tuple(budget for budget in BUDGETS if budget <= 10_000)),
}


@dataclass(frozen=True)
class CurveDeclaration:
    """The declaration of a curve: its measure, its axes and its points.

    ``x`` is the measure on the horizontal axis, or None for the cutoff itself; ``ideal`` is a measure of the
    ideal ranking, drawn beside the runs; ``summaries`` are the measures that summarise the curve in one
    number; ``settings`` are parameters of the curve that apply unless the user writes others.
    """

    name: str
    y: str
    about: str
    x: str | None = None
    ideal: str | None = None
    x_label: str = "rank"
    y_label: str = ""
    last: int = _LAST_RANK
    aliases: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


CURVES: tuple[CurveDeclaration, ...] = (
    CurveDeclaration(
        "ep/gr",
        "ep",
        "effort-precision at 100 points of gain-recall: the share of the reading that was necessary",
        x_label="gain-recall",
        y_label="effort-precision",
        aliases=("epgr",),
        summaries=("MAep", "iMAep", "ep"),
    ),
    CurveDeclaration(
        "inex_eval",
        "inex_eval_P",
        "precision on quantised relevance at 100 points of recall, as in 2002 to 2004",
        x_label="recall",
        y_label="precision",
        summaries=("inex_eval", "inex_eval_P"),
    ),
    CurveDeclaration(
        "iP",
        "iP",
        "best character precision once each of 101 points of recall is reached",
        x_label="recall (characters)",
        y_label="interpolated precision",
        summaries=("MAiP", "iP"),
    ),
    CurveDeclaration(
        "P/R",
        "HiXEval_P",
        "HiXEval: character precision over character recall at the same ranks",
        x="HiXEval_R",
        x_label="recall (HiXEval)",
        y_label="precision (HiXEval)",
        aliases=("HiXEval",),
        summaries=("HiXEval_P", "HiXEval_R", "HiXEval_F"),
    ),
    CurveDeclaration(
        "gP/gR",
        "gP",
        "generalised precision over generalised recall at the same ranks of articles; constant past the "
        "end of a list",
        x="gR",
        x_label="generalised recall",
        y_label="generalised precision",
        aliases=("gPgR",),
        summaries=("MAgP", "gP", "gR", "igP"),
        settings={"pad": False},
    ),
    CurveDeclaration(
        "nxCG",
        "nxCG",
        "gain by each rank as a share of the ideal ranking's gain by the same rank",
        summaries=("nxCG", "MAnxCG"),
    ),
    CurveDeclaration(
        "xCG",
        "xCG",
        "gain by each rank, of the runs and of the ideal ranking (xCI), as in the figure of source 001",
        ideal="xCI",
        y_label="cumulated gain",
        aliases=("xCI",),
        summaries=("xCG", "xCI"),
    ),
    CurveDeclaration(
        "SRP",
        "SRP",
        "structural relevance per result, by each rank",
        summaries=("SRP", "SRPL"),
    ),
    CurveDeclaration(
        "GR",
        "GR",
        "expected share of the targets that a user has seen by each rank, from rank 0",
        last=1000,
        summaries=("GR",),
    ),
    CurveDeclaration(
        "EPRUM",
        "EPRUM_P",
        "expected precision at 100 points of recall, for users who browse",
        x_label="recall",
        y_label="precision (EPRUM)",
        summaries=("EPRUM", "EPRUM_P", "BEPD"),
    ),
    CurveDeclaration(
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
    """A curve with its parameters; ``y``, ``x`` and ``ideal`` are measures without a cutoff.

    If ``over_budgets``, the points are budgets, and ``y`` is a measure without a budget.
    """

    name: str
    about: str
    x_label: str
    y_label: str
    y: Measure
    x: Measure | None
    points: tuple[float, ...]
    ideal: Measure | None = None
    over_budgets: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def over_ranks(self) -> bool:
        """Whether the horizontal axis shows the cutoffs and these are ranks."""
        return self.x is None and not self.over_budgets and _get_cutoff_kind(self.y).whole

    @property
    def is_logarithmic(self) -> bool:
        """Whether the horizontal axis is logarithmic, as for ranks and budgets."""
        return self.over_budgets or self.over_ranks

    @property
    def stem(self) -> str:
        """The name of the curve in a form that is safe in file names.

        >>> curve('ep/gr(quant="spec")').stem
        'epgr-quant-spec'
        >>> curve("char_rec/budget").stem
        'char_rec-budget'
        """
        plain = self.name if self.over_budgets else self.name.replace("/", "")
        return re.sub(r"[^A-Za-z0-9_.]+", "-", plain).strip("-.")

    @cached_property
    def measures(self) -> list[Measure]:
        """The measures to evaluate for the points of the curve."""
        return [self._at(measure, point) for measure in self._axes.values() for point in self.points]

    def _at(self, measure: Measure, point: float) -> Measure:
        return measure(budget=point) if self.over_budgets else measure @ point

    @property
    def _axes(self) -> dict[str, Measure]:
        axes = {"y": self.y, "x": self.x, "ideal": self.ideal}
        return {name: measure for name, measure in axes.items() if measure is not None}

    def of(self, scores: pl.DataFrame) -> pl.DataFrame:
        """Return the points of the curve per run and topic, with the columns run, topic, curve, x, y, at.

        ``scores`` is the table of an evaluation (run, topic, measure, score) that includes the curve's
        measures; other measures are ignored.  ``at`` is the cutoff; it equals x unless another measure is
        on the horizontal axis.  The ideal ranking, if the curve has it, follows as the run ``ideal (xCI)``.
        """
        names = self._name_points(set(scores["measure"].unique()))
        points = scores.join(names, on="measure", how="inner", maintain_order="left")
        y = points.filter(pl.col("axis") == "y").select("run", "topic", "at", y="score")
        if self.ideal is not None:
            ideal = points.filter(pl.col("axis") == "ideal").select("run", "topic", "at", y="score")
            y = pl.concat([y, _name_ideal(ideal, self.ideal.declaration.name)])
        if self.x is None:
            both = y.with_columns(x=pl.col("at"))
        else:
            x = points.filter(pl.col("axis") == "x").select("run", "topic", "at", x="score")
            both = y.join(x, on=["run", "topic", "at"], how="inner", maintain_order="left")
        ordered = both.with_row_index("row").with_columns(
            pl.col("row").min().over(key).alias(f"first {key}") for key in ("run", "topic")
        )
        return ordered.sort("first run", "first topic", "at").select(
            "run", "topic", pl.lit(self.name).alias("curve"), "x", "y", "at"
        )

    def _name_points(self, scored: set[str]) -> pl.DataFrame:
        """Return the names of the points as they are in the table of scores, with axis and cutoff.

        Scores have the full name of a quantisation: ``gen`` becomes spec or another, depending on the scale.
        """
        quant_name = self.y.written.get("quant")
        for quant in (None,) if quant_name is None else list_full_names(quant_name):
            rows = [
                (str(self._at(measure if quant is None else measure(quant=quant), point)), axis, float(point))
                for axis, measure in self._axes.items()
                for point in self.points
            ]
            if any(name in scored for name, _, _ in rows):
                break
        return pl.DataFrame(
            rows, schema={"measure": pl.String, "axis": pl.String, "at": pl.Float64}, orient="row"
        )


def _name_ideal(points: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the points of the ideal ranking once, or per run where the runs' tasks give different ideals."""
    values = points.group_by("topic", "at").agg(pl.col("y").n_unique())["y"]
    if (values > 1).any():
        return points.with_columns(run=pl.format("ideal ({}) of {}", pl.lit(name), "run"))
    return points.unique(["topic", "at"], keep="first", maintain_order=True).with_columns(
        run=pl.lit(f"ideal ({name})")
    )


def curve(name: str) -> Curve:
    """Return the curve with this name, with the parameters written in it.

    >>> curve("nxCG(alpha=1)").measures[:2]
    [nxCG(alpha=1)@1, nxCG(alpha=1)@2]
    >>> curve("epgr").name, len(curve("ep/gr").points), curve("P/R").x
    ('ep/gr', 100, HiXEval_R)
    >>> curve("MAep")
    Traceback (most recent call last):
    doxel.errors.MeasureError: MAep does not take a cutoff (@), so it has no curve; it summarises ep/gr
    >>> curve('char_rec/budget(unit="words")').measures[:2]
    [char_rec(budget=10, unit="words"), char_rec(budget=20, unit="words")]
    """
    budget = _BUDGET_CURVE.fullmatch(name)
    if budget is not None:
        return _read_budget_curve(budget)
    match = re.fullmatch(r"\s*([^\s(@]+)\s*(\(.*\))?\s*(?:@\s*)?", name, re.DOTALL)
    if match is None:
        raise MeasureError(f"the name of a curve: wanted one such as ep/gr or nxCG(alpha=1), found {name!r}")
    measure_name, arguments = match[1], match[2] or ""
    shape = _map_declarations().get(measure_name) or _declare_own_curve(measure_name)
    point = _choose_point(shape.y)
    measure = parse_measure_list(f"{shape.y}{arguments}@{point}", map_measures())[0]
    return _build_curve(shape, Measure(measure.declaration), {**shape.settings, **measure.written})


_BUDGET_CURVE = re.compile(
    r"\s*(?P<name>[^\s(@/]+)\s*(?P<before>\(.*\))?\s*(?P<at>@[\d.\s]+)?/\s*budget\s*(?P<after>\(.*\))?\s*"
    r"(?P<last>@[\d.\s]+)?",
    re.DOTALL,
)


def list_budgets(unit: str) -> tuple[int, ...]:
    """Return the budgets of a curve in a unit.

    >>> list_budgets("words")[:4]
    (10, 20, 50, 100)
    """
    return _UNITS[unit][1]


def _read_budget_curve(match: re.Match[str]) -> Curve:
    """Return the curve of a measure over budgets; its parameters are written before or after the slash."""
    arguments = [part[1:-1] for part in (match["before"], match["after"]) if part]
    cutoff = match["at"] or match["last"] or ""
    named_measure = map_measures().get(match["name"])
    if named_measure is not None and "budget" not in named_measure.declaration.parameters:
        raise MeasureError(f"{match['name']} has no parameter budget, so it has no curve over budgets")
    parameters = ", ".join(["budget=1", *(part for part in arguments if part.strip())])
    measure = parse_measure_list(f"{match['name']}({parameters}){cutoff}", map_measures())[0]
    return _build_budget_curve(measure)


def _build_budget_curve(measure: Measure) -> Curve:
    """Return the curve of a measure over budgets, whatever its own budget."""
    declaration = measure.declaration
    parameters = {name: value for name, value in measure.written.items() if name != "budget"}
    y = Measure(declaration, parameters, measure.at)
    label, points = _UNITS[parameters.get("unit", "chars")]
    cutoff = "" if y.at is None else f"@{y.at}"
    return Curve(
        name=f"{declaration.name}/budget{y.name.removeprefix(declaration.name)}",
        about=f"{declaration.summary}, within a budget of text",
        x_label=f"budget: {label}",
        y_label=f"{declaration.name}{cutoff}",
        y=y,
        x=None,
        points=points,
        over_budgets=True,
    )


def find_curve(measure: Measure) -> Curve | None:
    """Return the curve that a measure summarises or is a point of, with its parameters, or None.

    >>> from doxel.measures import parse_measure
    >>> [
    ...     str(find_curve(measure))
    ...     for measure in parse_measure('MAep(task="thorough"), MAiP, char_rec@5, T2I_AP')
    ... ]
    ['ep/gr(task="thorough")', 'iP', 'char_rec', 'None']
    """
    declaration = measure.declaration
    if measure.written.get("budget") is not None and measure.at is None:
        return _build_budget_curve(measure)
    shape = next((shape for shape in CURVES if declaration.name in shape.summaries), None)
    if shape is None and declaration.at is None:
        return None
    shape = shape or _declare_own_curve(declaration.name)
    # of a name that doxel and ir_measures share, the measure itself decides whose curve it is
    curve_measure = Measure(declaration) if shape.y == declaration.name else map_measures()[shape.y]
    accepted = curve_measure.declaration.parameters
    parameters = {name: value for name, value in measure.written.items() if name in accepted}
    if declaration.name == "BEPD":
        parameters["model"] = "bep_distance"
    return _build_curve(shape, curve_measure, {**shape.settings, **parameters})


def _build_curve(shape: CurveDeclaration, measure: Measure, parameters: Mapping[str, Any]) -> Curve:
    y = measure(**parameters)
    x, ideal = (
        None if name is None else _select_parameters(name, parameters) for name in (shape.x, shape.ideal)
    )
    labelled = Measure(
        y.declaration, {k: v for k, v in y.written.items() if shape.settings.get(k, _MISSING) != v}
    )
    return Curve(
        name=shape.name + labelled.name.removeprefix(y.declaration.name),
        about=shape.about,
        x_label="rank of the article" if shape.x_label == "rank" and _is_over_articles(y) else shape.x_label,
        y_label=shape.y_label or shape.y,
        y=y,
        x=x,
        points=_choose_points(y, shape.last),
        ideal=ideal,
    )


def _select_parameters(name: str, parameters: Mapping[str, Any]) -> Measure:
    """Return the measure of this name with those of the parameters that it has."""
    plain = map_measures()[name]
    return plain(**{key: value for key, value in parameters.items() if key in plain.declaration.parameters})


_MISSING = object()


def _choose_points(y: Measure, last: int) -> tuple[float, ...]:
    """Return the cutoffs at which a measure is drawn: those within its range, ranks up to the limit."""
    kind = _get_cutoff_kind(y)
    points: tuple[float, ...] = _RECALLS
    if kind.whole:
        limit = y.written.get("limit", _LAST_RANK)
        last = min(last, _LAST_RANK if limit is None else limit)
        points = (*(rank for rank in _RANKS if rank < last), last)
    return tuple(point for point in points if kind.low < point or (kind.low == point and not kind.above))


def _get_cutoff_kind(measure: Measure) -> Number:
    at = measure.declaration.at
    if at is None or not isinstance(at.kind, Number):
        raise MeasureError(
            f"{measure.declaration.name} does not take a number as its cutoff (@), so it has no curve"
        )
    return at.kind


def _is_over_articles(measure: Measure) -> bool:
    return measure.declaration.view.limited_by == "articles"


def _map_declarations() -> dict[str, CurveDeclaration]:
    return {name: shape for shape in CURVES for name in (shape.name, *shape.aliases)}


def _declare_own_curve(name: str) -> CurveDeclaration:
    """Return a curve for a measure without a declared one: the measure over its cutoffs."""
    measure = find_measure(name, run_files=True)
    if measure is None:
        names = ", ".join(shape.name for shape in CURVES)
        hint = did_you_mean(name, [*_map_declarations(), *map_measures()])
        raise MeasureError(
            f"there is no curve {name!r}: wanted one of {names}, or a measure that takes a cutoff (@){hint}"
        )
    declaration = measure.declaration
    if declaration.name in _map_declarations():  # the name was an alias of the measure
        return _map_declarations()[declaration.name]
    cutoff = declaration.at
    if cutoff is None:
        curves = [shape.name for shape in CURVES if declaration.name in shape.summaries]
        hint = f"; it summarises {curves[0]}" if curves else ""
        raise MeasureError(f"{declaration.name} does not take a cutoff (@), so it has no curve{hint}")
    label = "rank" if isinstance(cutoff.kind, Number) and cutoff.kind.whole else cutoff.name
    return CurveDeclaration(declaration.name, declaration.name, declaration.summary, x_label=label)


def _choose_point(name: str) -> str:
    """Return any cutoff that a measure accepts, as text."""
    measure = find_measure(name)
    return "1" if measure is None or _get_cutoff_kind(measure).whole else "0.5"
