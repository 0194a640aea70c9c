"""Audit a scorer: test the laws on random cases, and find the smallest counterexample of each broken law.

All laws are tested on the same cases, in batches; a law that is broken is not tested further for the figure.
Then the search is repeated for each broken law alone, from the same seed, and hypothesis makes the case that
breaks it smaller.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from doxel.arguments import check_arguments, check_methods
from doxel.auditing.audit_cases import AuditCase, search_cases
from doxel.auditing.case_files import find_case_format
from doxel.auditing.command_scorer import CommandScorer, compile_figure, stop_on_signals
from doxel.auditing.laws import ANSWERS, BOUNDS, LAWS, Law, ScorePair
from doxel.auditing.scorers import (
    CampaignFigures,
    Failure,
    Figure,
    FunctionScorer,
    MeasureScorer,
    Outcome,
    Scorer,
)
from doxel.errors import InputError
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.files.function_files import load_function
from doxel.measures import Measure
from doxel.measures.declaration import KINDS
from doxel.wording import join_words

__all__ = ["Audit", "Counterexample", "Finding", "audit", "audit_scorer"]

Verdict = Literal["kept", "broken", "broken on purpose", "not kept", "not tested"]
"""The verdict on a law: "not kept" is for a broken law that does not bind every kind of measure."""

_MOST_FAILURES = 5  # cases without a score after which the scorer is not called again
_SEARCH_SHARE = 0.7  # share of the time limit; the rest is for smaller counterexamples


@dataclass(frozen=True)
class Counterexample:
    """A case, the case as changed by the law, and both scores; a score is None if the scorer failed."""

    case: AuditCase
    changed: AuditCase
    before: float | None
    after: float | None
    failure: Failure | None = None


@dataclass(frozen=True)
class Finding:
    """The verdict on one figure under one law, with the number of cases on which the law was tested."""

    figure: str
    law: Law
    verdict: Verdict
    cases: int
    note: str = ""
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
@check_methods
class Audit:
    """The outcome of an audit: one finding per figure and law."""

    findings: tuple[Finding, ...]
    cases: int
    seed: int
    seconds: float | None = None  # the time limit, if it ended the search
    scorers: tuple[Scorer, ...] = field(default=(), repr=False)

    @property
    def figures(self) -> list[str]:
        """The names of the figures on trial."""
        return list(dict.fromkeys(finding.figure for finding in self.findings))

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings about laws that are broken, on purpose or not."""
        return tuple(finding for finding in self.findings if finding.verdict.startswith("broken"))

    @property
    def is_acquitted(self) -> bool:
        """Whether no law was broken."""
        return not self.broken

    def to_text(self) -> str:
        """Return the table of laws and figures, and the counterexamples, as text."""
        from doxel.auditing.audit_reports import render_text

        return render_text(self)

    def to_markdown(self) -> str:
        """Return the same in Markdown."""
        from doxel.auditing.audit_reports import render_markdown

        return render_markdown(self)

    def to_html(self) -> str:
        """Return the same as an HTML page."""
        from doxel.auditing.audit_reports import render_html

        return render_html(self)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables, and each counterexample as files with the command line to run."""
        from doxel.auditing.audit_reports import write_audit

        write_audit(self, folder)


@check_arguments
def audit(
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    command: str | None = None,
    function: str | Callable[..., Any] | None = None,
    compat: str | None = None,
    format: str | None = None,  # noqa: A002 -- the public word
    figure: str | Sequence[str] = (),
    kind: str | Sequence[str] = (),
    bounds: tuple[float, float] = (0.0, 1.0),
    lower_is_better: bool = False,
    cases: int = 2000,
    seconds: float | None = None,
    timeout: float = 10.0,
    seed: int = 0,
    shrink: bool = True,
) -> Audit:
    """Test a scorer against the laws that a sound scorer keeps.

    Small random cases are scored, changed as a law describes, and scored again.  Exactly one of measures,
    command and function is given.

    Parameters
    ----------
    measures
        Measures of doxel by name, or sets of them.  With ``compat``, figures or a set of that program.
    command
        A command with ``{gold}`` and ``{run}``, which become names of files; it is run, without a shell, for
        every case.
    function
        A function ``name(gold, run)`` that returns a number, or ``"FILE.py:NAME"``, whose code is run.
    compat
        ``"bioasq"`` or ``"genomics"``: the figures of that campaign's program, as doxel reproduces them.
    format
        The format of the cases.  For a command that of its files: the name of a run format, or "GOLD:RUN";
        the default is jsonl.  For a function ``"spans"`` (the default: topics map to lists of doc, start and
        end) or ``"documents"`` (topics map to grades and to scores by document).
    figure
        For a command, one or several regular expressions with one group, the number to audit.
    kind
        The kinds of the figures, if known: "text", "recall", "mean".  Laws of other kinds are then not
        tested.  By default all laws are tested, but laws of a single kind do not count against the scorer.
    bounds
        The lowest and the highest score.
    lower_is_better
        Whether lower scores are better.
    cases
        The number of random cases.
    seconds
        The time limit; 120 seconds for a command, none otherwise.
    timeout
        The seconds that a command or a function has for one case.
    seed
        The seed of the random cases; the same seed gives the same cases.
    shrink
        Whether to look for smaller counterexamples, which takes time.

    Returns
    -------
    Audit
        ``findings``, one per law and figure; ``is_acquitted``; ``to_text()``, ``to_markdown()`` and
        ``to_html()``; ``save(folder)`` writes the counterexamples as files.

    Examples
    --------
    >>> result = audit("char_rec, chroma_rec", cases=60, shrink=False)
    >>> [(finding.figure, finding.law.name) for finding in result.broken]
    [('chroma_rec', 'perfect')]
    """
    if compat is not None and measures is None:
        measures = []
    if sum(source is not None for source in (measures, command, function)) != 1:
        raise InputError("an audit", wanted="measures, a command or a function", found="none or several")
    _check_numbers(cases=cases, seconds=seconds, timeout=timeout, bounds=bounds)
    kinds = _check_kinds([kind] if isinstance(kind, str) else list(kind))
    details: dict[str, Any] = {"bounds": bounds, "lower_is_better": lower_is_better, "kinds": kinds}
    patterns = [figure] if isinstance(figure, str) else list(figure)
    if command is not None and not patterns:
        wanted = "--figure (in Python figure=), such as 'MAP: ([0-9.]+)'"
        raise InputError("a command prints its figures", wanted=wanted, found="none")
    if command is None and patterns:
        wanted = "--command (in Python command=) as well"
        raise InputError("a figure is found in the output of a command", wanted=wanted, found=repr(patterns))
    scorers: list[Scorer]
    if command is not None:
        named = {_name_figure(pattern, number): pattern for number, pattern in enumerate(patterns, 1)}
        figures = {
            name: (compile_figure(pattern), Figure(name, **details)) for name, pattern in named.items()
        }
        scorers = [CommandScorer(command, find_case_format(format or "jsonl"), figures, timeout=timeout)]
        seconds = 120.0 if seconds is None else seconds
    elif function is not None:
        name, called, address = _find_function(function)
        scorers = [
            FunctionScorer(called, address, format or "spans", Figure(name, **details), timeout=timeout)
        ]
    elif compat is not None:
        scorers = [CampaignFigures(compat, _list_names(measures))]
    else:
        scorers = _list_measure_scorers(measures)
    audits = [
        audit_scorer(scorer, cases=cases, seconds=seconds, seed=seed, shrink=shrink) for scorer in scorers
    ]
    return replace(
        audits[0],
        findings=tuple(finding for one_audit in audits for finding in one_audit.findings),
        scorers=tuple(scorers),
    )


def _check_numbers(*, cases: int, seconds: float | None, timeout: float, bounds: tuple[float, float]) -> None:
    if not 1 <= cases <= 1_000_000:
        raise InputError("cases", wanted="a number from 1 to 1,000,000", found=str(cases))
    for label, number in (("seconds", seconds), ("timeout", timeout)):
        if number is not None and not 0 < number <= 1e6:
            raise InputError(label, wanted="a number above 0", found=str(number))
    if len(bounds) != 2 or not bounds[0] < bounds[1]:
        raise InputError("bounds", wanted="the lowest and the highest score", found=repr(bounds))


def _check_kinds(kinds: Sequence[str]) -> tuple[str, ...] | None:
    for name in kinds:
        if name not in KINDS:
            raise InputError("kind", wanted=join_words(list(KINDS)), found=repr(name))
    return tuple(kinds) or None


def _name_figure(pattern: str, number: int) -> str:
    """Return the words before the group, which name the figure for a reader."""
    words = re.sub(r"\\.|[^\w@. -]", "", pattern.partition("(")[0]).strip(" .-")
    return words or f"figure {number}"


def _find_function(function: str | Callable[..., Any]) -> tuple[str, Callable[..., Any], str]:
    if isinstance(function, str):
        return load_function(function, "the scorer", "a function NAME(gold, run)")
    return getattr(function, "__name__", "function"), function, ""


def _list_names(measures: str | Measure | Sequence[str | Measure] | None) -> list[str]:
    """Return the names of a program's figures, which doxel's parser of measures does not know."""
    texts = [str(measures)] if isinstance(measures, str | Measure) else map(str, measures or ())
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _list_measure_scorers(
    measures: str | Measure | Sequence[str | Measure] | None,
) -> list[Scorer]:
    """Return one scorer per shape of cases, in the order in which the measures are named."""
    groups: dict[str, list[Measure]] = {}
    for measure in expand_sets(measures or (), None):
        groups.setdefault(measure.declaration.view.audited_as, []).append(measure)
    if not groups:
        raise InputError("measures", wanted="the name of a measure", found="none")
    return [MeasureScorer(group) for group in groups.values()]


def audit_scorer(
    scorer: Scorer, *, cases: int, seconds: float | None = None, seed: int = 0, shrink: bool = True
) -> Audit:
    """Test all laws on a scorer; without ``shrink``, counterexamples stay as large as they are drawn."""
    with stop_on_signals(), scorer.open():
        trial = _Trial(scorer, cases, seconds)
        search_cases(scorer.shape, cases, seed, trial.visit)
        trial.flush()
        if shrink:
            trial.reduce(cases, seed)
    return Audit(
        tuple(trial.list_findings()), trial.cases, seed, seconds if trial.cases < cases else None, (scorer,)
    )


class _Trial:
    """The state of an audit: scores by case, and the counterexamples found so far."""

    def __init__(self, scorer: Scorer, cases: int, seconds: float | None) -> None:
        self.scorer, self._most = scorer, cases
        start = time.monotonic()
        self._end = math.inf if seconds is None else start + seconds
        self._end_of_search = math.inf if seconds is None else start + seconds * _SEARCH_SHARE
        self._scores: dict[AuditCase, Outcome] = {}
        self._waiting: list[AuditCase] = []
        self._broken: dict[tuple[str, str], tuple[Law, Counterexample]] = {}
        self._tested: dict[tuple[str, str], int] = {}
        self._failures = self._hangs = 0
        self.cases = 0
        self._laws = [law for law in LAWS if scorer.shape in law.shapes and law.name not in scorer.untested]

    def visit(self, case: AuditCase) -> bool | None:
        """Take a case; test it with others if enough are waiting.  None ends the search."""
        has_enough = self.cases + len(self._waiting) >= self._most
        if (
            has_enough
            or max(self._failures, self._hangs) >= _MOST_FAILURES
            or time.monotonic() >= self._end_of_search
        ):
            return None
        self._waiting.append(case)
        if len(self._waiting) >= self.scorer.batch_size:
            self.flush()
        return False

    def flush(self) -> None:
        """Test the waiting cases."""
        batch, self._waiting = self._waiting, []
        self._score(batch)
        trials = [
            (law, case, changed)
            for case in batch
            for law in ((ANSWERS,) if isinstance(self._scores[case], Failure) else self._laws)
            if self._is_open(law) and (changed := law.change(case)) is not None
        ]
        self._score([case for _, *pair in trials for case in pair])
        for law, case, changed in trials:
            for figure in self.scorer.figures:
                if (figure.name, law.name) not in self._broken and self._is_binding(figure, law):
                    self._test(law, figure, case, changed)
        self.cases += len(batch)
        self._failures += sum(isinstance(self._scores[case], Failure) for case in batch)
        if len(self._scores) > 10_000:
            self._scores.clear()

    def _is_open(self, law: Law) -> bool:
        """Whether a law is still to be tested for any figure."""
        return any(
            (figure.name, law.name) not in self._broken and self._is_binding(figure, law)
            for figure in self.scorer.figures
        )

    @staticmethod
    def _is_binding(figure: Figure, law: Law) -> bool:
        """Whether a law is tested for a figure: the law binds it, or the kind of the figure is not known."""
        has_kind = law.kind is None or figure.kinds is None or law.kind in figure.kinds
        return has_kind and law.name not in figure.exempt

    def _score(self, cases: Sequence[AuditCase]) -> None:
        new = [case for case in dict.fromkeys(cases) if case not in self._scores]
        outcomes = self.scorer.score(new) if new else []
        self._scores |= dict(zip(new, outcomes, strict=True))
        self._hangs += sum(isinstance(outcome, Failure) and outcome.kind == "hangs" for outcome in outcomes)

    def _test(self, law: Law, figure: Figure, case: AuditCase, changed: AuditCase) -> None:
        """Test a law on a pair of cases, and on the same pair the laws about every score."""
        for tested in (law, *(replace(general, change=law.change) for general in (ANSWERS, BOUNDS))):
            key = figure.name, tested.name
            if key in self._broken or not self._is_binding(figure, tested):
                continue
            counterexample = self._compare(tested, figure, case, changed)
            if counterexample is not None:
                self._broken[key] = tested, counterexample
            elif tested is law and self._has_scores(figure, case, changed):
                self._tested[key] = self._tested.get(key, 0) + 1

    def _has_scores(self, figure: Figure, *cases: AuditCase) -> bool:
        outcomes = [self._scores[case] for case in cases]
        return not any(
            isinstance(outcome, Failure) or math.isnan(outcome[figure.name]) for outcome in outcomes
        )

    def _compare(
        self, law: Law, figure: Figure, case: AuditCase, changed: AuditCase
    ) -> Counterexample | None:
        """Return the counterexample if the scores of two cases break a law."""
        before, after = self._scores[case], self._scores[changed]
        if isinstance(before, Failure) or isinstance(after, Failure):
            failure = before if isinstance(before, Failure) else after
            assert isinstance(failure, Failure)  # noqa: S101 -- for the type checker
            failed = case if failure is before else changed
            return Counterexample(failed, failed, None, None, failure) if law.name == ANSWERS.name else None
        scores = before[figure.name], after[figure.name]
        if any(math.isnan(score) for score in scores):
            failed = case if math.isnan(scores[0]) else changed
            failure = Failure("prints no figure", "the score is not a number (nan)")
            return Counterexample(failed, failed, None, None, failure) if law.name == ANSWERS.name else None
        sign = -1.0 if figure.lower_is_better else 1.0
        low, high = sorted(sign * bound for bound in figure.bounds)
        tolerance = self.scorer.get_tolerance(figure.name)
        comparison = ScorePair(sign * scores[0], sign * scores[1], low, high, tolerance)
        return None if law.holds(comparison) else Counterexample(case, changed, *scores)

    def reduce(self, cases: int, seed: int) -> None:
        """Find smaller counterexamples, as far as the time allows."""
        figures = {figure.name: figure for figure in self.scorer.figures}
        broken = list(self._broken.items())
        end = self._end
        for place, ((name, law_name), (law, counterexample)) in enumerate(broken):
            now = time.monotonic()
            self._end = now + (end - now) / (len(broken) - place)  # an equal share for each
            is_failure = counterexample.failure is not None
            if is_failure and max(self._failures, self._hangs) >= _MOST_FAILURES:
                continue  # it fails on many cases, and each further one may take as long
            smallest = _Reduction(self, law, figures[name]).find(cases, seed)
            if smallest is not None and smallest.case.size <= counterexample.case.size:
                self._broken[name, law_name] = law, smallest

    @property
    def is_time_up(self) -> bool:
        """Whether the time for the current counterexample is over."""
        return time.monotonic() >= self._end

    def test_alone(self, law: Law, figure: Figure, case: AuditCase) -> Counterexample | None:
        """Return the counterexample if a case breaks a law."""
        changed = law.change(case)
        if changed is None:
            return None
        self._score([case, changed])
        return self._compare(law, figure, case, changed)

    def list_findings(self) -> list[Finding]:
        """Return the verdicts in the order of figures and laws."""
        return [self._judge(figure, law) for figure in self.scorer.figures for law in LAWS]

    def _judge(self, figure: Figure, law: Law) -> Finding:
        key = figure.name, law.name
        tested = self._tested.get(key, 0)
        if key in self._broken:
            counterexample = self._broken[key][1]
            if law.name in figure.breaks:
                verdict, note = "broken on purpose", figure.breaks[law.name]
            elif law.kind is not None and figure.kinds is None:
                verdict, note = "not kept", f"only required of kind {law.kind}: {KINDS[law.kind]}"
            else:
                verdict, note = "broken", ""
            return Finding(figure.name, law, verdict, tested, note, counterexample)  # type: ignore[arg-type]
        if tested:
            return Finding(figure.name, law, "kept", tested)
        if law.name in figure.exempt:
            note = figure.exempt[law.name]
        elif law.name in self.scorer.untested:
            note = "the format cannot express it"
        elif self.scorer.shape not in law.shapes:
            note = f"it does not concern {self.scorer.shape}"
        elif not self._is_binding(figure, law):
            note = f"only required of kind {law.kind}: {KINDS[law.kind or '']}"
        else:
            note = "no case tested it"
        return Finding(figure.name, law, "not tested", 0, note)


class _Reduction:
    """The search for the smallest counterexample of one law and one figure."""

    def __init__(self, trial: _Trial, law: Law, figure: Figure) -> None:
        self._trial, self._law, self._figure = trial, law, figure
        self._counterexamples: dict[AuditCase, Counterexample] = {}

    def find(self, cases: int, seed: int) -> Counterexample | None:
        """Return the smallest counterexample that the search finds; None if it finds none in time."""
        case = search_cases(self._trial.scorer.shape, cases, seed, self._visit)
        return None if case is None else self._counterexamples[case]

    def _visit(self, case: AuditCase) -> bool | None:
        if self._trial.is_time_up:
            return None
        counterexample = self._trial.test_alone(self._law, self._figure, case)
        if counterexample is None:
            return False
        self._counterexamples[case] = counterexample
        return True
