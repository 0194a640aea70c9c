"""Section 1 of measures.md: from grades and highlights to q.

Readings
--------
- Reading: An element without a grade has q = 0 under every quantisation of grades, genlifted included; an
  explicit 2005 grade 0 is e = 0, which genlifted lifts to (0 + 1)*s as its formula says.
- Reading: The specificity of 2005 is always the highlighted share.
- Reading: An empty element keeps its grade, and with q > 0 it is in the bases (section 0, the parenthesis).
- Reading: A passage has q only under ``spec``; ``strict2006`` counts as another quantisation, so q = 0.
- Reading: ``exclude_tags`` takes "links", a comma-separated string of tags, or any collection of tags.  An
  excluded element changes nothing in the tree: its kept descendants stay relevant and stay where they are,
  but they are no children of the kept element above (see ``gains.py``).  Passages know no tags and are
  never excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from .rules import ONE, ZERO, ratio

if TYPE_CHECKING:
    from collections.abc import Collection

    from .case_model import Case, Grade, Result
    from .trees import Element

QUARTER, HALF, THREE_QUARTERS = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
GRADED: dict[str, dict[Grade, Fraction]] = {
    "strict2002": {(3, "E"): ONE},
    "gen2002": {
        (3, "E"): ONE,
        **dict.fromkeys([(2, "E"), (3, "L"), (3, "S")], THREE_QUARTERS),
        **dict.fromkeys([(1, "E"), (2, "L"), (2, "S")], HALF),
        **dict.fromkeys([(1, "S"), (1, "L")], QUARTER),
    },
    "strict2003": {(3, 3): ONE},
    "gen2003": {
        (3, 3): ONE,
        **dict.fromkeys([(2, 3), (3, 2), (3, 1)], THREE_QUARTERS),
        **dict.fromkeys([(1, 3), (2, 2), (2, 1)], HALF),
        **dict.fromkeys([(1, 2), (1, 1)], QUARTER),
    },
    "sog": {
        (3, 3): ONE,
        (2, 3): Fraction(9, 10),
        **dict.fromkeys([(1, 3), (3, 2)], THREE_QUARTERS),
        (2, 2): HALF,
        **dict.fromkeys([(1, 2), (3, 1)], QUARTER),
        **dict.fromkeys([(2, 1), (1, 1)], Fraction(1, 10)),
    },
    "e3s321": dict.fromkeys([(3, 3), (3, 2), (3, 1)], ONE),
    "e3s32": dict.fromkeys([(3, 3), (3, 2)], ONE),
    "e321s3": dict.fromkeys([(3, 3), (2, 3), (1, 3)], ONE),
    "e32s3": dict.fromkeys([(3, 3), (2, 3)], ONE),
}
"""The tables of 2002 and 2003-04; anything not listed is 0."""

FITTING = {
    "2002": ["strict2002", "gen2002"],
    "2003": ["strict2003", "gen2003", "sog", "e3s321", "e3s32", "e321s3", "e32s3", "product", "strict01"],
    "2005": ["strict2005", "gen2005", "genlifted", "product", "strict01", "spec", "strict2006"],
    "2006": ["spec", "strict2006"],
}
"""The quantisations that fit a scale."""

GEN = {"2002": "gen2002", "2003": "gen2003", "2005": "gen2005", "2006": "spec"}
STRICT = {"2002": "strict2002", "2003": "strict2003", "2005": "strict2005", "2006": "strict2006"}
ALIASES = {"strict5": "strict2005", "gen5": "gen2005"}
HIGHEST = {"gen2005": 2, "genlifted": 3}
"""The tops of the two quantisations that leave [0, 1]."""

LINKS = frozenset(
    {
        "collectionlink",
        "wikipedialink",
        "wikipedia-link",
        "unknownlink",
        "outsidelink",
        "weblink",
        "languagelink",
        "imagelink",
        "redirectlink",
        "link",
    }
)


def resolve(quant: str | None, scale: str) -> str:
    """The full name of a quantisation on a scale; one of another scale is refused."""
    if quant is None or quant == "gen":
        return GEN[scale]
    name = STRICT[scale] if quant == "strict" else ALIASES.get(quant, quant)
    if name not in FITTING[scale]:
        raise ValueError(f"{quant} does not fit the scale {scale}; these fit: {', '.join(FITTING[scale])}")
    return name


def excluded_tags(exclude_tags: str | Collection[str] | None) -> frozenset[str]:
    """The tags meant by ``exclude_tags``."""
    if exclude_tags is None:
        return frozenset()
    if exclude_tags == "links":
        return LINKS
    if isinstance(exclude_tags, str):
        return frozenset(tag.strip() for tag in exclude_tags.split(","))
    return frozenset(exclude_tags)


@dataclass(frozen=True)
class Quantiser:
    """q under one quantisation; ``scaled`` divides by the highest gain if that exceeds 1 (sections 3, 9)."""

    case: Case
    name: str
    excluded: frozenset[str] = frozenset()
    scaled: bool = False

    def keeps(self, element: Element) -> bool:
        """Whether the element's tag is not excluded."""
        return element.tag not in self.excluded

    def spec(self, doc: str, positions: frozenset[int]) -> Fraction:
        """The highlighted share; 0 for an empty span (section 0)."""
        return ratio(len(positions & self.case.relevant(doc)), len(positions))

    def element(self, doc: str, element: Element) -> Fraction:
        """q of an element."""
        if not self.keeps(element):
            return ZERO
        value = self._value(doc, element)
        return value / HIGHEST.get(self.name, 1) if self.scaled else value

    def _value(self, doc: str, element: Element) -> Fraction:
        """q as the tables have it."""
        grade = (self.case.grades or {}).get((doc, element.path))
        if self.name in GRADED:
            return ZERO if grade is None else GRADED[self.name].get(grade, ZERO)
        spec = self.spec(doc, element.positions)
        if self.name == "spec":
            return spec
        if self.name == "strict2006":
            return Fraction(spec == 1)
        return ZERO if grade is None else self._combined(grade, spec)

    def _combined(self, grade: Grade, spec: Fraction) -> Fraction:
        """Both dimensions in one number."""
        exh, spe = normalised(self.case.scale, grade, spec)
        if self.name == "product":
            return exh * spe
        if self.name == "gen2005":
            return 2 * exh * spe  # exh is e/2
        if self.name == "genlifted":
            return (2 * exh + 1) * spe  # "?" counts as e = 0 and so gives s
        return Fraction(exh == spe == 1)  # strict2005 and strict01

    def result(self, result: Result) -> Fraction:
        """q of a result, were it not a repeat."""
        element = self.case.element(result)
        if element is not None:
            return self.element(result.doc, element)
        if self.name == "spec" and result.path is None:
            return self.spec(result.doc, result.positions)
        return ZERO


def normalised(scale: str, grade: Grade, spec: Fraction) -> tuple[Fraction, Fraction]:
    """Exhaustivity and specificity on [0, 1]: grade/3; in 2005 e/2 ("?" is 0) and the highlighted share."""
    if scale == "2003" and isinstance(grade, tuple):
        return Fraction(int(grade[0]), 3), Fraction(int(grade[1]), 3)
    if scale == "2005" and not isinstance(grade, tuple):
        return (ZERO if grade == "?" else Fraction(str(grade)) / 2), spec
    raise ValueError(f"scale {scale} has no exhaustivity and specificity for {grade!r}")


def quantiser(
    case: Case,
    quant: str | None = None,
    exclude_tags: str | Collection[str] | None = None,
    *,
    scaled: bool = False,
) -> Quantiser:
    """The quantiser a measure asks for; gen by default."""
    return Quantiser(case, resolve(quant, case.scale), excluded_tags(exclude_tags), scaled)
