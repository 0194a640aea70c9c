"""A gate for continuous integration: whether a run is worse than a stored result.

The scores of the run are paired with those of the stored result, topic by topic.  The gate fails if the mean
is below a minimum, or if the one-sided interval of the mean difference shows that the mean has fallen by more
than is allowed.  If assessments, documents or parameters have changed, scores cannot be compared: a
difference would not show anything about the ranker.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel._version import __version__
from doxel.arguments import check_arguments, check_methods
from doxel.errors import InputError
from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.evaluation.saved_results import InputFingerprints, describe_changed_inputs, load_result
from doxel.measures.measure_table import lower_is_better
from doxel.statistics.significance import compute_upper_limit, count_fewest_topics
from doxel.wording import did_you_mean, join_words, pluralise

__all__ = ["GateCheck", "GateSettings", "GateVerdict", "gate"]

_ROUNDING = 1e-9  # smaller differences of scores come from the order of additions


@dataclass(frozen=True)
class GateSettings:
    """When a gate fails: below ``minimum``, or if the mean fell by more than ``max_drop`` at this level."""

    minimum: float | None = None
    max_drop: float = 0.0
    level: float = 0.95

    def __post_init__(self) -> None:
        check_resampling(level=self.level)
        if not (math.isfinite(self.max_drop) and self.max_drop >= 0):
            raise InputError("max_drop", wanted="a number from 0", found=str(self.max_drop))
        if self.minimum is not None and not math.isfinite(self.minimum):
            raise InputError("minimum", wanted="a finite number", found=str(self.minimum))


@dataclass(frozen=True)
class GateCheck:
    """One measure of a run, compared with the baseline over the same topics.

    ``topics`` has one row per topic, the largest loss first: topic, baseline, score, loss.  A loss is
    positive if the score became worse.  ``least_loss`` is the lower limit of the mean loss at ``level``.
    """

    measure: str
    mean: float
    baseline: float
    loss: float
    least_loss: float
    level: float
    topics: pl.DataFrame
    failures: tuple[str, ...] = ()

    @property
    def broken(self) -> pl.DataFrame:
        """The topics whose scores became worse, the largest loss first."""
        return self.topics.filter(pl.col("loss") > 0)

    @property
    def better(self) -> int:
        """The number of topics whose scores became better."""
        return self.topics.filter(pl.col("loss") < 0).height

    @property
    def sentence(self) -> str:
        """The result of the interval, as a sentence."""
        if self.loss <= 0:
            return "the mean did not fall"
        fell = f"the mean {'rose' if lower_is_better(self.measure) else 'fell'} by {self.loss:.4f}"
        if self.least_loss <= 0:
            return f"{fell}; at {self.level:.4g} confidence this may be chance"
        return f"{fell}, at {self.level:.4g} confidence by at least {self.least_loss:.4f}"


@dataclass(frozen=True)
@check_methods
class GateVerdict:
    """The outcome of a gate: the checks, and the obstacles if run and baseline cannot be compared.

    ``titles`` are the texts of topics, by id.
    """

    run: str
    settings: GateSettings
    baseline_run: str | None = None
    checks: tuple[GateCheck, ...] = ()
    obstacles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def failures(self) -> tuple[str, ...]:
        """The reasons for which the gate fails, over all measures."""
        return tuple(failure for check in self.checks for failure in check.failures)

    @property
    def status(self) -> str:
        """``"pass"``, ``"fail"`` or ``"cannot be compared"``."""
        if self.obstacles:
            return "cannot be compared"
        return "fail" if self.failures else "pass"

    @property
    def exit_status(self) -> int:
        """The exit status of ``doxel gate``: 0 pass, 1 fail, 2 cannot be compared."""
        return {"pass": 0, "fail": 1, "cannot be compared": 2}[self.status]

    def __bool__(self) -> bool:
        return self.status == "pass"

    def __str__(self) -> str:
        lines = [f"gate: {self.status}", *self.obstacles, *self.failures]
        for check in self.checks:
            broken = check.broken.head(5)
            lines += [
                f"  {check.measure}, topic {topic}: {before:.4f} -> {after:.4f}{self._label(topic)}"
                for topic, before, after in broken.select("topic", "baseline", "score").iter_rows()
            ]
            if check.broken.height > broken.height:
                lines.append(f"  ... and {pluralise(check.broken.height - broken.height, 'more topic')}")
        return "\n".join([*lines, *self.notes])

    def _label(self, topic: str) -> str:
        return f"  {self.titles[topic]}" if topic in self.titles else ""


@check_arguments
def gate(
    result: Evaluation,
    baseline: Evaluation | str | os.PathLike[str],
    measures: str | Sequence[str] | None = None,
    *,
    minimum: float | None = None,
    max_drop: float = 0.0,
    level: float = 0.95,
    run: str | None = None,
    baseline_run: str | None = None,
) -> GateVerdict:
    """Compare a run with a stored result: whether it is worse.

    Parameters
    ----------
    result
        The evaluation of the run.
    baseline
        An earlier evaluation, or the file in which ``Evaluation.save`` stored it.
    measures
        The measures that count; the default is all of ``result``.  With several, each is tested at a
        higher level, so that all together are wrong as rarely as ``level`` promises.
    minimum
        The gate fails if a mean is below this number.
    max_drop, level
        The gate fails if the one-sided paired interval at this level shows that the mean of a measure has
        fallen by more than ``max_drop``.
    run, baseline_run
        Which run to compare, if ``result`` or the baseline has several.

    Examples
    --------
    >>> from doxel import evaluate
    >>> gold = [(str(topic), "report", 0, 100) for topic in range(8)]
    >>> before = evaluate([(str(topic), "report", 0, 80) for topic in range(8)], gold, "char_rec@5")
    >>> after = evaluate([(str(topic), "report", 0, 70) for topic in range(8)], gold, "char_rec@5")
    >>> gate(after, before).failures
    ('char_rec@5: the mean fell by 0.1000, at 0.95 confidence by at least 0.1000; allowed: 0',)
    >>> gate(after, before, max_drop=0.15).status
    'pass'
    """
    settings = GateSettings(minimum, max_drop, level)
    stored = baseline if isinstance(baseline, Evaluation) else load_result(baseline)
    name = _choose_run(result, run)
    paired = _PairedRuns(result, stored, name, _choose_baseline_run(stored, baseline_run, name), settings)
    names = _choose_measures(result, measures)
    obstacles, notes = paired.find_obstacles(), paired.list_notes()
    if obstacles:
        return paired.conclude([], obstacles, [*notes, *paired.describe_unchanged_topics(names)])
    checks: list[GateCheck] = []
    for measure in names:
        reason = paired.find_measure_obstacle(measure)
        if reason is not None:
            obstacles.append(reason)
            continue
        checks.append(paired.check(measure, level=1 - (1 - level) / len(names)))
        notes += paired.list_topic_notes(measure)
        doubt = _describe_doubt(checks[-1], settings)
        if doubt is not None:
            (obstacles if minimum is None else notes).append(doubt)
        elif checks[-1].loss > 0 and not checks[-1].failures:
            notes.append(f"{measure}: {checks[-1].sentence}; allowed: {max_drop:g}")
    return paired.conclude(checks, obstacles, notes)


def _describe_doubt(check: GateCheck, settings: GateSettings) -> str | None:
    """Return why the topics are too few to show a loss: all of them, or the half or more that changed."""
    fewest, topics = count_fewest_topics(check.level), check.topics.height
    changed = check.topics.filter(pl.col("loss") != 0).height
    if check.loss <= settings.max_drop or changed >= fewest or (topics >= fewest and 2 * changed < topics):
        return None
    return (
        f"{check.measure}: the mean fell by {check.loss:.4f}, but the scores of only "
        f"{pluralise(changed, 'topic')} changed, which cannot show a loss at {check.level:.4g} confidence; "
        f"wanted at least {fewest} topics, a lower level or a minimum"
    )


@dataclass(frozen=True)
class _PairedRuns:
    """A run of one evaluation beside a run of a stored one."""

    result: Evaluation
    stored: Evaluation
    run: str
    baseline_run: str
    settings: GateSettings

    @cached_property
    def titles(self) -> dict[str, str]:
        """The texts of the topics, if they are known."""
        return {} if self.result.inputs is None else self.result.inputs.topic_texts

    @cached_property
    def _fingerprints(self) -> tuple[InputFingerprints | None, InputFingerprints | None]:
        now, before = (
            None if evaluation.inputs is None else evaluation.inputs.fingerprints
            for evaluation in (self.result, self.stored)
        )
        return now, before

    def find_obstacles(self) -> list[str]:
        """Return why the scores of run and baseline cannot be compared."""
        now, before = self._fingerprints
        if now is None or before is None:
            side = "baseline" if before is None else "result"
            sentence = (
                f"the {side} has no fingerprints of its assessments and documents, so that a change of them "
                "would look like a change of the ranker; make a new baseline with --update"
            )
            return [sentence]
        obstacles = describe_changed_inputs(now, before)
        return [*obstacles, *self._find_changed_parameters()]

    def _find_changed_parameters(self) -> list[str]:
        now, before = self.result.parameters, self.stored.parameters
        changes = [
            f"{name} was {_plain(before[name])}, is {_plain(now[name])}"
            for name in before
            if name in now and _plain(now[name]) != _plain(before[name])
        ]
        task, old_task = self.result.tasks.get(self.run), self.stored.tasks.get(self.baseline_run)
        if None not in {task, old_task} and task != old_task:
            changes.append(f"the task of the run was {old_task}, is {task}")
        if not changes:
            return []
        return [f"the runs were scored with other parameters: {'; '.join(changes)}"]

    def conclude(
        self, checks: Sequence[GateCheck], obstacles: Sequence[str], notes: Sequence[str]
    ) -> GateVerdict:
        """Return the verdict."""
        return GateVerdict(
            run=self.run,
            baseline_run=self.baseline_run,
            settings=self.settings,
            checks=tuple(checks),
            obstacles=tuple(obstacles),
            notes=tuple(dict.fromkeys(notes)),
            titles=self.titles,
        )

    def describe_unchanged_topics(self, measures: Sequence[str]) -> list[str]:
        """Return the means over the topics with the same assessments, if nothing else has changed."""
        now, before = self._fingerprints
        if now is None or before is None or now.collection != before.collection:
            return []
        unchanged = [topic for topic, digest in now.topics.items() if before.topics.get(topic) == digest]
        is_compared = pl.col("topic").is_in(unchanged) & _is_score("score") & _is_score("baseline")
        tables = {measure: self._select(measure).filter(is_compared) for measure in measures}
        means = {
            measure: [float(np.mean(table[column].to_numpy())) for column in ("baseline", "score")]
            for measure, table in tables.items()
            if table.height and not self._find_changed_parameters()
        }
        return [
            f"over the {pluralise(tables[measure].height, 'topic')} whose assessments are the same, the mean "
            f"of {measure} was {before_mean:.4f} and is {now_mean:.4f}"
            for measure, (before_mean, now_mean) in means.items()
        ]

    def list_notes(self) -> list[str]:
        """Return notes on changes that do not prevent the comparison but may affect it."""
        notes = []
        version = __version__ if self.stored.inputs is None else self.stored.inputs.version
        if version != __version__:
            notes.append(
                f"the baseline was made by doxel {version}, this is {__version__}: "
                "the changelog lists the scores that changed"
            )
        notes += [
            f"{warning} [{warning.code}]" for warning in self.result.warnings if warning.effect != "none"
        ]
        now, before = self._fingerprints
        if now is not None and now.collection is None and before is not None and before.collection is None:
            notes.append("without a collection (-c), changes of the documents are not noticed")
        return notes

    @cached_property
    def _paired(self) -> pl.DataFrame:
        """The scores of all measures and topics: measure, topic, score, baseline; null if one is missing."""
        now, before = (
            evaluation.scores.filter(pl.col("run") == name).drop("run")
            for evaluation, name in ((self.result, self.run), (self.stored, self.baseline_run))
        )
        return now.join(
            before.rename({"score": "baseline"}),
            on=["measure", "topic"],
            how="full",
            coalesce=True,
            maintain_order="left_right",
        )

    def _select(self, measure: str) -> pl.DataFrame:
        return self._paired.filter(pl.col("measure") == measure)

    def find_measure_obstacle(self, measure: str) -> str | None:
        """Return why a measure cannot be compared, or None."""
        for evaluation, name, label in (
            (self.result, self.run, "the run"),
            (self.stored, self.baseline_run, "the baseline"),
        ):
            measures = (
                evaluation.scores.filter(pl.col("run") == name)["measure"]
                .unique(maintain_order=True)
                .to_list()
            )
            if measure in measures:
                continue
            reasons = [
                rejection.reason
                for rejection in evaluation.rejected
                if rejection.run == name and rejection.measure in {measure, "all"}
            ]
            because = f": {reasons[0]}" if reasons else f"; it has {join_words(measures) or 'no scores'}"
            return f"{label} has no score by {measure}{because}"
        table = self._select(measure)
        for label, topics in (
            ("missing from the run", table.filter(pl.col("score").is_null())),
            (
                "undefined or infinite now, but not in the baseline",
                table.filter(_is_score("baseline") & _is_gap("score")),
            ),
            (
                "undefined or infinite in the baseline, but not now",
                table.filter(_is_score("score") & _is_gap("baseline")),
            ),
        ):
            if topics.height:
                topic_list = join_words(topics["topic"].to_list())
                return (
                    f"{measure}: {pluralise(topics.height, 'topic is', 'topics are')} {label} ({topic_list})"
                )
        if not table.filter(_is_score("score") & _is_score("baseline")).height:
            return f"{measure}: no topic has a score in both run and baseline"
        return None

    def list_topic_notes(self, measure: str) -> list[str]:
        """Return notes on the topics that do not count."""
        table, notes = self._select(measure), []
        new_topics = table.filter(pl.col("baseline").is_null())["topic"].to_list()
        if new_topics:
            subject = pluralise(len(new_topics), "topic is", "topics are")
            notes.append(f"{subject} not in the baseline and not compared ({join_words(new_topics)})")
        gaps = table.filter(_is_gap("score") & _is_gap("baseline"))["topic"].to_list()
        if gaps:
            subject = pluralise(
                len(gaps), "topic without a finite score is", "topics without a finite score are"
            )
            notes.append(f"{measure}: {subject} left out ({join_words(gaps)})")
        return notes

    def check(self, measure: str, level: float) -> GateCheck:
        """Compare the run with the baseline by one measure."""
        sign = -1.0 if lower_is_better(measure) else 1.0
        loss = (pl.col("baseline") - pl.col("score")) * sign
        table = (
            self._select(measure)
            .filter(_is_score("score") & _is_score("baseline"))
            .select(
                "topic", "baseline", "score", loss=pl.when(loss.abs() <= _ROUNDING).then(0.0).otherwise(loss)
            )
        )
        least = -compute_upper_limit(-table["loss"].to_numpy(), level=level)
        values = {name: float(np.mean(table[name].to_numpy())) for name in ("baseline", "score", "loss")}
        return self._judge(
            GateCheck(
                measure=measure,
                mean=values["score"],
                baseline=values["baseline"],
                loss=values["loss"],
                least_loss=least,
                level=level,
                topics=table.sort("loss", descending=True, maintain_order=True),
            )
        )

    def _judge(self, check: GateCheck) -> GateCheck:
        """Return a check with the reasons for which it fails."""
        failures, minimum = [], self.settings.minimum
        if minimum is not None and lower_is_better(check.measure):
            raise InputError(
                "a minimum", wanted="a measure by which a higher score is better", found=check.measure
            )
        if minimum is not None and check.mean < minimum - _ROUNDING:
            failures.append(f"{check.measure}: the mean {check.mean:.4f} is below the minimum {minimum:g}")
        if check.least_loss > self.settings.max_drop + _ROUNDING:
            failures.append(f"{check.measure}: {check.sentence}; allowed: {self.settings.max_drop:g}")
        return replace(check, failures=tuple(failures))


def _is_score(column: str) -> pl.Expr:
    return pl.col(column).is_not_null() & pl.col(column).is_finite()


def _is_gap(column: str) -> pl.Expr:
    return pl.col(column).is_not_null() & ~pl.col(column).is_finite()


def _plain(value: Any) -> str:
    return "not set" if value is None else str(value)


def _choose_measures(result: Evaluation, measures: str | Sequence[str] | None) -> list[str]:
    if measures is not None:
        return [measure.name for measure in expand_sets(measures)]
    rejected = [rejection.measure for rejection in result.rejected if rejection.measure != "all"]
    return list(dict.fromkeys([*result.scores["measure"], *rejected]))


def _choose_run(result: Evaluation, run: str | None) -> str:
    runs = list(dict.fromkeys([*result.scores["run"], *(item.run for item in result.rejected)]))
    if run is None and len(runs) == 1:
        return str(runs[0])
    if run not in runs:
        found = f"{pluralise(len(runs), 'run')}" if run is None else f"{run!r}{did_you_mean(run, runs)}"
        raise InputError("a gate", wanted=f"one run of {join_words(runs)}", found=found)
    return str(run)


def _choose_baseline_run(stored: Evaluation, baseline_run: str | None, run: str) -> str:
    """Return the named run of a baseline, its only one, or the one with the name of the checked run."""
    runs = stored.scores["run"].unique(maintain_order=True).to_list()
    if baseline_run is not None and baseline_run not in runs:
        found = f"{baseline_run!r}{did_you_mean(baseline_run, runs)}"
        raise InputError("a run of the baseline", wanted=f"one of {join_words(runs)}", found=found)
    chosen_run = baseline_run or (str(runs[0]) if len(runs) == 1 else run)
    if chosen_run not in runs:
        wanted = f"one run, or a run named {run}; --baseline-run chooses another"
        raise InputError("a baseline", wanted=wanted, found=join_words(runs) or "no scores")
    return chosen_run
