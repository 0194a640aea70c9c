"""Settings under which runs are scored again: parameters of measures, options of an evaluation, and more.

A setting is written ``quant=strict; overlap=off``, with a label before it where it should have one:
``without links: exclude_tags=links``.  Nothing at all is the setting as it is.

- Any parameter of a measure is written into the measures that have it: quant, overlap, alpha, tie,
  construction, exclude_tags, task, limit ...
- ``topics``, ``order``, ``sizes``, ``on_invalid`` and ``structure`` are those of an evaluation.
- ``assessments`` names other assessments.
- ``grades=1`` keeps one grade of exhaustivity above none (in 2002 of relevance), ``grades=2`` two.
- ``hints=strict`` makes a CO+S run of a CO run: results that are not what the topic's structure asks for
  are left out of the run; what is relevant stays as it is.
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
    """What is changed, by name, and what to call it."""

    label: str
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, str]:
        """The keywords of ``doxel.evaluate``."""
        return {name: value for name, value in self.changes.items() if name in _EVALUATION}

    @property
    def own(self) -> dict[str, str]:
        """What is changed before anything is scored: assessments, grades, hints."""
        return {name: value for name, value in self.changes.items() if name in _OWN}

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of measures."""
        return {name: value for name, value in self.changes.items() if name not in {*_EVALUATION, *_OWN}}

    def applied(self, measures: Sequence[Measure]) -> list[Measure]:
        """Return the measures under the setting, in their order; a change that touches none is refused."""
        known = [one.declaration.parameters for one in measures]
        for name in self.parameters:
            if not any(name in parameters for parameters in known):
                some = sorted({parameter for parameters in known for parameter in parameters})
                raise InputError(
                    f"the setting {self.label!r} changes {name!r}",
                    wanted=f"one of {', '.join([*_EVALUATION, *_OWN])}, or a parameter of a measure: "
                    + ", ".join(some),
                )
        return [
            one(**{name: value for name, value in self.parameters.items() if name in parameters}).check()
            for one, parameters in zip(measures, known, strict=True)
        ]


def setting(written: str | Setting) -> Setting:
    """Return the setting that a text stands for.

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
    for part in (one.strip() for one in rest.split(";")):
        if not part or part == AS_IT_IS:
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value) or name in changes:
            raise InputError(
                "a setting", wanted="changes such as quant=strict; overlap=off", found=repr(part)
            )
        changes[name] = value.strip("\"'")
    shown = "; ".join(f"{name}={value}" for name, value in changes.items())
    return Setting((label or "").strip() or shown or AS_IT_IS, changes)
