"""The quantisation functions of INEX, 2002 to 2006, and the grades of elements that they take.

``strict`` and ``gen`` without a year mean the functions of the assessments' own scale.  A function of
another scale raises an error that lists the functions which fit.

Grades are arrays, in the same form for every year:

================  ===========================================  ==========================
scale             exhaustivity                                 specificity
================  ===========================================  ==========================
2002              relevance 0 to 3                             coverage 0 N, 1 L, 2 S, 3 E
2003 (and 2004)   exhaustivity 0 to 3                          specificity 0 to 3
2005              0, 1, 2, or TOO_SMALL                        highlighted share
2006 and later    1 for every element                          highlighted share
================  ===========================================  ==========================

An element without a grade has the value UNGRADED, which counts as 0 where a function needs a grade.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from doxel.errors import MeasureError
from doxel.spans import Floats

__all__ = [
    "COVERAGES",
    "QUANTISATIONS",
    "TOO_SMALL",
    "UNGRADED",
    "Grades",
    "Quantisation",
    "find_quantisation",
    "list_full_names",
]

UNGRADED = -1.0
TOO_SMALL = -2.0
COVERAGES = "NLSE"


@dataclass(frozen=True)
class Grades:
    """Exhaustivity and specificity of elements, on the scale of one year."""

    scale: str
    exhaustivity: Floats
    specificity: Floats

    @property
    def normalised_exhaustivity(self) -> Floats:
        """Exhaustivity between 0 and 1; too small counts as 0."""
        top = {"2002": 3.0, "2003": 3.0, "2005": 2.0}.get(self.scale, 1.0)
        return np.maximum(self.exhaustivity, 0.0) / top

    @property
    def normalised_specificity(self) -> Floats:
        """Specificity between 0 and 1."""
        top = 3.0 if self.scale in {"2002", "2003"} else 1.0
        return np.maximum(self.specificity, 0.0) / top


@dataclass(frozen=True)
class Quantisation:
    """A quantisation: its name, the scales that it fits, and the function from grades to gains."""

    name: str
    scales: tuple[str, ...]
    function: Callable[[Grades], Floats]
    source: str
    highest: float = 1.0

    def __call__(self, grades: Grades) -> Floats:
        """Return the gain of each element; an element without a grade that the function needs gains 0."""
        return self.function(grades)

    @property
    def is_specificity(self) -> bool:
        """Whether the gain is the highlighted share, which is defined for passages too."""
        return self.name == "spec"


def _build_lookup(table: Mapping[tuple[int, int], float]) -> Callable[[Grades], Floats]:
    values = np.zeros((4, 4))
    for grade, gain in table.items():
        values[grade] = gain

    def look_up(grades: Grades) -> Floats:
        exhaustivity = np.maximum(grades.exhaustivity, 0).astype(np.int64)
        gains: Floats = values[exhaustivity, np.maximum(grades.specificity, 0).astype(np.int64)]
        return gains

    return look_up


def _build_coverage_lookup(**gains: float) -> Callable[[Grades], Floats]:
    """Build a quantisation of 2002 from gains by grade, written as R3E, R2L ..."""
    return _build_lookup({(int(grade[1]), COVERAGES.index(grade[2])): gain for grade, gain in gains.items()})


def _build_pair_lookup(gains: Mapping[float, str]) -> Callable[[Grades], Floats]:
    """Build a quantisation of 2003 from the (e, s) pairs of each gain, written as "33 32"."""
    return _build_lookup(
        {(int(pair[0]), int(pair[1])): gain for gain, pairs in gains.items() for pair in pairs.split()}
    )


def _gen2005(grades: Grades) -> Floats:
    return np.maximum(grades.exhaustivity, 0.0) * grades.specificity  # 004 Eq. 5


def _genlifted(grades: Grades) -> Floats:
    lifted = np.where(grades.exhaustivity == TOO_SMALL, 1.0, grades.exhaustivity + 1.0)
    return lifted * grades.specificity  # 004 Eq. 6


def _product(grades: Grades) -> Floats:
    return grades.normalised_exhaustivity * grades.normalised_specificity


def _strict01(grades: Grades) -> Floats:
    is_top = (grades.normalised_exhaustivity == 1) & (grades.normalised_specificity == 1)
    return np.where(is_top, 1.0, 0.0)


QUANTISATIONS: dict[str, Quantisation] = {
    function.name: function
    for function in (
        Quantisation("strict2002", ("2002",), _build_coverage_lookup(R3E=1), "source 003"),
        Quantisation(
            "gen2002",
            ("2002",),
            _build_coverage_lookup(
                R3E=1, R2E=0.75, R3L=0.75, R3S=0.75, R1E=0.5, R2L=0.5, R2S=0.5, R1S=0.25, R1L=0.25
            ),
            "source 003",
        ),
        Quantisation("strict2003", ("2003",), _build_pair_lookup({1: "33"}), "source 004, Eq. 1"),
        Quantisation(
            "gen2003",
            ("2003",),
            _build_pair_lookup({1: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"}),
            "source 004, Eq. 2",
        ),
        Quantisation(
            "sog",
            ("2003",),
            _build_pair_lookup({1: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"}),
            "source 004, Eq. 3",
        ),
        Quantisation("e3s321", ("2003",), _build_pair_lookup({1: "33 32 31"}), "INEX 2004"),
        Quantisation("e3s32", ("2003",), _build_pair_lookup({1: "33 32"}), "INEX 2004"),
        Quantisation("e321s3", ("2003",), _build_pair_lookup({1: "33 23 13"}), "INEX 2004"),
        Quantisation("e32s3", ("2003",), _build_pair_lookup({1: "33 23"}), "INEX 2004"),
        Quantisation(
            "strict2005",
            ("2005",),
            lambda grades: ((grades.exhaustivity == 2) & (grades.specificity == 1)).astype(float),
            "source 004, Eq. 4",
        ),
        Quantisation("gen2005", ("2005",), _gen2005, "source 004, Eq. 5", highest=2.0),
        Quantisation("genlifted", ("2005",), _genlifted, "source 004, Eq. 6", highest=3.0),
        Quantisation("spec", ("2005", "2006"), lambda grades: grades.specificity, "source 001, Eq. 1"),
        Quantisation(
            "strict2006",
            ("2005", "2006"),
            lambda grades: (grades.specificity == 1).astype(float),
            "source 004, section 3.1",
        ),
        Quantisation("product", ("2003", "2005"), _product, "source 000, section 1.4"),
        Quantisation("strict01", ("2003", "2005"), _strict01, "source 000, section 1.4"),
    )
}

_BY_SCALE = {
    "gen": {"2002": "gen2002", "2003": "gen2003", "2005": "gen2005", "2006": "spec"},
    "strict": {"2002": "strict2002", "2003": "strict2003", "2005": "strict2005", "2006": "strict2006"},
}
_ALIASES = {"strict5": "strict2005", "gen5": "gen2005"}


def find_quantisation(name: str, scale: str) -> Quantisation:
    """Return the quantisation with this name that fits assessments of ``scale``.

    >>> find_quantisation("gen", "2006").name
    'spec'
    >>> find_quantisation("sog", "2006")
    Traceback (most recent call last):
    doxel.errors.MeasureError: quantisation 'sog' belongs to another scale; available for assessments of \
2006: spec, strict2006, gen, strict
    """
    full_name = _BY_SCALE.get(name, {}).get(scale) or _ALIASES.get(name, name)
    match = QUANTISATIONS.get(full_name)
    if match is not None and scale in match.scales:
        return match
    names = [function.name for function in QUANTISATIONS.values() if scale in function.scales]
    names += [alias for alias, years in _BY_SCALE.items() if scale in years]
    is_known = match is not None
    problem = (
        f"quantisation {name!r} belongs to another scale" if is_known else f"unknown quantisation {name!r}"
    )
    raise MeasureError(f"{problem}; available for assessments of {scale}: {', '.join(names) or 'none'}")


def list_full_names(name: str) -> tuple[str, ...]:
    """Return the full names that a name can stand for, depending on the scale of the assessments.

    >>> list_full_names("gen"), list_full_names("spec")
    (('gen2002', 'gen2003', 'gen2005', 'spec'), ('spec',))
    """
    by_scale = _BY_SCALE.get(name)
    return (_ALIASES.get(name, name),) if by_scale is None else tuple(dict.fromkeys(by_scale.values()))
