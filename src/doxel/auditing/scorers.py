"""The scorers of an audit: the declaration of their figures, and the scorers that run in this process.

A ``FunctionScorer`` calls a function of the user, a ``MeasureScorer`` scores with doxel's own measures, and
``CampaignFigures`` are those of a campaign's program that doxel reproduces.  Programs are in command_scorer.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Protocol

from doxel.auditing.audit_cases import AuditCase
from doxel.auditing.case_files import (
    ARTICLE_IDS,
    PARAGRAPHS,
    build_assessments,
    build_run,
    find_case_format,
)
from doxel.documents.collection import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import DoxelWarning, InputError
from doxel.evaluation.compat.campaigns.campaign_scorers import CAMPAIGN_SCORERS
from doxel.evaluation.evaluator import evaluate
from doxel.files.function_files import call_function
from doxel.files.outputs import write_file
from doxel.measures import Measure
from doxel.wording import quote_value

__all__ = [
    "FUNCTION_FORMATS",
    "CampaignFigures",
    "Failure",
    "Figure",
    "FunctionScorer",
    "MeasureScorer",
    "Outcome",
    "Scorer",
]

FUNCTION_FORMATS = ("spans", "documents")
"""The forms in which functions get cases: lists of (doc, start, end), or grades and scores of documents."""

_TEXT = "ab cde f. " * 9  # words end where the text repeats itself


@dataclass(frozen=True)
class Figure:
    """A number that a scorer computes: its bounds, its kinds, and the laws that it breaks on purpose."""

    name: str
    bounds: tuple[float, float] = (0.0, 1.0)
    lower_is_better: bool = False
    kinds: tuple[str, ...] | None = None  # None: not known
    exempt: Mapping[str, str] = field(default_factory=dict)  # laws that do not apply, with the reason
    breaks: Mapping[str, str] = field(default_factory=dict)  # laws that it breaks on purpose


@dataclass(frozen=True)
class Failure:
    """The reason why a scorer has no figure for a case."""

    kind: Literal["crashes", "hangs", "prints no figure"]
    message: str


Outcome = Mapping[str, float] | Failure
"""The figures of a case by name, or the reason why there are none."""


class Scorer(Protocol):
    """A program, a function or some of doxel's measures, on trial."""

    figures: tuple[Figure, ...]
    shape: str
    untested: tuple[str, ...]  # laws that its format cannot express
    batch_size: int  # the number of cases to score at once

    def open(self) -> contextlib.AbstractContextManager[None]:
        """Prepare for scoring; the end of the context removes everything that was prepared."""

    def score(self, cases: Sequence[AuditCase]) -> list[Outcome]:
        """Return the figures for each case."""

    def get_tolerance(self, figure: str) -> float:
        """Return the difference between two figures that is not a difference."""

    def write_case(self, case: AuditCase, folder: Path, shown_folder: Path, suffix: str, figure: str) -> str:
        """Write a case to files, and return the command line that scores them in the shown folder."""


class _CaseByCaseScorer:
    """A scorer that prepares nothing and scores one case after the other."""

    batch_size = 1

    def get_tolerance(self, figure: str) -> float:
        """Return a difference that the order of additions explains."""
        del figure
        return 1e-9

    def open(self) -> contextlib.AbstractContextManager[None]:
        """Return a context that prepares nothing."""
        return contextlib.nullcontext()

    def score(self, cases: Sequence[AuditCase]) -> list[Outcome]:
        """Return the figures for each case."""
        return [self._score_case(case) for case in cases]

    def _score_case(self, case: AuditCase) -> Outcome:
        raise NotImplementedError


class FunctionScorer(_CaseByCaseScorer):
    """A function ``name(gold, run)`` that returns a number.

    For ``spans`` both are mappings from topics to lists of (doc, start, end), the run in the order of its
    ranks; for ``documents`` gold maps topics to grades by document, and the run to scores by document.
    """

    untested: tuple[str, ...] = ()

    def __init__(
        self, function: Callable[..., Any], address: str, form: str, figure: Figure, *, timeout: float
    ) -> None:
        if form not in FUNCTION_FORMATS:
            wanted = f"{' or '.join(FUNCTION_FORMATS)} for a function"
            raise InputError("the format of cases", wanted=wanted, found=repr(form))
        self._function, self._address, self._timeout = function, address, timeout
        self.shape = form
        self.figures: tuple[Figure, ...] = (figure,)
        self.untested = ("unjudged",) if form == "spans" else ()

    def _score_case(self, case: AuditCase) -> Outcome:
        gold, run = build_arguments(case)
        try:
            with _limit_time(self._timeout):
                value = call_function(self._function, "the scorer", gold, run)
        except _TimeIsUpError:
            return Failure("hangs", f"no answer within {self._timeout:g} seconds")
        except InputError as error:
            if isinstance(error.__cause__, _TimeIsUpError):
                return Failure("hangs", f"no answer within {self._timeout:g} seconds")
            return Failure("crashes", str(error))
        try:
            return {self.figures[0].name: float(value)}
        except (TypeError, ValueError):
            return Failure("prints no figure", f"returned {quote_value(value)} instead of a number")

    def write_case(self, case: AuditCase, folder: Path, shown_folder: Path, suffix: str, figure: str) -> str:
        """Write the arguments as JSON and a script that calls the function with them."""
        del figure
        gold, run = build_arguments(case)
        content = json.dumps({"gold": gold, "run": run}, indent=1)
        write_file(folder / f"case{suffix}.json", f"{content}\n".encode())
        if not self._address:
            return f"the arguments are in {shown_folder / f'case{suffix}.json'}"
        write_file(folder / "replay.py", _REPLAY.format(address=self._address).encode())
        return shlex.join(
            ["python", str(shown_folder / "replay.py"), str(shown_folder / f"case{suffix}.json")]
        )


_REPLAY = """\
import json
import runpy
import sys

file, _, name = {address!r}.rpartition(":")
with open(sys.argv[1], encoding="utf-8") as stream:
    case = json.load(stream)
print(runpy.run_path(file)[name](case["gold"], case["run"]))
"""


def build_arguments(case: AuditCase) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return gold and run of a case as a function gets them."""
    topics = case.list_topics()
    ranked, gold = case.list_ranked_results(), case.list_gold()
    if case.shape == "documents":
        grades: dict[str, Any] = {topic: {} for topic in topics if topic in case.topics}
        for topic, doc, grade in (
            *((topic, doc, 1) for topic, doc, *_ in gold),
            *((*pair, 0) for pair in case.judged),
        ):
            grades[topic][doc] = grade
        scores: dict[str, Any] = {topic: {} for topic in topics if case.list_results(topic)}
        for rank, passage in ranked:
            scores[passage.topic][passage.doc] = 100.0 - rank
        return grades, scores
    return (
        {
            topic: [tuple(passage[1:]) for passage in gold if passage.topic == topic]
            for topic in topics
            if topic in case.topics
        },
        {
            topic: [tuple(passage[1:]) for passage in case.list_results(topic)]
            for topic in topics
            if case.list_results(topic)
        },
    )


class _TimeIsUpError(Exception):
    """A function takes too long."""


@contextlib.contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    """Interrupt the block after some seconds; only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise _TimeIsUpError

    handler = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


class MeasureScorer:
    """Measures of doxel that need cases of the same shape; many cases are the topics of one evaluation."""

    batch_size = 250
    untested: tuple[str, ...] = ()

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = list(measures)
        self.shape = measures[0].declaration.view.audited_as
        self.figures = tuple(_describe_measure(measure) for measure in measures)
        self._collection: Any = None

    def get_tolerance(self, figure: str) -> float:
        """Return a difference that the order of additions explains."""
        del figure
        return 1e-9

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Provide the documents: texts, or articles with paragraphs in a temporary collection."""
        if self.shape not in {"elements", "articles"}:
            self._collection = None if self.shape == "documents" else dict.fromkeys(ARTICLE_IDS, _TEXT)
            yield
            return
        with tempfile.TemporaryDirectory(prefix="doxel-audit-") as folder:
            article = f"<article>{'<p>words</p>' * PARAGRAPHS}</article>".encode()
            for name in ARTICLE_IDS:
                write_file(Path(folder) / f"{name}.xml", article)
            ingest([folder], f"{folder}/articles.doxel", jobs=1)
            self._collection = read_collection(f"{folder}/articles.doxel")
            yield

    def score(self, cases: Sequence[AuditCase]) -> list[Outcome]:
        """Return the scores of the measures for each case."""
        named = [(f"{number}.", case) for number, case in enumerate(cases)]
        scores: dict[tuple[str, str], float] = {}
        of_chunks = [measure for measure in self._measures if measure.declaration.view.ranks == "chunks"]
        of_runs = [measure for measure in self._measures if measure not in of_chunks]
        for measures, is_of_chunks in ((of_chunks, True), (of_runs, False)):
            if measures:
                scores |= self._evaluate(named, measures, of_chunks=is_of_chunks)
        return [self._average(name, case, scores) for name, case in named]

    def _evaluate(
        self, named: list[tuple[str, AuditCase]], measures: list[Measure], *, of_chunks: bool
    ) -> dict[tuple[str, str], float]:
        """Return the scores by topic and measure; the results of a case are also its chunks."""
        run = build_run(named, own_documents=of_chunks)
        chunks = run.results.select("doc", "start", "end").unique(maintain_order=True) if of_chunks else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DoxelWarning)
            result = evaluate(
                run,
                build_assessments(named, own_documents=of_chunks),
                measures,
                collection=None if of_chunks else self._collection,
                chunks=chunks,
                on_invalid="repair",
                on_mismatch="score",
            )
        table = result.scores
        return dict(
            zip(zip(table["topic"], table["measure"], strict=True), table["score"].to_list(), strict=True)
        )

    def _average(
        self, name: str, case: AuditCase, scores: Mapping[tuple[str, str], float]
    ) -> dict[str, float]:
        topics = case.topics
        return {
            figure.name: sum(scores[f"{name}{topic}", figure.name] for topic in topics) / len(topics)
            for figure in self.figures
        }

    def write_case(self, case: AuditCase, folder: Path, shown_folder: Path, suffix: str, figure: str) -> str:
        """Write a case as files, and return the command line of doxel that scores them."""
        case_format = find_case_format("trec" if case.shape == "documents" else "jsonl")
        gold, run = case_format.write(case, folder, suffix)
        words = ["doxel", "evaluate", "--on-mismatch", "score", "-a", str(shown_folder / gold.name)]
        words += ["-m", figure, str(shown_folder / run.name)]
        (measure,) = (measure for measure in self._measures if measure.name == figure)
        if "tokens" not in measure.declaration.parameters:
            return shlex.join(words)
        for name in ARTICLE_IDS:
            write_file(folder / f"{name}.txt", _TEXT.encode())
        texts = [str(shown_folder / f"{name}.txt") for name in ARTICLE_IDS]
        collection = str(shown_folder / "texts.doxel")
        ingest_line = shlex.join(["doxel", "ingest", *texts, "-o", collection])
        return f"{ingest_line} && {shlex.join([*words[:-1], '-c', collection, words[-1]])}"


class CampaignFigures(_CaseByCaseScorer):
    """The official figures of a campaign's program, as doxel reproduces them."""

    def __init__(self, compat: str, request: Sequence[str]) -> None:
        sets = {scorer.name: scorer for scorer in CAMPAIGN_SCORERS if scorer.name in _CAMPAIGN_FORMATS}
        if compat not in sets:
            raise InputError("compat", wanted=" or ".join(sets), found=repr(compat))
        self._scorer, self._case_format = sets[compat], find_case_format(compat)
        self._set = next((name for name in request if name in self._scorer.sets), list(self._scorer.sets)[-1])
        known_figures = self._scorer.sets[self._set]
        names = [name for name in request if name not in self._scorer.sets] or list(known_figures)
        for name in names:
            if name not in known_figures:
                raise InputError(
                    f"the figures of {self._set}", wanted=", ".join(known_figures), found=repr(name)
                )
        of_documents = dict.fromkeys(("touching", "junk"), "it counts documents, whatever text of them")
        self.figures = tuple(Figure(name, exempt=of_documents if "doc" in name else {}) for name in names)
        self.shape = self._case_format.shape
        self.untested: tuple[str, ...] = () if self._case_format.states_judged else ("unjudged",)

    def _score_case(self, case: AuditCase) -> Outcome:
        run, gold = self._case_format.build_run(case), self._case_format.build_assessments(case)
        overall = self._scorer.score(run, gold, self._set).overall
        return {figure.name: overall[figure.name] for figure in self.figures}

    def write_case(self, case: AuditCase, folder: Path, shown_folder: Path, suffix: str, figure: str) -> str:
        """Write a case as files of the campaign, and return the command line of doxel that scores them."""
        del figure
        gold, run = (shown_folder / path.name for path in self._case_format.write(case, folder, suffix))
        compat = ["--compat", self._scorer.name] if self._scorer.compat else []
        return shlex.join(["doxel", "evaluate", *compat, "-a", str(gold), "-m", self._set, str(run)])


_CAMPAIGN_FORMATS = ("bioasq", "genomics")  # campaigns of passages


def _describe_measure(measure: Measure) -> Figure:
    declaration = measure.declaration
    return Figure(
        measure.name,
        declaration.bounds,
        declaration.lower_is_better,
        None if declaration.origin is not None else (*declaration.kinds, "mean"),
        measure.list_exempt_laws(),
        measure.list_broken_laws(),
    )
