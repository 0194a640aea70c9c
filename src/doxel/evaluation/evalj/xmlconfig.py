"""EvalJ's XML configuration for EPRUM and BEPD.

::

    <metrics>
      <EPRUM id="eprum-bep-1" only="BestInContext">
        <binary value="false"/>
        <generator value="BEPTargetGenerator"/>
        <quantisation value="Exh"/>
        <behaviour value="BEPDistance"><A value="1"/></behaviour>
      </EPRUM>
      <BEPD id="bepd-1" only="BestInContext"><a value="1"/></BEPD>
    </metrics>

It does not name any data.  Lines of three backquotes, copied from a page that shows the file, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from lxml import etree

from doxel.errors import InputError
from doxel.evaluation.evalj.plan import Block, Metric, Plan
from doxel.markup import XmlParser
from doxel.measures import Measure
from doxel.measures.curves import find_curve
from doxel.measures.measure_table import map_measures
from doxel.runs.run import find_task, list_task_names
from doxel.wording import did_you_mean

__all__ = ["plan_of_xml"]

_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def plan_of_xml(text: str, file: str) -> Plan:
    """Read an XML configuration."""
    root = XmlParser().parse(_FENCE.sub("", text).removeprefix("\ufeff").encode(), file)
    reader = _Reader(file)
    if root.tag != "metrics":
        raise reader.wrong(root, "a configuration", ["metrics"], _tag(root))
    metrics = tuple(reader.metric(child) for child in root.iterchildren(etree.Element))
    if not metrics:
        raise reader.wrong(root, "metrics", list(reader.kinds), "none")
    reader.refuse_attributes(root, ())
    names = [metric.name for metric in metrics]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("metrics", file=file, wanted="each id once", found=f"{twice!r} twice")
    return Plan(file=file, metrics=metrics)


def _tag(element: etree._Element) -> str:
    return repr(str(element.tag))


class _Reader:
    """Reads the metrics; every error gives the line and the valid values."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.kinds: dict[str, Callable[[etree._Element], Measure]] = {
            "EPRUM": self._eprum,
            "BEPD": self._bepd,
        }

    def wrong(self, element: etree._Element, label: str, valid: Sequence[str], found: str) -> InputError:
        hint = did_you_mean(found.strip("'"), valid)
        wanted = valid[0] if len(valid) == 1 else f"one of {', '.join(valid)}"
        line: Any = element.sourceline
        return InputError(label, file=self._file, line=line, wanted=wanted, found=found + hint)

    def metric(self, element: etree._Element) -> Metric:
        """Return one metric."""
        kind = str(element.tag)
        if kind not in self.kinds:
            raise self.wrong(element, "a metric", list(self.kinds), _tag(element))
        self.refuse_attributes(element, ("id", "only"))
        name = (element.get("id") or "").strip()
        if not name:
            raise self.wrong(element, f"{kind}", ["an attribute id, the name of its results"], "none")
        measure = self.kinds[kind](element)
        drawn = find_curve(measure) if kind == "EPRUM" else None
        return Metric(name, (Block(name, (measure,), drawn),), self._only(element))

    def refuse_attributes(self, element: etree._Element, valid: Sequence[str]) -> None:
        for name in element.attrib:
            if name not in valid:
                wanted = [f"only the attributes {', '.join(valid)}" if valid else "no attributes"]
                raise self.wrong(element, f"{element.tag}", wanted, repr(str(name)))

    def _only(self, element: etree._Element) -> str | None:
        written = element.get("only")
        if written is None:
            return None
        task = find_task(written)
        if task is None:
            raise self.wrong(element, "only", [list_task_names()], repr(written))
        return task

    def _eprum(self, element: etree._Element) -> Measure:
        children = self._children(element, ("binary", "generator", "quantisation", "behaviour"))
        self._word(children, "generator", ("BEPTargetGenerator",))
        self._word(children, "quantisation", ("Exh",))
        self._word(children, "behaviour", ("BEPDistance",))
        if "behaviour" not in children:
            raise self.wrong(
                element, "EPRUM", ['<behaviour value="BEPDistance"> with <A value="..."/>'], "none"
            )
        binary = self._word(children, "binary", ("true", "false"))
        distance = self._children(children["behaviour"], ("A",))
        options: dict[str, Any] = {} if binary is None else {"binary": binary == "true"}
        return map_measures()["EPRUM"](
            model="bep_distance", A=self._distance(children["behaviour"], distance, "A"), **options
        )

    def _bepd(self, element: etree._Element) -> Measure:
        return map_measures()["BEPD"](A=self._distance(element, self._children(element, ("a",)), "a"))

    def _children(self, element: etree._Element, valid: Sequence[str]) -> dict[str, etree._Element]:
        children: dict[str, etree._Element] = {}
        for child in element.iterchildren(etree.Element):
            name = str(child.tag)
            if name not in valid:
                raise self.wrong(child, f"inside {element.tag}", list(valid), _tag(child))
            if name in children:
                raise self.wrong(child, f"inside {element.tag}", [f"{name} once"], "it again")
            self.refuse_attributes(child, ("value",))
            children[name] = child
        return children

    def _word(self, children: dict[str, etree._Element], name: str, valid: Sequence[str]) -> str | None:
        """Return the value of a child after checking it; None if there is no such child."""
        if name not in children:
            return None
        value = (children[name].get("value") or "").strip()
        if value not in valid:
            raise self.wrong(children[name], name, list(valid), repr(value))
        return value

    def _distance(self, owner: etree._Element, children: dict[str, etree._Element], name: str) -> float:
        if name not in children:
            raise self.wrong(owner, f"{owner.tag}", [f'<{name} value="..."/>'], "none")
        value = children[name].get("value") or ""
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise self.wrong(children[name], name, ["a number above 0"], repr(value))
        return number
