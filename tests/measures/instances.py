"""Measures with parameters, derived from the declarations: every kind of value of every parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from doxel.errors import MeasureError
from doxel.measures import Measure
from doxel.measures.measure_parameters import LARGEST, Choice, Flag, Number, Parameter, Text

# the texts that are valid: a declaration does not list them
TEXTS = {"quant": ("strict", "gen", "spec"), "exclude_tags": ("p", "links")}
_AFTER_THE_LAST = 1000
# parameters that a measure requires
NEEDED: dict[str, dict[str, Any]] = {"BEPD": {"A": 1}}


def sample(parameter: Parameter) -> list[Any]:
    """Return a few values: all words, both booleans, numbers at the bounds and between them."""
    kind = parameter.kind
    if isinstance(kind, Choice):
        return list(kind.values)
    if isinstance(kind, Flag):
        return [True, False]
    if isinstance(kind, Text):
        return list(TEXTS.get(parameter.name, ()))
    if kind.part:
        return [1, 0.1]
    low = max(kind.low, 0) + (0.01 if kind.above else 0)
    high = kind.high if kind.high < math.inf else 100
    middle = 3 if kind.whole or high > 1 else 0.3
    return [low, middle, high] + ([None] if kind.none else [])


def at_its_cutoffs(measure: Measure) -> list[Measure]:
    """Return the measure at a few cutoffs, and without a cutoff if it needs none."""
    declared = measure.declaration
    without = [measure] if declared.at is None or declared.at_optional else []
    return without + [measure @ value for value in (sample(declared.at) if declared.at else [])]


def at_the_end(measure: Measure) -> Measure:
    """Return the measure at a rank after the last result of any list of the tests, or at its last cutoff.

    The highest rank is tested without parameters: it needs arrays of that length.
    """
    last = at_its_cutoffs(measure)[-1]
    if measure.declaration.at is None or sample(measure.declaration.at)[-1] <= _AFTER_THE_LAST:
        return last
    return measure @ _AFTER_THE_LAST


def instances(measure: Measure) -> list[Measure]:
    """Return the measure at all cutoffs, and with each value of each parameter at a single cutoff."""
    plain = measure(**NEEDED.get(measure.declaration.name, {}))
    variants = at_its_cutoffs(plain)
    for parameter in measure.declaration.parameters.values():
        variants += [at_the_end(plain(**{parameter.name: value})) for value in sample(parameter)]
    return list(dict.fromkeys(_sensible(variants)))


def _sensible(measures: list[Measure]) -> Iterator[Measure]:
    for variant in measures:
        try:
            yield variant.check()
        except MeasureError:
            continue  # parameters that exclude each other


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Generate any value that a parameter accepts."""
    kind = parameter.kind
    if isinstance(kind, Choice):
        return st.sampled_from(kind.values)
    if isinstance(kind, Flag):
        return st.booleans()
    if isinstance(kind, Text):
        return st.text(st.characters(blacklist_characters='"', blacklist_categories=("Cs",)))
    return _numbers(kind) | st.none() if kind.none else _numbers(kind)


def _numbers(kind: Number) -> st.SearchStrategy[Any]:
    if kind.part:
        return st.integers(1, 1000).map(lambda parts: 1 / parts)
    low, high = (None if math.isinf(bound) else bound for bound in (kind.low, kind.high))
    whole = st.integers(
        None if low is None else math.ceil(low) + kind.above, LARGEST if high is None else int(high)
    )
    if kind.whole:
        return whole
    return st.floats(
        low, LARGEST if high is None else high, exclude_min=kind.above, allow_nan=False, allow_infinity=False
    )


def measures_of(measure: Measure) -> st.SearchStrategy[Measure]:
    """Generate the measure with any parameters and a cutoff."""
    declaration = measure.declaration
    arguments = st.fixed_dictionaries(
        {}, optional={name: values(parameter) for name, parameter in declaration.parameters.items()}
    ).map(lambda parameters: {**NEEDED.get(declaration.name, {}), **parameters})
    at = st.none() if declaration.at is None else values(declaration.at)
    return st.tuples(arguments, at).map(
        lambda both: measure(**both[0]) if both[1] is None else measure(**both[0]) @ both[1]
    )
