r"""EvalJ's property file for the XCG metrics.

::

    TASK: Focused
    METRICS: nxCG
    OVERLAP: on, off

One pair per line, or several on one line, as INEX 2006 printed them: a known key followed by ``:`` or
``=`` starts a pair.  ``\_``, ``\$`` and ``\*`` are ``_``, ``$`` and ``*``; lines that start with ``#`` or
``!`` are comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NoReturn

from doxel.errors import InputError
from doxel.evaluation.evalj.plan import Block, Metric, Plan
from doxel.measures import Measure
from doxel.measures.curves import find_curve
from doxel.measures.measure_table import map_measures
from doxel.quantisation.quantisations import QUANTISATIONS
from doxel.runs.run import find_task, list_task_names
from doxel.wording import did_you_mean

__all__ = ["KEYS", "METRICS", "plan_of_properties"]

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


def plan_of_properties(text: str, file: str) -> Plan:
    """Read a property file."""
    return _Reader(_pairs(text, file), file).plan()


def _pairs(text: str, file: str) -> dict[str, _Pair]:
    plain = _COMMENT.sub("", _ESCAPED.sub(r"\1", text.removeprefix("\ufeff")))
    pairs: dict[str, _Pair] = {}
    keys = list(_KEY.finditer(plain))
    before = plain[: keys[0].start()] if keys else plain
    if before.strip():
        line = plain[: len(before) - len(before.lstrip())].count("\n") + 1
        raise InputError(
            "a property", file=file, line=line, wanted="KEY: value", found=repr(before.strip()[:40])
        )
    for match, end in zip(keys, [*(following.start() for following in keys[1:]), len(plain)], strict=True):
        written = match["first"] or match["inner"]
        place = match.start("first") if match["first"] else match.start("inner")
        line = plain.count("\n", 0, place) + 1
        key = written.upper()
        if key not in KEYS:
            _refuse_key(written, file, line)
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


def _refuse_key(written: str, file: str, line: int) -> NoReturn:
    hint = did_you_mean(written.upper(), KEYS)
    raise InputError(
        "unknown key", file=file, line=line, wanted=f"one of {', '.join(KEYS)}", found=f"{written!r}{hint}"
    )


class _Reader:
    """Interprets the pairs of a property file."""

    def __init__(self, pairs: Mapping[str, _Pair], file: str) -> None:
        self._pairs, self._file = pairs, file

    def plan(self) -> Plan:
        names = self._several("METRICS", list(METRICS), _metric_named)
        if not names:
            raise InputError(
                "METRICS", file=self._file, wanted=f"one or more of {', '.join(METRICS)}", found="none"
            )
        return Plan(
            file=self._file,
            metrics=tuple(Metric(name, tuple(self._blocks(name))) for name in dict.fromkeys(names)),
            assessments=self._path("ASSESSMENTS_DIR"),
            runs=self._path("SUBMISSIONRUNS_DIR"),
            results=self._path("RESULTS_DIR"),
            collection=self._path("INEXDOCCOLL_DIR"),
            expanded=self._path("EXPANDED_FULLRB"),
        )

    def _blocks(self, metric: str) -> list[Block]:
        """Return a block for each combination of overlap and quantisation."""
        name, at_cutoffs = METRICS[metric]
        overlaps = self._several("OVERLAP", ["on", "off"], _lower) or ["on"]
        quants = self._several("QUANT_FUNCTIONS", list(_QUANTISATIONS), _quantisation_named) or ["gen"]
        cutoffs = self._cutoffs(metric) if at_cutoffs else []
        blocks = []
        for overlap, quant in product(overlaps, quants):
            measure = map_measures()[name](**self._common(), overlap=overlap, quant=quant)
            measures: list[Measure] = [measure @ cutoff for cutoff in cutoffs] or [measure]
            label = f"overlap {overlap}, quantisation {quant}"
            blocks.append(Block(label, tuple(measures), find_curve(measures[0])))
        return blocks

    def _common(self) -> dict[str, Any]:
        """Return task and alpha, if they are given."""
        task, alpha = self._one("TASK"), self._one("ALPHA")
        parameters: dict[str, Any] = {}
        if task is not None:
            task_name = find_task(task.value)
            if task_name is None:
                raise self._wrong(task, f"one of {list_task_names()}")
            parameters["task"] = task_name
        if alpha is not None:
            number = _number(alpha.value)
            if number is None or not 0 <= number <= 1:
                raise self._wrong(alpha, "a number from 0 to 1")
            parameters["alpha"] = number
        return parameters

    def _cutoffs(self, metric: str) -> list[int]:
        pair = self._one("DCV")
        if pair is None:
            raise InputError(
                f"{metric} needs cutoffs",
                file=self._file,
                wanted="DCV, such as 5, 10, 25, 50",
                found="no DCV",
            )
        words = _words(pair.value)
        if not words or not all(_RANK.fullmatch(word) for word in words):
            raise self._wrong(pair, "whole numbers from 1, separated by commas")
        return [int(word) for word in dict.fromkeys(words)]

    def _one(self, key: str) -> _Pair | None:
        pair = self._pairs.get(key)
        return pair if pair is not None and pair.value else None

    def _several(self, key: str, valid: Sequence[str], named: Callable[[str], str | None]) -> list[str]:
        """Return the values of a key; raise an error for an unknown one."""
        pair = self._one(key)
        values = []
        for word in _words(pair.value) if pair else []:
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

    def _path(self, key: str) -> str | None:
        pair = self._one(key)
        if pair is None:
            return None
        placeholder = _PLACEHOLDER.search(pair.value)
        if placeholder:
            raise self._wrong(pair, f"a path in which {placeholder[0]} is replaced by a folder")
        return pair.value

    def _wrong(self, pair: _Pair, wanted: str) -> InputError:
        return InputError(pair.key, file=self._file, line=pair.line, wanted=wanted, found=repr(pair.value))


def _words(value: str) -> list[str]:
    return [word for word in re.split(r"[,;\s]+", value) if word]


def _lower(word: str) -> str:
    return word.lower()


def _metric_named(word: str) -> str | None:
    return _named(word, list(METRICS))


def _quantisation_named(word: str) -> str | None:
    return _named(word, _QUANTISATIONS)


def _named(word: str, names: Sequence[str]) -> str | None:
    """Return the known name that equals a word, ignoring case."""
    return next((name for name in names if name.lower() == word.lower()), None)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
