"""The table of all measures, in the order in which they are listed, and the parser of their names.

A name and a measure convert into each other:

::

    list     := measure (',' measure)*
    measure  := name ['(' [NAME '=' value (',' NAME '=' value)*] ')'] ['@' number (',' number)*]
    name     := NAME | FILE.py:NAME | "FILE.py:NAME"
    value    := number | "text" | word

After ``@`` a comma before a number adds a cutoff; any other comma starts the next measure.

Beside doxel's measures, the table contains those that users have declared, and finds those of files, of
installed packages and of ir_measures when their name is used.  doxel's own names come first.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from doxel.errors import MeasureError
from doxel.measures.chunks import (
    aspects,
    characters,
    chroma,
    chunk_references,
    classic,
    gold_spans,
    judged_text,
    reading_cost,
    tokens,
)
from doxel.measures.declaration import Measure
from doxel.measures.inex import (
    effort_precision,
    entry_points,
    generalised_precision,
    hixeval,
    inex_eval_ng,
    interpolated_precision,
    precall,
    prum,
    result_overlap,
    structural_relevance,
    tolerance_to_irrelevance,
    xcg,
)
from doxel.wording import quote_value

__all__ = [
    "MEASURES",
    "explain_unknown_name",
    "find_best_score",
    "find_measure",
    "join_measure_names",
    "lower_is_better",
    "map_measures",
    "map_measures_for",
    "parse_measure",
    "parse_measure_list",
    "register_measure",
]

MEASURES: tuple[Measure, ...] = (
    *precall.MEASURES,
    *inex_eval_ng.MEASURES,
    *xcg.MEASURES,
    *effort_precision.MEASURES,
    *interpolated_precision.MEASURES,
    *hixeval.MEASURES,
    *generalised_precision.MEASURES,
    *characters.MEASURES,
    *tokens.MEASURES,
    *gold_spans.MEASURES,
    *reading_cost.MEASURES,
    *judged_text.MEASURES,
    *aspects.MEASURES,
    *chunk_references.MEASURES,
    *chroma.MEASURES,
    *prum.MEASURES,
    *entry_points.MEASURES,
    *tolerance_to_irrelevance.MEASURES,
    *structural_relevance.MEASURES,
    *result_overlap.MEASURES,
    *classic.MEASURES,
)


_registered: dict[str, Measure] = {}  # the measures that users have declared, by name


@cache
def map_measures() -> dict[str, Measure]:
    """Return the measures by name and alias, those that users have declared last."""
    doxel_measures = {
        name: measure
        for measure in MEASURES
        for name in (measure.declaration.name, *measure.declaration.aliases)
    }
    return {**doxel_measures, **_registered}


def register_measure(measure: Measure) -> None:
    """Add a measure that is not doxel's to the table; one of the same name is replaced.

    Raises
    ------
    MeasureError
        If the name cannot be written, or is that of a measure of doxel.
    """
    name = measure.declaration.name
    if not _NAME.fullmatch(name):
        raise MeasureError(f"a measure: wanted a name of letters, digits and _, found {quote_value(name)}")
    if name in map_measures_for(None) and name not in _registered:
        raise MeasureError(
            f"{name} is already the name of a measure of doxel: wanted another name, such as own_{name}, "
            f'from @doxel.measure(name="own_{name}") or from your function'
        )
    _registered[name] = Measure(measure.declaration)
    map_measures.cache_clear()
    map_measures_for.cache_clear()


def find_measure(
    name: str, known_measures: Mapping[str, Measure] | None = None, *, run_files: bool = False
) -> Measure | None:
    """Return a measure by its name, or None.

    A name that is not in ``known_measures`` may be that of a measure in an installed package or in
    ir_measures, and with ``run_files`` in a file, FILE.py:NAME, whose code is executed.
    """
    table = map_measures() if known_measures is None else known_measures
    if name in table:
        return table[name]
    from doxel.measures.chunks.classic_library import find_classic
    from doxel.measures.own_measures import load_measure, load_packaged_measure

    if ":" not in name:
        return find_classic(name) or load_packaged_measure(name)
    if not run_files:
        raise MeasureError(
            f"{quote_value(name, 100)}: a measure in a file is accepted only from -m or measures=, because "
            "its code is executed; not from a stored file"
        )
    return load_measure(name)


_OF_DOCUMENTS = {"map": "AP", "mAP": "AP", "mrr": "RR", "ndcg": "nDCG", "recall": "R", "precision": "P"}
_OF_SPANS = {"hit_rate": "hit", "HitRate": "hit", "hitrate": "hit"}


@cache
def map_measures_for(scale: str | None) -> dict[str, Measure]:
    """Return the measures by name, alias and the names of other tools that fit the assessments' scale.

    On grades of documents ``map`` is AP and ``mrr`` is RR; on other scales ``hit_rate`` is hit.  Without a
    scale, all of these names are known.

    >>> map_measures_for("documents")["MRR"], "mrr" in map_measures_for("2006")
    (RR, False)
    """
    measures = map_measures()
    others = {} if scale not in {None, "documents"} else _OF_DOCUMENTS
    others = others if scale == "documents" else {**others, **_OF_SPANS}
    spelt = {
        spelling: measures[target]
        for name, target in others.items()
        for spelling in (name, name.upper(), name.capitalize())
    }
    return {**spelt, **measures}


def lower_is_better(name: str) -> bool:
    """Return whether lower scores of the measure with this name are better.

    Figures of other tools have names that are not measures; for these, higher is better.
    """
    if re.split(r"[(@]", name)[0].strip() not in map_measures():
        return False
    try:
        return parse_measure(name)[0].declaration.lower_is_better
    except MeasureError:
        return False


def find_best_score(name: str, scores: Iterable[float]) -> float | None:
    """Return the best of the scores of the measure with this name.

    >>> find_best_score("MAiP", [0.2, 0.3]), find_best_score("read(recall=0.5)", [200.0, 300.0])
    (0.3, 200.0)
    """
    choose = min if lower_is_better(name) else max
    return choose((score for score in scores if not math.isnan(score)), default=None)


def parse_measure(text: str) -> list[Measure]:
    """Return the measures that a string names; no code in files is run, because names may be stored ones.

    >>> parse_measure("iP@0.01,0.1, MAiP(task=thorough)")
    [iP@0.01, iP@0.1, MAiP(task="thorough")]
    """
    return parse_measure_list(text, map_measures())


_NAME = re.compile(r"[^\W\d][\w.\-]*")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<address>[^\s,"'()@=][^,"'()@=]*\.py:[^\W\d]\w*)
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<name>[^\W\d][\w.\-]*)
      | (?P<text>"[^"]*"|'[^']*')
      | (?P<mark>[(),=@])
    )""",
    re.VERBOSE,
)


def _apply_arguments(measure: Measure, arguments: Mapping[str, Any]) -> Measure:
    """Return a measure with parameters; those that only ir_measures has select its measure."""
    if not arguments.keys() <= measure.declaration.parameters.keys():
        from doxel.measures.chunks.classic_library import select_classic

        measure, arguments = select_classic(measure, arguments)
    return measure(**arguments)


_MANY_CUTOFFS = 10  # more cutoffs of a measure are abbreviated


def parse_measure_list(
    text: str, known_measures: Mapping[str, Measure], *, run_files: bool = False
) -> list[Measure]:
    """Return the measures named in a string; ``known_measures`` maps names and aliases to measures.

    ``run_files``: a name may be FILE.py:NAME, whose code is executed.
    """
    return _NameParser(text, known_measures, run_files=run_files).measures()


class _NameParser:
    def __init__(self, text: str, known_measures: Mapping[str, Measure], *, run_files: bool) -> None:
        self._text, self._known, self._run_files = text, known_measures, run_files
        self._tokens = list(self._split())
        self._next = 0

    def _split(self) -> list[tuple[str, str, int]]:
        tokens: list[tuple[str, str, int]] = []
        place = 0
        end = len(self._text.rstrip())
        while place < end:
            match = _TOKEN.match(self._text, place)
            if match is None or match.lastgroup is None:
                raise self._error("a measure such as nxCG(alpha=1)@10", place)
            tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            place = match.end()
        return tokens

    def _error(self, wanted: str, place: int | None = None) -> MeasureError:
        at = place if place is not None else self._place()
        rest = repr(self._text[at : at + 20]) if at < len(self._text) else "the end"
        return MeasureError(
            f"{quote_value(self._text, 100)}, character {at + 1}: wanted {wanted}, found {rest}"
        )

    def _place(self) -> int:
        return self._tokens[self._next][2] if self._next < len(self._tokens) else len(self._text)

    def _kind(self, ahead: int = 0) -> str | None:
        at = self._next + ahead
        return self._tokens[at][0] if at < len(self._tokens) else None

    def _is_next(self, mark: str) -> bool:
        return self._kind() == "mark" and self._tokens[self._next][1] == mark

    def _take(self, kind: str) -> str | None:
        if self._kind() != kind:
            return None
        self._next += 1
        return self._tokens[self._next - 1][1]

    def _skip(self, mark: str) -> bool:
        if self._is_next(mark):
            self._next += 1
            return True
        return False

    def measures(self) -> list[Measure]:
        measures: list[Measure] = []
        while True:
            measures.extend(self._measure())
            if self._next == len(self._tokens):
                return measures
            if not self._skip(","):
                raise self._error("',' or the end")

    def _measure(self) -> list[Measure]:
        place = self._place()
        quoted = self._take("text")
        name = self._take("name") or self._take("address") or (quoted and quoted[1:-1])
        if not name and not self._text.strip():
            raise MeasureError("no measure: wanted a name such as char_rec@5, found nothing")
        if not name:
            raise self._error("the name of a measure")
        measure = find_measure(name, self._known, run_files=self._run_files)
        if measure is None:
            raise MeasureError(_explain_unknown_name(name, self._known, self._text, place))
        measure = _apply_arguments(measure, self._arguments())
        if not self._skip("@"):
            return [measure.check()]
        return [(measure @ cutoff).check() for cutoff in self._cutoffs()]

    def _arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        if not self._skip("("):
            return arguments
        while not self._skip(")"):
            name = self._take("name")
            if name is None or not self._skip("="):
                raise self._error("a parameter such as alpha=1")
            if name in arguments:
                raise self._error(f"{name} only once")
            arguments[name] = self._value()
            if not self._skip(",") and not self._is_next(")"):
                raise self._error("',' or ')'")
        return arguments

    def _value(self) -> Any:
        if (number := self._take("number")) is not None:
            return float(number)
        if (text := self._take("text")) is not None:
            return text[1:-1]
        if (word := self._take("name")) is not None:
            return {"True": True, "False": False, "None": None}.get(word, word)
        raise self._error("a value")

    def _cutoffs(self) -> list[float]:
        first = self._take("number")
        if first is None:
            raise self._error("a number after @")
        cutoffs = [float(first)]
        while self._is_next(",") and self._kind(ahead=1) == "number":
            self._next += 1
            cutoffs.append(float(self._take("number") or 0))
        return cutoffs


# names of other tools, in lower case: the names that fit here, and the difference
_OTHER_TOOLS = {
    "map": "; did you mean MAiP or char_rec@5, which score the text returned, or AP, for the documents that "
    "contain it? map ranks whole documents, and these assessments mark text",
    "mrr": "; did you mean span_RR, for the first gold span that is covered, or RR, for the first relevant "
    "document? mrr ranks whole documents, and these assessments mark text",
    "ndcg": "; did you mean nxCG@10, for the gain of the text returned, or nDCG@10, for documents? ndcg "
    "ranks whole documents, and these assessments mark text",
    "recall": "; did you mean char_rec@5, the share of the relevant text, span_rec@5, the share of gold "
    "spans, or R@5, for documents? recall counts whole documents, and these assessments mark text",
    "precision": "; did you mean char_prec@5, the share of the returned text that is relevant, or P@5, for "
    "documents? precision counts whole documents, and these assessments mark text",
    "hit_rate": "; did you mean RR@5, or success_5 with --compat trec_eval? hit_rate (hit) looks for gold "
    "spans, and these assessments grade documents",
    "context_recall": ": it asks a language model which claims of an answer the contexts support. doxel has "
    "no such judge; char_rec@5 and span_rec@5 measure how much of the gold spans was retrieved",
    "context_precision": ": it asks a language model which contexts are useful. doxel has no such judge; "
    "char_prec@5 measures the relevant share of the text, and MAiP its ranking, from gold spans",
    "faithfulness": ": it asks a language model whether an answer follows from its contexts. doxel scores "
    "what was retrieved, not answers; char_rec@5 measures whether the gold text was retrieved",
}
_SPELLINGS = {
    "hitrate": "hit_rate",
    "contextrecall": "context_recall",
    "contextprecision": "context_precision",
}
# the names of trec_eval without their cutoff, and those here
_TREC_EVAL = {
    "ndcg_cut": "nDCG",
    "map_cut": "AP",
    "recall": "R",
    "P": "P",
    "success": "Success",
    "recip_rank": "RR",
    "bpref": "Bpref",
}


def explain_unknown_name(name: str) -> str:
    """Return the error message for an unknown name of a measure, with the most similar names.

    >>> explain_unknown_name("charrec")
    "there is no measure 'charrec'; did you mean char_rec or char_prec or art_rec?"
    """
    name = name.partition("@")[0]
    sentence = _explain_unknown_name(name, map_measures(), name, 0)
    return re.sub(r", and these assessments [\w ]+$", "", sentence)


def _explain_unknown_name(name: str, known_measures: Mapping[str, Measure], text: str, place: int) -> str:
    plain = _SPELLINGS.get(name.lower(), name.lower())
    lower_names = [known_name.lower() for known_name in known_measures]
    if not difflib.get_close_matches(plain, lower_names, 1, cutoff=0.6):
        plain = next(iter(difflib.get_close_matches(plain, _OTHER_TOOLS, 1, cutoff=0.75)), plain)
    if plain in _OTHER_TOOLS:
        return f"there is no measure {quote_value(name)}{_OTHER_TOOLS[plain]}"
    if (trec_name := re.fullmatch(r"(\w+?)(?:_([0-9]+))?", name)) and trec_name[1] in _TREC_EVAL:
        own_name = _TREC_EVAL[trec_name[1]] + (f"@{trec_name[2]}" if trec_name[2] else "")
        hint = f"did you mean {own_name}? Names of trec_eval need --compat trec_eval"
        return f"there is no measure {quote_value(name)}; {hint}"
    matches = [candidate for candidate in known_measures if candidate.lower() == name.lower()]
    matches = matches or difflib.get_close_matches(name, known_measures, 3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(matches)}?" if matches else "; 'doxel measures' lists all measures"
    place_clause = f" (in {quote_value(text, 100)}, character {place + 1})" if text != name else ""
    return f"there is no measure {quote_value(name)}{place_clause}{hint}"


def join_measure_names(names: Sequence[str]) -> str:
    """Join names of measures for display; of the many cutoffs of a curve, only the first and last.

    >>> (
    ...     join_measure_names(["MAep", "iP@0", "iP@0.1"]),
    ...     join_measure_names([f"ep@{k / 100}" for k in range(1, 101)] + ["MAep"]),
    ... )
    ('MAep, iP@0, iP@0.1', 'ep@0.01 ... 1.0 (100 cutoffs), MAep')
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.rpartition("@")[0] or name, []).append(name)
    parts: list[str] = []
    for members in groups.values():
        if len(members) <= _MANY_CUTOFFS:
            parts += members
        else:
            last = members[-1].rpartition("@")[2]
            parts.append(f"{members[0]} ... {last} ({len(members)} cutoffs)")
    return ", ".join(parts)
