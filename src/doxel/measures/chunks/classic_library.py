"""Classic measures of whole documents that the library ir_measures computes: ``ERR``, ``infAP`` and others.

They have the names and parameters of ir_measures, and need the extra ``classic``.  doxel ranks and grades
the documents, as for AP and nDCG (:mod:`~doxel.measures.chunks.classic`), and ir_measures computes the score.
doxel's own names come first: AP, nDCG, P, R, RBP and RR are doxel's, unless a parameter is written that only
ir_measures has, such as ``nDCG(dcg="exp-log2")@10``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from subprocess import SubprocessError
from typing import Any, ClassVar

import numpy as np

from doxel.errors import MeasureError, MissingExtraError
from doxel.measures.declaration import Declaration, Measure, Quantity, Scores, View
from doxel.measures.measure_parameters import CUTOFF, UNLIMITED, Choice, Flag, Kind, Number, Parameter, Text
from doxel.measures.rank_arithmetic import Matrix
from doxel.measures.text_views import reach_grade
from doxel.spans import Booleans, Ints
from doxel.wording import quote_value

__all__ = [
    "CLASSICS",
    "JudgedDocuments",
    "describe_classic",
    "find_classic",
    "load_classic",
    "refuse_foreign",
    "select_classic",
]

CLASSICS: dict[str, str] = {
    "Accuracy": "share of pairs of a relevant and a non-relevant document that are in the right order",
    "BPM": "bejeweled player model: a user who stops with enough gain or after enough effort",
    "Bpref": "preference of judged relevant over judged non-relevant documents",
    "Compat": "similarity to an ideal ranking from preferences, by rank-biased overlap",
    "ERR": "expected reciprocal rank of the document at which a user stops",
    "INSQ": "gain per document of a user whose patience grows, without adapting to the gain",
    "INST": "gain per document of a user whose patience grows, and who adapts to the gain",
    "IPrec": "interpolated precision of whole documents at a point of recall",
    "NERR8": "expected reciprocal rank in the C/W/L framework, equation 8 of its source",
    "NERR9": "expected reciprocal rank in the C/W/L framework, equation 9 of its source",
    "NERR10": "expected reciprocal rank in the C/W/L framework, equation 10 of its source",
    "NERR11": "expected reciprocal rank in the C/W/L framework, equation 11 of its source",
    "Rprec": "precision at the number of relevant documents",
    "SDCG": "scaled discounted cumulated gain",
    "SetAP": "precision of the retrieved set times its recall",
    "SetF": "F-measure of the retrieved set",
    "SetP": "precision of the retrieved set",
    "SetR": "recall of the retrieved set",
    "SetRelP": "precision of the retrieved set, relative to the number of relevant documents",
    "Success": "1 if a relevant document is among the first k",
    "infAP": "average precision, estimated from a sample of judgements",
}
"""The measures that are taken from ir_measures, each in one line."""

_SPELLINGS = {"BPref": "Bpref", "RPrec": "Rprec"}
_SHARED = ("AP", "nDCG", "P", "R", "RBP", "RR")  # names of doxel that ir_measures has with further parameters
_ASPECTS = (
    "needs judgements by sub-topic, which ir_measures has and these assessments do not; "
    "the measure of doxel for aspects of a topic is alpha_nDCG"
)
_COUNTS = "is a count that ir_measures adds up over topics; doxel has it with --compat trec_eval, as {}"
_REFUSED: dict[str, str] = {
    "Judged": "is, in ir_measures, the share of documents that were judged; the measures of doxel are "
    "judged_results@k and judged_chars@k, which look at the text",
    **dict.fromkeys(
        ("alpha_nDCG", "α_nDCG"),
        "is, in ir_measures, a measure of documents by sub-topic; doxel's own alpha_nDCG measures the text "
        "of aspects, and its name comes first",
    ),
    **dict.fromkeys(
        ("alpha_DCG", "α_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "MAP_IA", "P_IA", "StRecall"),
        _ASPECTS,
    ),
    "NumQ": _COUNTS.format("num_q"),
    "NumRel": _COUNTS.format("num_rel"),
    "NumRet": _COUNTS.format("num_ret"),
    "NumRelRet": _COUNTS.format("num_rel_ret"),
}
_EXPLANATIONS = {
    "ERR": """\
Expected reciprocal rank (Chapelle et al., CIKM 2009): the expectation of 1/rank of the document at which a
user stops, who reads the ranking from the top and stops at a document the more likely the higher its grade.
ir_measures computes it with the Perl program gdeval, for which the highest grade is 4, to five decimals.

Another measure has the same name.  In source 003 (Piwowarski and Gallinari, INEX 2003) ERR is the
expected ratio of relevant documents: the share of the relevant elements that a user is expected to see, who
looks at the first results and browses from each to the elements around it.  That is generalised recall, GR,
with the user model of that paper:

    GR(model="inex2003")@k

See: doxel measures GR, doxel measures RR.""",
}
_BY_IR_MEASURES = """\
The library ir_measures computes the score (pip install "doxel[classic]").  Documents are ranked by their
first result and graded as for AP; ties are broken by doxel's order of results.  Measures of the C/W/L
framework, INST among them, also need the package cwl-eval."""


@dataclass(frozen=True)
class JudgedDocuments(View):
    """Documents by first occurrence with their grades, and the judged documents that were not retrieved.

    ``grade`` is that of the document at each rank, NaN if it was not judged; ``length`` is the number of
    documents retrieved per topic.  ``missed`` has the grades of the judged documents that were not retrieved,
    relevant or not, and ``missed_count`` their number per topic.
    """

    grade: Matrix
    length: Ints
    missed: Matrix
    missed_count: Ints
    parameters: ClassVar[tuple[Parameter, ...]] = (UNLIMITED,)
    limited_by: ClassVar[str] = "articles"
    ranks: ClassVar[str] = "articles"
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("grade", "the grade of the document, if it was judged", lambda view: view.grade),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant document."""
        return self.find_defined({})

    def find_defined(self, parameters: Mapping[str, Any]) -> Booleans:
        """A topic counts if it has a document that is relevant by the measure's ``rel``."""
        lists = ((self.grade, self.length), (self.missed, self.missed_count))
        has_relevant = [
            (reach_grade(grades, parameters) & (np.arange(grades.shape[1]) < count[:, None])).any(axis=1)
            for grades, count in lists
        ]
        return np.asarray(has_relevant[0] | has_relevant[1], dtype=bool)

    def list_topics(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Return grades and run as ir_measures takes them; documents have numbers, scores fall by rank."""
        grades: dict[str, dict[str, int]] = {}
        runs: dict[str, dict[str, float]] = {}
        for topic in np.flatnonzero(self.defined).tolist():
            ranked = self.grade[topic, : self.length[topic]]
            missed = self.missed[topic, : self.missed_count[topic]]
            judged = {f"d{rank}": _to_whole(grade) for rank, grade in enumerate(ranked) if grade >= 0}
            judged |= {f"m{number}": _to_whole(grade) for number, grade in enumerate(missed)}
            grades[str(topic)] = judged
            if len(ranked):
                runs[str(topic)] = {f"d{rank}": float(len(ranked) - rank) for rank in range(len(ranked))}
        return grades, runs


def _to_whole(grade: float) -> int:
    if grade != int(grade):
        raise MeasureError(f"measures of ir_measures: wanted whole grades of documents, found {grade:g}")
    return int(grade)


@dataclass(frozen=True, eq=False)
class _ClassicFunction:
    """A measure of ir_measures as the function of a measure of doxel."""

    name: str
    parameters: Mapping[str, Any]  # as ir_measures declares them

    def __call__(self, view: JudgedDocuments, **own: Any) -> Scores:
        import ir_measures

        arguments = {
            name: self._convert(name, value)
            for name, value in own.items()
            if value is not None and value != _get_default(self.parameters[name])
        }
        measure = ir_measures.measures.registry[self.name](**arguments)
        scores = np.full(len(view.length), np.nan)
        grades, runs = view.compute_once("ir_measures", view.list_topics)
        if not grades:
            return scores
        try:
            for metric in ir_measures.iter_calc([measure], grades, runs):
                scores[int(metric.query_id)] = metric.value
        except (ValueError, RuntimeError, AssertionError, OSError, SubprocessError) as error:
            reason = " ".join(str(error).split())
            raise MeasureError(f"{measure}: ir_measures cannot compute it here: {reason}") from None
        return scores

    def _convert(self, name: str, value: Any) -> Any:
        """Return a value in the type that ir_measures requires."""
        kind = self.parameters[name].dtype
        return kind(value) if kind in {int, float} else value


def describe_classic(name: str) -> str:
    """Return the explanation of a measure of ir_measures."""
    return f"{_EXPLANATIONS.get(name, '')}\n\n{_BY_IR_MEASURES}".strip()


def find_classic(name: str) -> Measure | None:
    """Return a measure of ir_measures by its name, None for other names, or an error for those not taken."""
    refuse_foreign(name)
    spelt = _SPELLINGS.get(name, name)
    return load_classic(spelt) if spelt in CLASSICS else None


def refuse_foreign(name: str) -> None:
    """Raise an error for a measure of ir_measures that is not taken, with doxel's own in its place."""
    if name in _REFUSED:
        raise MeasureError(f"{name} {_REFUSED[name]}")


@cache
def load_classic(name: str) -> Measure:
    """Return the measure that ir_measures has under a name, declared from its parameters there."""
    try:
        import ir_measures
    except ImportError:
        raise MissingExtraError(f"{name}, a measure of ir_measures,", "classic") from None
    registered_measure = ir_measures.measures.registry[name]
    at_name = registered_measure.AT_PARAM
    parameters = registered_measure.SUPPORTED_PARAMS
    own = [
        parameter
        for parameter in (_declare_parameter(key, about) for key, about in parameters.items())
        if parameter is not None and parameter.name not in {at_name, "judged_only"}
    ]
    at = _declare_parameter(at_name, parameters[at_name]) if at_name in parameters else None
    is_rank = at is not None and isinstance(at.kind, Number) and at.kind.whole
    required = tuple(key for key, about in parameters.items() if about.required and key != at_name)
    return Measure(
        Declaration(
            name,
            _ClassicFunction(name, parameters),
            JudgedDocuments,
            summary=CLASSICS.get(name, "a measure of whole documents"),
            reference="ir_measures (MacAvaney, Macdonald and Ounis, ECIR 2022)",
            own=tuple(own),
            at=CUTOFF if is_rank else at,
            at_optional=at is not None and not parameters[at_name].required,
            bounds=(float("-inf"), float("inf")),
            check=lambda values: _check_required(name, required, values),
            made_of="ir_measures computes the score from the grades of the documents, in this order.",
            about=describe_classic(name),
            origin=lambda declaration: (load_classic, (declaration.name,)),
        )
    )


def _check_required(name: str, required: tuple[str, ...], values: Mapping[str, Any]) -> None:
    for parameter in required:
        if values.get(parameter) is None:
            raise MeasureError(
                f"{name}: {parameter}: wanted a value, such as {name}({parameter}=3), found none"
            )


def _get_default(declared: Any) -> Any:
    """Return the default of a parameter of ir_measures, None if it has none."""
    default = declared.default
    return default if isinstance(default, bool | int | float | str) else None


def _declare_parameter(name: str, declared: Any) -> Parameter | None:
    """Return a parameter of ir_measures; None for one that a name cannot hold, such as a dictionary."""
    default = _get_default(declared)
    kinds: dict[Any, Kind] = {
        int: Number(0, whole=True, none=default is None),
        float: Number(0, none=default is None),
        bool: Flag(),
        str: Choice(tuple(declared.choices)) if isinstance(declared.choices, list | tuple) else Text(),
    }
    kind = kinds.get(declared.dtype)
    about = (declared.desc or "see ir_measures").rstrip(".")
    if name == "rel" and default is None:  # as of the other measures
        default = 1
    return None if kind is None else Parameter(name, kind, about, default)


def select_classic(measure: Measure, arguments: Mapping[str, Any]) -> tuple[Measure, dict[str, Any]]:
    """Return the measure of ir_measures for parameters that only it has, and the parameters to write.

    ``judged_only=True`` means ``unjudged="remove"``.  A parameter with the value that ir_measures has by
    default changes nothing: the measure stays doxel's.
    """
    name, declared = measure.declaration.name, measure.declaration.parameters
    parameters = dict(arguments)
    is_foreign = isinstance(measure.declaration.function, _ClassicFunction)
    if not is_foreign and (name not in _SHARED or measure.declaration.origin is not None):
        return measure, parameters
    if "judged_only" in parameters:
        judged_only = Parameter("judged_only", Flag(), "").accept(parameters.pop("judged_only"), owner=name)
        parameters |= {"unjudged": "remove"} if judged_only else {}
    other = [parameter for parameter in parameters if parameter not in declared]
    if not other or is_foreign:
        return measure, parameters
    classic = load_classic(name)
    of_classic = classic.declaration.parameters
    for parameter in other:
        if parameter not in of_classic:
            names = ", ".join(dict.fromkeys([*declared, *of_classic]))
            raise MeasureError(f"{name} has no parameter {quote_value(parameter)}; it has: {names}")
    if all(of_classic[key].accept(parameters[key], owner=name) == of_classic[key].default for key in other):
        return measure, {key: value for key, value in parameters.items() if key not in other}
    return classic, parameters
