"""The measures of trec_eval by its own names, and the parser of requests for them.

A request is a measure (``P``), a measure with parameters as on the tool's command line (``P.5,10``), a
figure as the tool prints it (``P_5``), or a set of measures (``official``).  Every parameter is checked here:
the library that computes most figures ends the whole process on some that it does not expect.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from doxel.errors import MeasureError
from doxel.wording import did_you_mean, join_words, quote_value

__all__ = ["DEFAULT_SET", "TREC_MEASURES", "TREC_SETS", "TrecFigure", "TrecMeasure", "parse_trec_figures"]

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(point / 10 for point in range(11))
_MULTIPLES = tuple(fifth / 5 for fifth in range(1, 11))
_LARGEST_CUTOFF = 10**9
_LARGEST_LEVEL = 10**6


@dataclass(frozen=True)
class TrecMeasure:
    """A measure of trec_eval: its name, the kind of its parameters, and their defaults.

    ``cutoffs``, ``recalls`` and ``multiples`` have one figure per value.  The other kinds have one figure:
    ``weights`` (four numbers), ``points`` (of recall), ``beta``, ``gains`` (level=gain) and ``persistence``
    (p=share, and gains).
    """

    name: str
    parameters: str = "none"
    defaults: tuple[float, ...] = ()


# in the order in which the tool prints them
TREC_MEASURES: tuple[TrecMeasure, ...] = (
    *map(TrecMeasure, ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec")),
    *map(TrecMeasure, ("bpref", "recip_rank")),
    TrecMeasure("iprec_at_recall", "recalls", _TENTHS),
    TrecMeasure("P", "cutoffs", _CUTOFFS),
    TrecMeasure("recall", "cutoffs", _CUTOFFS),
    *map(TrecMeasure, ("infAP", "gm_bpref")),
    TrecMeasure("Rprec_mult", "multiples", _MULTIPLES),
    TrecMeasure("utility", "weights", (1.0, -1.0, 0.0, 0.0)),
    TrecMeasure("11pt_avg", "points", _TENTHS),
    TrecMeasure("binG"),
    *(TrecMeasure(name, "gains") for name in ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg")),
    *(TrecMeasure(name, "cutoffs", _CUTOFFS) for name in ("ndcg_cut", "map_cut", "relative_P")),
    TrecMeasure("success", "cutoffs", (1, 5, 10)),
    *map(TrecMeasure, ("set_P", "set_relative_P", "set_recall", "set_map")),
    TrecMeasure("set_F", "beta", (1.0,)),
    *map(TrecMeasure, ("num_nonrel_judged_ret", "yaap")),
    TrecMeasure("rbp", "persistence"),
    TrecMeasure("rbp_resid", "persistence"),
    TrecMeasure("unj", "cutoffs", (5, 10, 20)),
)
_BY_NAME = {measure.name: measure for measure in TREC_MEASURES}
_ORDER = {name: place for place, name in enumerate(_BY_NAME)}

_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_ALL = tuple(name for name in _BY_NAME if name not in {"dcg", "ideal_dcg", "yaap"})
TREC_SETS: dict[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": _ALL,
    "trec_eval": _ALL,
}
DEFAULT_SET = "official"

_REFUSED = {
    "relstring": "relstring is a string, not a score; doxel leaves it out",
    **dict.fromkeys(("prefs", "all_prefs"), "doxel does not read the preference judgements of trec_eval"),
    "qrels_jg": "doxel does not read the judgement groups of trec_eval",
}


@dataclass(frozen=True)
class TrecFigure:
    """One figure that trec_eval prints: its name, its measure, and the parameters of this figure.

    ``values`` are cutoffs, points, weights or (p,); ``gains`` are pairs of level and gain.
    """

    name: str
    measure: str
    values: tuple[float, ...] = ()
    gains: tuple[tuple[int, float], ...] = ()

    @property
    def is_count(self) -> bool:
        """Whether the tool prints a whole number, and the sum over topics."""
        return self.name.startswith("num_")

    @property
    def is_geometric(self) -> bool:
        """Whether the tool prints the geometric mean, and nothing per topic."""
        return self.name.startswith("gm_")

    @property
    def is_overall(self) -> bool:
        """Whether the tool prints nothing per topic."""
        return self.is_geometric or self.name in {"runid", "num_q"}

    @property
    def place(self) -> tuple[int, tuple[float, ...]]:
        """The position in the tool's output."""
        return _ORDER[self.measure], self.values


def parse_trec_figures(requests: str | Iterable[str]) -> list[TrecFigure]:
    """Return the figures that requests name, each once, in the order of the requests.

    >>> [figure.name for figure in parse_trec_figures("map,P.10,5,ndcg_cut_10")]
    ['map', 'P_5', 'P_10', 'ndcg_cut_10']
    """
    texts = [requests] if isinstance(requests, str) else list(requests)
    figures: dict[str, TrecFigure] = {}
    for text in texts:
        if not isinstance(text, str):
            raise MeasureError(f"a measure of trec_eval: wanted its name, found {quote_value(text)}")
        for name, parameters in _split_requests(text):
            for figure in _list_figures(name, parameters):
                figures.setdefault(figure.name, figure)
    return list(figures.values())


@cache
def _compile_request() -> re.Pattern[str]:
    names = sorted({*_BY_NAME, *TREC_SETS, *_REFUSED}, key=len, reverse=True)
    return re.compile(rf"({'|'.join(map(re.escape, names))})(?:[._](?=[0-9.+-]|p=)(.+))?")


def _split_requests(text: str) -> list[tuple[str, str | None]]:
    """Return the measures of a list, each with its parameters as written.

    A comma separates measures, and also the parameters of a measure: what is not the name of a measure
    is a parameter of the measure before it.
    """
    requests: list[tuple[str, str | None]] = []
    for piece in (part.strip() for part in text.split(",")):
        match = _compile_request().fullmatch(piece)
        if match is not None:
            requests.append((match[1], match[2]))
        elif requests and requests[-1][1] is not None and re.match(r"[0-9.+-]|p=", piece):
            name, parameters = requests.pop()
            requests.append((name, f"{parameters},{piece}"))
        else:
            raise _make_unknown_error(piece)
    return requests


def _make_unknown_error(name: str) -> MeasureError:
    ours = {
        "AP": "map",
        "RR": "recip_rank",
        "nDCG": "ndcg",
        "nDCG@": "ndcg_cut_",
        "R@": "recall_",
        "P@": "P_",
    }
    base, at, cutoff = name.partition("@")
    if base + at in ours:
        return MeasureError(f"{name} is called {ours[base + at]}{cutoff} in trec_eval")
    hint = did_you_mean(name, [*_BY_NAME, *TREC_SETS])
    return MeasureError(f"trec_eval has no measure {quote_value(name)}{hint or '; it has ' + _list_all()}")


def _list_all() -> str:
    return join_words([name for name in _BY_NAME if not name.startswith("num_")], len(_BY_NAME))


def _list_figures(name: str, parameters: str | None) -> list[TrecFigure]:
    if name in _REFUSED:
        raise MeasureError(_REFUSED[name])
    if name in TREC_SETS:
        if parameters is not None:
            raise MeasureError(f"{name} is a set of measures and takes no parameters")
        return [figure for member in TREC_SETS[name] for figure in _list_figures(member, None)]
    measure = _BY_NAME[name]
    if measure.parameters == "none":
        if parameters is not None:
            raise MeasureError(f"{name} of trec_eval takes no parameters, found {quote_value(parameters)}")
        return [TrecFigure(name, name)]
    if measure.parameters in {"cutoffs", "recalls", "multiples"}:
        return _list_figures_at(measure, parameters)
    if measure.parameters in {"gains", "persistence"}:
        return [_make_gain_figure(measure, parameters)]
    values = measure.defaults if parameters is None else _parse_numbers(measure, parameters)
    _check_values(measure, values)
    return [TrecFigure(name if parameters is None else f"{name}_{parameters}", name, values)]


def _list_figures_at(measure: TrecMeasure, parameters: str | None) -> list[TrecFigure]:
    """Return one figure per cutoff, recall point or multiple, in ascending order."""
    values = measure.defaults if parameters is None else _parse_numbers(measure, parameters)
    if measure.parameters == "cutoffs":
        values = tuple(float(int(value)) for value in values)  # the tool reads 23.4 as 23
    _check_values(measure, values)
    names = [
        f"{measure.name}_{value:.0f}" if measure.parameters == "cutoffs" else f"{measure.name}_{value:.2f}"
        for value in sorted(values)
    ]
    if len(set(names)) < len(names):
        raise MeasureError(
            f"{measure.name} of trec_eval: wanted each parameter once, found {quote_value(parameters)}; "
            "the tool prints two decimals"
        )
    return [
        TrecFigure(name, measure.name, (value,)) for name, value in zip(names, sorted(values), strict=True)
    ]


_WANTED = {
    "cutoffs": f"whole numbers from 1 to {_LARGEST_CUTOFF:,}",
    "recalls": "shares from 0 to 1",
    "multiples": "numbers above 0, at most 1,000",
    "weights": "four numbers, the last of them 0 (the size of the collection is not known)",
    "points": "shares from 0 to 1",
    "beta": "one number of 0 or more, at most 1,000,000",
}


def _check_values(measure: TrecMeasure, values: tuple[float, ...]) -> None:
    valid = {
        "cutoffs": all(1 <= value <= _LARGEST_CUTOFF for value in values),
        "recalls": all(0 <= value <= 1 for value in values),
        "multiples": all(0 < value <= 1000 for value in values),
        "weights": len(values) == 4 and values[-1] == 0,
        "points": all(0 <= value <= 1 for value in values),
        "beta": len(values) == 1 and 0 <= values[0] <= 10**6,
    }
    if not valid[measure.parameters]:
        text = ", ".join(f"{value:g}" for value in values)
        raise MeasureError(f"{measure.name} of trec_eval: wanted {_WANTED[measure.parameters]}, found {text}")


def _parse_numbers(measure: TrecMeasure, text: str) -> tuple[float, ...]:
    return tuple(_parse_number(measure, piece) for piece in text.split(","))


def _parse_number(measure: TrecMeasure, text: str) -> float:
    if re.fullmatch(r"[+-]?(?:[0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})", text):
        return float(text)
    raise MeasureError(
        f"a parameter of {measure.name} of trec_eval: wanted a number, found {quote_value(text)}"
    )


def _make_gain_figure(measure: TrecMeasure, parameters: str | None) -> TrecFigure:
    """Return the figure of a measure whose parameters are pairs: level=gain, or p=persistence."""
    if parameters is None:
        return TrecFigure(measure.name, measure.name)
    takes_p = measure.parameters == "persistence"
    gains: dict[int, float] = {}
    persistence: tuple[float, ...] = ()
    for pair in parameters.split(","):
        key, equals, value = pair.partition("=")
        number = _parse_number(measure, value) if equals else math.nan
        if takes_p and key == "p" and 0 <= number <= 1:
            persistence = (number,)
        elif equals and re.fullmatch(r"[0-9]{1,7}", key) and int(key) <= _LARGEST_LEVEL:
            gains[int(key)] = number
        else:
            wanted = "pairs such as 1=3,2=9 (level=gain)" + (" or p=0.8 (from 0 to 1)" if takes_p else "")
            raise MeasureError(f"{measure.name} of trec_eval: wanted {wanted}, found {quote_value(pair)}")
    return TrecFigure(f"{measure.name}_{parameters}", measure.name, persistence, tuple(sorted(gains.items())))
