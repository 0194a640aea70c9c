"""Settings under which runs are scored again: parameters of measures, options of an evaluation, and more.

A setting is written ``quant=strict; overlap=off``, optionally with a label:
``without links: exclude_tags=links``.  An empty setting changes nothing.

- Any parameter of a measure is applied to the measures that have it: quant, overlap, alpha, tie,
  construction, exclude_tags, task, limit ...
- ``topics``, ``order``, ``sizes``, ``on_invalid`` and ``structure`` are options of the evaluation.
- ``assessments`` names other assessments.
- ``grades=1`` keeps one grade of exhaustivity above zero (in 2002 of relevance), ``grades=2`` two.
- ``hints=strict`` turns a CO run into a CO+S run: results that do not match the topic's structure are
  removed from the run; relevance does not change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from doxel.errors import InputError
from doxel.measures import Measure

__all__ = ["AS_IT_IS", "Setting", "setting"]

_EVALUATION = ("topics", "order", "sizes", "on_invalid", "structure")
_OWN = ("assessments", "grades", "hints")
AS_IT_IS = "as it is"


@dataclass(frozen=True)
class Setting:
    """Changes by name, and a label."""

    label: str
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, str]:
        """The changes that are keywords of ``doxel.evaluate``."""
        return {name: value for name, value in self.changes.items() if name in _EVALUATION}

    @property
    def own(self) -> dict[str, str]:
        """The changes to the data, made before scoring: assessments, grades, hints."""
        return {name: value for name, value in self.changes.items() if name in _OWN}

    @property
    def parameters(self) -> dict[str, str]:
        """The changes to parameters of measures."""
        return {name: value for name, value in self.changes.items() if name not in {*_EVALUATION, *_OWN}}

    def applied(self, measures: Sequence[Measure]) -> list[Measure]:
        """Return the measures under the setting, in order; raise an error for a change without effect."""
        declared = [measure.declaration.parameters for measure in measures]
        for name in self.parameters:
            if not any(name in parameters for parameters in declared):
                available = sorted({parameter for parameters in declared for parameter in parameters})
                raise InputError(
                    f"the setting {self.label!r} changes {name!r}",
                    wanted=f"one of {', '.join([*_EVALUATION, *_OWN])}, or a parameter of a measure: "
                    + ", ".join(available),
                )
        return [
            measure(**{name: value for name, value in self.parameters.items() if name in parameters}).check()
            for measure, parameters in zip(measures, declared, strict=True)
        ]


def setting(written: str | Setting) -> Setting:
    """Parse a setting.

    >>> setting("quant=strict; overlap=off").changes
    {'quant': 'strict', 'overlap': 'off'}
    >>> setting("no links: exclude_tags=links").label, setting("").label
    ('no links', 'as it is')
    >>> setting("quant")
    Traceback (most recent call last):
    doxel.errors.InputError: a setting: wanted changes such as quant=strict; overlap=off, found 'quant'
    """
    if isinstance(written, Setting):
        return written
    match = re.fullmatch(r"\s*(?:([^=;:]+):)?(.*)", written, re.DOTALL)
    label, rest = (match[1], match[2]) if match is not None else (None, written)
    changes: dict[str, str] = {}
    for part in (piece.strip() for piece in rest.split(";")):
        if not part or part == AS_IT_IS:
            continue
        name, equals, value = (side.strip() for side in part.partition("="))
        if not (name and equals and value) or name in changes:
            raise InputError(
                "a setting", wanted="changes such as quant=strict; overlap=off", found=repr(part)
            )
        changes[name] = value.strip("\"'")
    canonical = "; ".join(f"{name}={value}" for name, value in changes.items())
    return Setting((label or "").strip() or canonical or AS_IT_IS, changes)
