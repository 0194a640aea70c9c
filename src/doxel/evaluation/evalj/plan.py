"""An EvalJ configuration in doxel's terms: metrics, their settings, and the names of the data.

EvalJ had two kinds of configuration: a property file for the XCG metrics, and XML for EPRUM and BEPD.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from doxel.errors import InputError, MeasureError
from doxel.evaluation.sets import on_scale
from doxel.files import read_text
from doxel.measures.curves import Curve, find_curve
from doxel.measures.declaration import Measure

__all__ = ["Block", "Metric", "Plan", "read_plan"]


@dataclass(frozen=True)
class Block:
    """One setting of a metric, such as overlap on: its measures, and the curve of its graph."""

    label: str
    measures: tuple[Measure, ...]
    curve: Curve | None = None


@dataclass(frozen=True)
class Metric:
    """A metric under its name in the configuration; ``only`` restricts it to runs of one task."""

    name: str
    blocks: tuple[Block, ...]
    only: str | None = None

    @property
    def file_name(self) -> str:
        """The name to use in file names: ``ep/gr`` becomes ``epgr``."""
        letters = (
            letter if letter.isalnum() or letter in "._-" else "-" for letter in self.name.replace("/", "")
        )
        return "".join(letters).lstrip(".") or "metric"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of all blocks."""
        return tuple(measure for block in self.blocks for measure in block.measures)


@dataclass(frozen=True)
class Plan:
    """The metrics to compute and the data to use; None for data that the configuration does not name."""

    file: str
    metrics: tuple[Metric, ...]
    assessments: str | None = None
    runs: str | None = None
    results: str | None = None
    collection: str | None = None
    expanded: str | None = None

    def on_scale(self, scale: str) -> Plan:
        """Return the plan with its quantisations named in full for the scale of the assessments."""
        return replace(self, metrics=tuple(_on_scale(metric, scale, self.file) for metric in self.metrics))

    def curves(self) -> Iterator[Curve]:
        """Yield the curves of all graphs."""
        for metric in self.metrics:
            for block in metric.blocks:
                if block.curve is not None:
                    yield block.curve


def _on_scale(metric: Metric, scale: str, file: str) -> Metric:
    blocks = []
    for block in metric.blocks:
        try:
            measures = tuple(on_scale(measure, scale) for measure in block.measures)
        except MeasureError as error:
            raise InputError(f"QUANT_FUNCTIONS: {error}", file=file) from None
        drawn = find_curve(measures[0]) if block.curve is not None else None
        blocks.append(replace(block, measures=measures, curve=drawn))
    return replace(metric, blocks=tuple(blocks))


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a configuration of either kind; XML starts with ``<``."""
    from doxel.evaluation.evalj.properties import plan_of_properties
    from doxel.evaluation.evalj.xmlconfig import plan_of_xml

    name = os.fspath(path)
    text = read_text(path)
    if not text.strip():
        raise InputError("an EvalJ configuration", file=name, wanted="properties or XML", found="no content")
    return (plan_of_xml if text.lstrip("\ufeff \t\r\n`").startswith("<") else plan_of_properties)(text, name)
