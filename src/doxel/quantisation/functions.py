"""The quantisation functions of INEX, 2002 to 2006.

``strict`` and ``gen`` without a year mean those of the assessments' scale; a function of another
scale is refused with the names that fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from doxel.errors import MeasureError
from doxel.quantisation.grades import COVERAGES, TOO_SMALL, Grades
from doxel.spans import Floats

__all__ = ["QUANTISATIONS", "Quantisation", "meanings", "quantisation"]


@dataclass(frozen=True)
class Quantisation:
    """A quantisation: its name, the scales it fits, and the function from grades to gains."""

    name: str
    scales: tuple[str, ...]
    function: Callable[[Grades], Floats]
    source: str
    highest: float = 1.0

    def __call__(self, grades: Grades) -> Floats:
        """Return the gain of each element; where a grade is needed, one without it gains nothing."""
        return self.function(grades)

    @property
    def is_specificity(self) -> bool:
        """Whether the gain is the highlighted share, which passages have too."""
        return self.name == "spec"


def _lookup(table: Mapping[tuple[int, int], float]) -> Callable[[Grades], Floats]:
    values = np.zeros((4, 4))
    for grade, gain in table.items():
        values[grade] = gain

    def look_up(grades: Grades) -> Floats:
        exhaustivity = np.maximum(grades.exhaustivity, 0).astype(np.int64)
        found: Floats = values[exhaustivity, np.maximum(grades.specificity, 0).astype(np.int64)]
        return found

    return look_up


def _coverage(**gains: float) -> Callable[[Grades], Floats]:
    """Return the function of 2002, from grades written as R3E, R2L ..."""
    return _lookup({(int(grade[1]), COVERAGES.index(grade[2])): gain for grade, gain in gains.items()})


def _pairs(gains: Mapping[float, str]) -> Callable[[Grades], Floats]:
    """Return the function of 2003, from gains and the (e, s) that have them, written as "33 32"."""
    return _lookup(
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
    one.name: one
    for one in (
        Quantisation("strict2002", ("2002",), _coverage(R3E=1), "source 003"),
        Quantisation(
            "gen2002",
            ("2002",),
            _coverage(R3E=1, R2E=0.75, R3L=0.75, R3S=0.75, R1E=0.5, R2L=0.5, R2S=0.5, R1S=0.25, R1L=0.25),
            "source 003",
        ),
        Quantisation("strict2003", ("2003",), _pairs({1: "33"}), "source 004, Eq. 1"),
        Quantisation(
            "gen2003",
            ("2003",),
            _pairs({1: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"}),
            "source 004, Eq. 2",
        ),
        Quantisation(
            "sog",
            ("2003",),
            _pairs({1: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"}),
            "source 004, Eq. 3",
        ),
        Quantisation("e3s321", ("2003",), _pairs({1: "33 32 31"}), "INEX 2004"),
        Quantisation("e3s32", ("2003",), _pairs({1: "33 32"}), "INEX 2004"),
        Quantisation("e321s3", ("2003",), _pairs({1: "33 23 13"}), "INEX 2004"),
        Quantisation("e32s3", ("2003",), _pairs({1: "33 23"}), "INEX 2004"),
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


def quantisation(name: str, scale: str) -> Quantisation:
    """Return the quantisation that a name means for assessments of a scale.

    >>> quantisation("gen", "2006").name
    'spec'
    >>> quantisation("sog", "2006")
    Traceback (most recent call last):
    doxel.errors.MeasureError: quantisation 'sog' is of another scale: for assessments of 2006 there are \
spec, strict2006, gen, strict
    """
    wanted = _BY_SCALE.get(name, {}).get(scale) or _ALIASES.get(name, name)
    found = QUANTISATIONS.get(wanted)
    if found is not None and scale in found.scales:
        return found
    fit = [one.name for one in QUANTISATIONS.values() if scale in one.scales]
    fit += [alias for alias, years in _BY_SCALE.items() if scale in years]
    problem = "is of another scale" if found is not None else "is not known"
    raise MeasureError(
        f"quantisation {name!r} {problem}: for assessments of {scale} there are {', '.join(fit) or 'none'}"
    )


def meanings(name: str) -> tuple[str, ...]:
    """Return what a name can mean, by the scale of the assessments; those of a single scale come first.

    >>> meanings("gen"), meanings("spec")
    (('gen2002', 'gen2003', 'gen2005', 'spec'), ('spec',))
    """
    by_scale = _BY_SCALE.get(name)
    return (_ALIASES.get(name, name),) if by_scale is None else tuple(dict.fromkeys(by_scale.values()))
