"""Criteria about simulated systems and recall bases, which need no runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from doxel.documents.structural_summary import LINK_TAGS
from doxel.errors import InputError
from doxel.recallbases.recall_base_table import recall_base
from doxel.studies.claims.claim_data import (
    CLOSE_TO_EQUAL,
    ClaimData,
    Criterion,
    Evidence,
    average_by_run,
    name_scales,
    state_criterion,
)
from doxel.studies.stereotype_observations import OBSERVATIONS
from doxel.studies.stereotype_study import FIVE
from doxel.studies.stereotype_study import MEASURES as STEREOTYPE_MEASURES
from doxel.wording import join_words, pluralise

__all__ = [
    "SystemMeans",
    "choose_one_of_two",
    "compare_systems",
    "compare_two",
    "compare_with_one",
    "count_near_null",
    "decide_ancestors",
    "decide_coverage_values",
    "decide_links",
    "observe_systems",
    "reward_near_misses",
]

_NEAR_NULL = 0.05
_LINKS_2006 = 0.18  # source 004, section 3.1

# the mean scores of systems, by measure as requested
SystemMeans = Mapping[str, Mapping[str, float]]


def observe_systems(number: int, measure: int) -> Criterion:
    """Require an observation of source 003, by ERR (measure 0) or generalised precall (measure 1)."""
    observation = OBSERVATIONS[number - 1]
    name = STEREOTYPE_MEASURES[measure]
    expected = "blamed" if measure else "wanted"

    def decide(data: ClaimData) -> Evidence:
        study = data.study_stereotypes(STEREOTYPE_MEASURES, ("2002",))
        own = study.observations.filter(pl.col("observation") == number, pl.col("expected") == expected)
        if not own.height:
            raise InputError("stereotypical systems", wanted="scores of all five", found="some without")
        row = own.row(0, named=True)
        label = f"Observation {number}, {row['measure']}"
        finding = next(sentence for sentence in study.findings if sentence.startswith(label))
        figures = {"ratio": row["ratio"], "topics": row["topics"], "of": row["of"]}
        return Evidence(bool(row["holds"]), figures, finding.partition(" here: ")[2], "2002")

    outcome = observation.blames if measure else observation.wants
    words = f"{name}: {outcome} (ratio of {observation.one} to {observation.other}; close is within a third)"
    return Criterion(words, "a collection, 2002 grades or --simulate-grades", decide)


def compare_systems(
    measures: Sequence[str],
    systems: Sequence[str],
    test: Callable[[SystemMeans], bool],
    words: str,
    *,
    scales: Sequence[str],
    every: bool = False,
) -> Criterion:
    """Apply ``test`` to the mean scores of simulated systems; with ``every``, to those of every topic."""

    def decide(data: ClaimData) -> Evidence:
        study_data = data.choose_systems(scales)
        key = ("systems", tuple(measures), study_data.assessments.scale)
        scores = data.remember(key, lambda: data.score(study_data, measures))
        means = {measure: average_by_run(frame) for measure, frame in scores.items()}
        if any(system not in part for part in means.values() for system in systems):
            raise InputError("simulated systems", wanted=f"scores of {join_words(systems)}", found="fewer")
        by_topic = [part for part in _split_topics(scores) if _has_all(part, systems)]
        met = sum(test(part) for part in by_topic)
        figures = {
            **{f"{measure} {system}": means[measure][system] for measure in measures for system in systems},
            "topics": met,
            "of": len(by_topic),
        }
        analysis = (
            f"It holds in {met} of {pluralise(len(by_topic), 'topic')}. {_describe_scores(means, systems)}"
        )
        holds = met == len(by_topic) if every else test(means)
        return Evidence(holds, figures, analysis, study_data.assessments.scale)

    return Criterion(words, f"a collection, {name_scales(scales)}", decide)


def compare_two(
    measures: Sequence[str],
    system: str,
    relation: str,
    other: str,
    *,
    scales: Sequence[str],
    every: bool = False,
) -> Criterion:
    """Require that one system scores more, less or no more than another by each of the measures."""
    relations: dict[str, Callable[[float], bool]] = {
        "more than": lambda difference: difference > CLOSE_TO_EQUAL,
        "less than": lambda difference: difference < -CLOSE_TO_EQUAL,
        "no more than": lambda difference: difference <= CLOSE_TO_EQUAL,
    }
    words = f"{system} scores {relation} {other} by {join_words(measures, most=len(measures))}"
    return compare_systems(
        measures,
        (other, system),
        lambda means: all(relations[relation](part[system] - part[other]) for part in means.values()),
        f"{words}, in every topic" if every else words,
        scales=scales,
        every=every,
    )


def compare_with_one(measure: str, system: str, relation: str, *, scales: Sequence[str]) -> Criterion:
    """Require that the score of a system is "at" 1, or "below" it, in every topic."""

    def test(means: SystemMeans) -> bool:
        is_one = abs(means[measure][system] - 1) <= CLOSE_TO_EQUAL
        return is_one if relation == "at" else means[measure][system] < 1 and not is_one

    words = f"{measure} of {system} is {'1' if relation == 'at' else 'below 1'} in every topic"
    return compare_systems((measure,), (system,), test, words, scales=scales, every=True)


def reward_near_misses(measures: Sequence[str], *, scales: Sequence[str]) -> Criterion:
    """Require that near misses score something, but less than the elements themselves."""
    near = ("parent", "biggest-child")
    return compare_systems(
        measures,
        ("perfect", *near),
        lambda means: all(0 < part[system] < part["perfect"] for part in means.values() for system in near),
        f"parent and biggest-child score more than 0 and less than perfect by {join_words(measures)}",
        scales=scales,
    )


def choose_one_of_two(means: SystemMeans) -> bool:
    """Return whether inex_eval rewards near misses with the full base, and is neutral with the ideal one."""
    full, ideal = means["inex_eval"], means["inex_eval(base=ideal)"]
    overlap = full["repeats"] > full["perfect"] and ideal["repeats"] <= ideal["perfect"] + CLOSE_TO_EQUAL
    return overlap and full["parent"] > ideal["parent"]


def count_near_null(means: SystemMeans) -> int:
    """Return the number of stereotypical systems with a score near 0."""
    (part,) = means.values()
    return sum(part[system] < _NEAR_NULL for system in FIVE)


def _split_topics(scores: Mapping[str, pl.DataFrame]) -> list[dict[str, dict[str, float]]]:
    """Return the scores of the systems by measure, for each topic."""
    topics = next(iter(scores.values()))["topic"].unique(maintain_order=True).to_list()
    return [
        {measure: average_by_run(frame.filter(pl.col("topic") == topic)) for measure, frame in scores.items()}
        for topic in topics
    ]


def _has_all(means: SystemMeans, systems: Sequence[str]) -> bool:
    return all(system in part for part in means.values() for system in systems)


def _describe_scores(means: SystemMeans, systems: Sequence[str]) -> str:
    """List the scores of the systems by each measure, best first."""
    lists = []
    for measure, part in means.items():
        best_first = sorted(systems, key=lambda system: -part[system])
        lists.append(f"By {measure}: {', '.join(f'{system} {part[system]:.3f}' for system in best_first)}.")
    return " ".join(lists)


def _average(values: pl.Series) -> float:
    return float(values.to_numpy().mean())


@state_criterion(
    "the mean gen2002 value of elements of coverage S is below that of coverage L",
    "a collection, 2002 grades or --simulate-grades",
)
def decide_coverage_values(data: ClaimData) -> Evidence:
    """Compare the mean values of elements that are too small and too large."""
    base = recall_base(data.choose_assessments(("2002",)), data.require_collection(), quant="gen2002")
    graded = base.with_columns(relevance=pl.col("grade").str.head(1).cast(pl.Int64))
    parts = {letter: graded.filter(pl.col("grade").str.ends_with(letter)) for letter in "SL"}
    if not all(part.height for part in parts.values()):
        raise InputError("assessments", wanted="elements too small and too large", found="only one kind")
    small, large = (_average(part["gain"]) for part in parts.values())
    figures = {
        "value, too small": small,
        "value, too large": large,
        "elements, too small": parts["S"].height,
        "elements, too large": parts["L"].height,
        "relevance, too small": _average(parts["S"]["relevance"]),
        "relevance, too large": _average(parts["L"]["relevance"]),
    }
    analysis = (
        "At the same relevance both are worth the same (source 003, table 1); their mean relevance is "
        f"{figures['relevance, too small']:.2f} and {figures['relevance, too large']:.2f}."
    )
    return Evidence(small < large, figures, analysis, "2002")


@state_criterion(
    "every relevant element below the root has a relevant parent",
    "a collection, any assessments of elements or highlights",
)
def decide_ancestors(data: ClaimData) -> Evidence:
    """Count the relevant elements whose parent is relevant, too."""
    scales = ("2005", "2003", "2002", "2006")
    judged, documents = data.choose_assessments(scales), data.require_collection()
    base = recall_base(judged, documents)
    parent = pl.col("path").str.replace(r"/[^/]*$", "")
    below = base.select("topic", "doc", path=parent).filter(pl.col("path") != "")
    if not below.height:
        raise InputError("assessments", wanted="relevant elements inside others", found="none")
    orphans = below.join(base, on=["topic", "doc", "path"], how="anti").height
    figures = {
        "relevant elements below the root": below.height,
        "with a relevant parent": below.height - orphans,
    }
    analysis = (
        f"{pluralise(orphans, 'relevant element has', 'relevant elements have')} a parent without value."
    )
    return Evidence(orphans == 0, figures, analysis, judged.scale)


@state_criterion(
    "at least 18 % of the fully highlighted elements are links",
    "a collection with link elements, highlights",
)
def decide_links(data: ClaimData) -> Evidence:
    """Compute the share of links among the fully highlighted elements."""
    judged, documents = data.choose_assessments(("2006", "2005")), data.require_links()
    base = recall_base(judged, documents, quant="strict2006")
    if not base.height:
        raise InputError("assessments", wanted="fully highlighted elements", found="none")
    tags = base["path"].str.extract(r"([^/\[\]]+)\[\d+\]$")
    links = int(tags.is_in(list(LINK_TAGS)).sum())
    figures = {"fully highlighted": base.height, "links": links, "share": links / base.height}
    common = tags.value_counts(sort=True, name="count").head(3)
    analysis = (
        f"The most frequent tags are {join_words([f'{tag} ({count})' for tag, count in common.rows()])}."
    )
    return Evidence(figures["share"] >= _LINKS_2006, figures, analysis, judged.scale)
