r"""The configurations of EvalJ in doxel's terms: metrics, their settings, and the names of the data.

EvalJ had two kinds of configuration.  The XCG metrics have a property file::

    TASK: Focused
    METRICS: nxCG
    OVERLAP: on, off

TASK restricts the metrics to the runs of that task, as ``only`` does in the XML configuration; runs that
declare no task are scored, too.  There is one pair per line, or several on one line, as INEX 2006 printed
them: a known key followed by ``:`` or ``=`` starts a pair.  ``\_``, ``\$`` and ``\*``
are ``_``, ``$`` and ``*``; lines that start with ``#`` or ``!`` are comments.

EPRUM and BEPD have an XML file::

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

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NoReturn

from lxml import etree

from doxel.errors import InputError, MeasureError
from doxel.evaluation.inputs.measure_sets import adapt_to_scale
from doxel.files import read_text
from doxel.markup import XmlParser
from doxel.measures.curves import Curve, find_curve
from doxel.measures.declaration import Measure
from doxel.measures.measure_parameters import LARGEST
from doxel.measures.measure_table import map_measures
from doxel.quantisation.quantisations import QUANTISATIONS
from doxel.runs.run import find_task, list_task_names
from doxel.wording import did_you_mean, quote_value

__all__ = [
    "KEYS",
    "METRICS",
    "Metric",
    "MetricBlock",
    "Plan",
    "parse_properties",
    "parse_xml_configuration",
    "read_plan",
]


@dataclass(frozen=True)
class MetricBlock:
    """One setting of a metric, such as overlap on: its measures, and the curve of its graph."""

    label: str
    measures: tuple[Measure, ...]
    curve: Curve | None = None


@dataclass(frozen=True)
class Metric:
    """A metric under its name in the configuration; ``only`` restricts it to runs of one task."""

    name: str
    blocks: tuple[MetricBlock, ...]
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
        return replace(
            self, metrics=tuple(_adapt_metric(metric, scale, self.file) for metric in self.metrics)
        )

    def curves(self) -> Iterator[Curve]:
        """Yield the curves of all graphs."""
        for metric in self.metrics:
            for block in metric.blocks:
                if block.curve is not None:
                    yield block.curve


def _adapt_metric(metric: Metric, scale: str, file: str) -> Metric:
    blocks = []
    for block in metric.blocks:
        try:
            measures = tuple(adapt_to_scale(measure, scale) for measure in block.measures)
        except MeasureError as error:
            raise InputError(f"QUANT_FUNCTIONS: {error}", file=file) from None
        curve = find_curve(measures[0]) if block.curve is not None else None
        blocks.append(replace(block, measures=measures, curve=curve))
    return replace(metric, blocks=tuple(blocks))


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a configuration of either kind; XML starts with ``<``."""
    name = os.fspath(path)
    text = read_text(path)
    if not text.strip():
        raise InputError("an EvalJ configuration", file=name, wanted="properties or XML", found="no content")
    return (parse_xml_configuration if text.lstrip("\ufeff \t\r\n`").startswith("<") else parse_properties)(
        text, name
    )


KEYS = (
    "TASK",
    "METRICS",
    "OVERLAP",
    "QUANT_FUNCTIONS",
    "ALPHA",
    "DCV",
    "ASSESSMENTS_DIR",
    "SUBMISSIONRUNS_DIR",
    "RESULTS_DIR",
    "INEXDOCCOLL_DIR",
    "EXPANDED_FULLRB",
)
METRICS = {  # EvalJ's name -> the measure to report, and whether to report it at the cutoffs of DCV
    "nxCG": ("nxCG", True),
    "MAnxCG": ("MAnxCG", True),
    "ep/gr": ("MAep", False),
    "MAep": ("MAep", False),
    "iMAep": ("iMAep", False),
}
_QUANTISATIONS = (*QUANTISATIONS, "gen", "strict", "gen5", "strict5")

# candidates for keys: words in capitals anywhere, any word at the start of a line
_KEY = re.compile(
    r"(?:^[ \t]*(?P<first>[A-Za-z_]+)|(?<=\s)(?P<inner>[A-Z][A-Z_]{2,}))[ \t]*[:=]", re.MULTILINE
)
_COMMENT = re.compile(r"^[ \t]*[#!].*$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([_$*])")
_PLACEHOLDER = re.compile(r"\$\{?\w+\}?")
_RANK = re.compile(r"0*[1-9][0-9]{0,5}")  # at most six digits: no run is longer


@dataclass(frozen=True)
class _Pair:
    key: str
    value: str
    line: int


def parse_properties(text: str, file: str) -> Plan:
    """Read a property file."""
    return _PropertiesReader(_parse_pairs(text, file), file).plan()


def _parse_pairs(text: str, file: str) -> dict[str, _Pair]:
    plain = _COMMENT.sub("", _ESCAPED.sub(r"\1", text.removeprefix("\ufeff")))
    pairs: dict[str, _Pair] = {}
    keys = list(_KEY.finditer(plain))
    preamble = plain[: keys[0].start()] if keys else plain
    if preamble.strip():
        line = plain[: len(preamble) - len(preamble.lstrip())].count("\n") + 1
        raise InputError(
            "a property", file=file, line=line, wanted="KEY: value", found=repr(preamble.strip()[:40])
        )
    for match, end in zip(keys, [*(following.start() for following in keys[1:]), len(plain)], strict=True):
        word = match["first"] or match["inner"]
        place = match.start("first") if match["first"] else match.start("inner")
        line = plain.count("\n", 0, place) + 1
        key = word.upper()
        if key not in KEYS:
            _refuse_key(word, file, line)
        if key in pairs:
            raise InputError(
                key,
                file=file,
                line=line,
                wanted="the key once",
                found=f"it again (first in line {pairs[key].line})",
            )
        pairs[key] = _Pair(key, " ".join(plain[match.end() : end].split()), line)
    return pairs


def _refuse_key(word: str, file: str, line: int) -> NoReturn:
    hint = did_you_mean(word.upper(), KEYS)
    raise InputError(
        "unknown key", file=file, line=line, wanted=f"one of {', '.join(KEYS)}", found=f"{word!r}{hint}"
    )


class _PropertiesReader:
    """Interprets the pairs of a property file."""

    def __init__(self, pairs: Mapping[str, _Pair], file: str) -> None:
        self._pairs, self._file = pairs, file

    def plan(self) -> Plan:
        names = self._read_several("METRICS", list(METRICS), _find_metric)
        if not names:
            raise InputError(
                "METRICS", file=self._file, wanted=f"one or more of {', '.join(METRICS)}", found="none"
            )
        return Plan(
            file=self._file,
            metrics=tuple(
                Metric(name, tuple(self._list_blocks(name)), self._read_common().get("task"))
                for name in dict.fromkeys(names)
            ),
            assessments=self._read_path("ASSESSMENTS_DIR"),
            runs=self._read_path("SUBMISSIONRUNS_DIR"),
            results=self._read_path("RESULTS_DIR"),
            collection=self._read_path("INEXDOCCOLL_DIR"),
            expanded=self._read_path("EXPANDED_FULLRB"),
        )

    def _list_blocks(self, metric: str) -> list[MetricBlock]:
        """Return a block for each combination of overlap and quantisation."""
        name, at_cutoffs = METRICS[metric]
        overlaps = self._read_several("OVERLAP", ["on", "off"], _lower) or ["on"]
        quants = self._read_several("QUANT_FUNCTIONS", list(_QUANTISATIONS), _find_quantisation) or ["gen"]
        cutoffs = self._read_cutoffs(metric) if at_cutoffs else []
        blocks = []
        for overlap, quant in product(overlaps, quants):
            measure = map_measures()[name](**self._read_common(), overlap=overlap, quant=quant)
            measures: list[Measure] = [measure @ cutoff for cutoff in cutoffs] or [measure]
            label = f"overlap {overlap}, quantisation {quant}"
            blocks.append(MetricBlock(label, tuple(measures), find_curve(measures[0])))
        return blocks

    def _read_common(self) -> dict[str, Any]:
        """Return task and alpha, if they are given."""
        task, alpha = self._read_one("TASK"), self._read_one("ALPHA")
        parameters: dict[str, Any] = {}
        if task is not None:
            task_name = find_task(task.value)
            if task_name is None:
                raise self._build_error(task, f"one of {list_task_names()}")
            parameters["task"] = task_name
        if alpha is not None:
            number = _parse_number(alpha.value)
            if number is None or not 0 <= number <= 1:
                raise self._build_error(alpha, "a number from 0 to 1")
            parameters["alpha"] = number
        return parameters

    def _read_cutoffs(self, metric: str) -> list[int]:
        pair = self._read_one("DCV")
        if pair is None:
            raise InputError(
                f"{metric} needs cutoffs",
                file=self._file,
                wanted="DCV, such as 5, 10, 25, 50",
                found="no DCV",
            )
        words = _split_words(pair.value)
        if not words or not all(_RANK.fullmatch(word) for word in words):
            raise self._build_error(pair, "whole numbers from 1, separated by commas")
        return [int(word) for word in dict.fromkeys(words)]

    def _read_one(self, key: str) -> _Pair | None:
        pair = self._pairs.get(key)
        return pair if pair is not None and pair.value else None

    def _read_several(self, key: str, valid: Sequence[str], named: Callable[[str], str | None]) -> list[str]:
        """Return the values of a key; raise an error for an unknown one."""
        pair = self._read_one(key)
        values = []
        for word in _split_words(pair.value) if pair else []:
            value = named(word)
            if pair is not None and (value is None or value not in valid):
                hint = did_you_mean(word, valid)
                raise InputError(
                    f"{key}: unknown value",
                    file=self._file,
                    line=pair.line,
                    wanted=f"one or more of {', '.join(valid)}",
                    found=f"{word!r}{hint}",
                )
            values.append(str(value))
        return list(dict.fromkeys(values))

    def _read_path(self, key: str) -> str | None:
        pair = self._read_one(key)
        if pair is None:
            return None
        placeholder = _PLACEHOLDER.search(pair.value)
        if placeholder:
            raise self._build_error(pair, f"a path in which {placeholder[0]} is replaced by a folder")
        return pair.value

    def _build_error(self, pair: _Pair, wanted: str) -> InputError:
        return InputError(pair.key, file=self._file, line=pair.line, wanted=wanted, found=repr(pair.value))


def _split_words(value: str) -> list[str]:
    return [word for word in re.split(r"[,;\s]+", value) if word]


def _lower(word: str) -> str:
    return word.lower()


def _find_metric(word: str) -> str | None:
    return _find_name(word, list(METRICS))


def _find_quantisation(word: str) -> str | None:
    return _find_name(word, _QUANTISATIONS)


def _find_name(word: str, names: Sequence[str]) -> str | None:
    """Return the known name that equals a word, ignoring case."""
    return next((name for name in names if name.lower() == word.lower()), None)


def _parse_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)


def parse_xml_configuration(text: str, file: str) -> Plan:
    """Read an XML configuration."""
    root = XmlParser().parse(_FENCE.sub("", text).removeprefix("\ufeff").encode(), file)
    reader = _XmlReader(file)
    if root.tag != "metrics":
        raise reader.build_error(root, "a configuration", ["metrics"], _quote_tag(root))
    metrics = tuple(reader.read_metric(child) for child in root.iterchildren(etree.Element))
    if not metrics:
        raise reader.build_error(root, "metrics", list(reader.kinds), "none")
    reader.refuse_attributes(root, ())
    names = [metric.name for metric in metrics]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("metrics", file=file, wanted="each id once", found=f"{twice!r} twice")
    return Plan(file=file, metrics=metrics)


def _quote_tag(element: etree._Element) -> str:
    return repr(str(element.tag))


class _XmlReader:
    """Reads the metrics; every error gives the line and the valid values."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.kinds: dict[str, Callable[[etree._Element], Measure]] = {
            "EPRUM": self._read_eprum,
            "BEPD": self._read_bepd,
        }

    def build_error(
        self, element: etree._Element, label: str, valid: Sequence[str], found: str
    ) -> InputError:
        hint = did_you_mean(found.strip("'"), valid)
        wanted = valid[0] if len(valid) == 1 else f"one of {', '.join(valid)}"
        line: Any = element.sourceline
        return InputError(label, file=self._file, line=line, wanted=wanted, found=found + hint)

    def read_metric(self, element: etree._Element) -> Metric:
        """Return one metric."""
        kind = str(element.tag)
        if kind not in self.kinds:
            raise self.build_error(element, "a metric", list(self.kinds), _quote_tag(element))
        self.refuse_attributes(element, ("id", "only"))
        name = (element.get("id") or "").strip()
        if not name:
            raise self.build_error(element, f"{kind}", ["an attribute id, the name of its results"], "none")
        measure = self.kinds[kind](element)
        curve = find_curve(measure) if kind == "EPRUM" else None
        return Metric(name, (MetricBlock(name, (measure,), curve),), self._read_only(element))

    def refuse_attributes(self, element: etree._Element, valid: Sequence[str]) -> None:
        for name in element.attrib:
            if name not in valid:
                wanted = [f"only the attributes {', '.join(valid)}" if valid else "no attributes"]
                raise self.build_error(element, f"{element.tag}", wanted, repr(str(name)))

    def _read_only(self, element: etree._Element) -> str | None:
        text = element.get("only")
        if text is None:
            return None
        task = find_task(text)
        if task is None:
            raise self.build_error(element, "only", [list_task_names()], repr(text))
        return task

    def _read_eprum(self, element: etree._Element) -> Measure:
        children = self._read_children(element, ("binary", "generator", "quantisation", "behaviour"))
        self._read_word(children, "generator", ("BEPTargetGenerator",))
        self._read_word(children, "quantisation", ("Exh",))
        self._read_word(children, "behaviour", ("BEPDistance",))
        if "behaviour" not in children:
            raise self.build_error(
                element, "EPRUM", ['<behaviour value="BEPDistance"> with <A value="..."/>'], "none"
            )
        binary = self._read_word(children, "binary", ("true", "false"))
        distance = self._read_children(children["behaviour"], ("A",))
        options: dict[str, Any] = {} if binary is None else {"binary": binary == "true"}
        return map_measures()["EPRUM"](
            model="bep_distance", A=self._read_distance(children["behaviour"], distance, "A"), **options
        )

    def _read_bepd(self, element: etree._Element) -> Measure:
        return map_measures()["BEPD"](
            A=self._read_distance(element, self._read_children(element, ("a",)), "a")
        )

    def _read_children(self, element: etree._Element, valid: Sequence[str]) -> dict[str, etree._Element]:
        children: dict[str, etree._Element] = {}
        for child in element.iterchildren(etree.Element):
            name = str(child.tag)
            if name not in valid:
                raise self.build_error(child, f"inside {element.tag}", list(valid), _quote_tag(child))
            if name in children:
                raise self.build_error(child, f"inside {element.tag}", [f"{name} once"], "it again")
            self.refuse_attributes(child, ("value",))
            children[name] = child
        return children

    def _read_word(self, children: dict[str, etree._Element], name: str, valid: Sequence[str]) -> str | None:
        """Return the value of a child after checking it; None if there is no such child."""
        if name not in children:
            return None
        value = (children[name].get("value") or "").strip()
        if value not in valid:
            raise self.build_error(children[name], name, list(valid), repr(value))
        return value

    def _read_distance(self, owner: etree._Element, children: dict[str, etree._Element], name: str) -> float:
        if name not in children:
            raise self.build_error(owner, f"{owner.tag}", [f'<{name} value="..."/>'], "none")
        value = children[name].get("value") or ""
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0 < number <= LARGEST:
            wanted = f"a number above 0, at most {LARGEST:,}"
            raise self.build_error(children[name], name, [wanted], quote_value(value))
        return number
