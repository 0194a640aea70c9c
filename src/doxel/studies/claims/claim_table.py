"""The table of claims: each finding of the five sources that can be asked of data, declared once.

A claim has a name that begins with its source, the place in the source, the finding in our words, and its
criterion, which names the data it needs.  What a measure is by definition is not listed, nor what only
users or assessors can answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from doxel.studies.claims import ranking_criteria as rankings
from doxel.studies.claims import run_criteria as runs
from doxel.studies.claims import system_criteria as systems
from doxel.studies.claims.claim_data import ANY_SCALE, ClaimData, Criterion
from doxel.studies.claims.ranking_criteria import EQUIVALENT, SIMILAR
from doxel.studies.stereotype_study import FIVE

__all__ = ["CLAIMS", "Claim"]

_HIGHLIGHTED = ("2006", "2005")
_GRADED = ("2005", "2003")
_THOROUGH = "MAep(task=thorough)"
_FOCUSED = "nxCG(task=focused)@10"


@dataclass(frozen=True)
class Claim:
    """A finding: its name, its place in the source, a sentence, and the criterion that decides it."""

    name: str
    source: str
    sentence: str
    criterion: Criterion


_NEUTRAL = (
    "MAep(task=focused)",
    "gr(task=focused)@1500",
    "HiXEval_R(task=focused)@1500",
    "GR(base=ideal)@1500",
    "PRUM(base=ideal)",
    "EPRUM(base=ideal)",
)
_BROWSING = (("GR", "@10"), ("PRUM", ""), ("EPRUM", ""))
_QUANTISATIONS = ("strict", "gen", "sog", "e3s321", "e3s32", "e321s3", "e32s3")

_OVERVIEW = (
    Claim(
        "000-overlap-impact",
        "source 000, historical background",
        "Nested results have a huge impact on evaluation.",
        rankings.compare_settings(
            _FOCUSED,
            "overlap=on",
            "overlap=off",
            lambda figures: figures["tau"] < SIMILAR,
            "tau of the rankings of runs is below 0.8",
            needs="runs, one of them with overlap",
            require=lambda data: data.measure_overlap(data.choose_runs(ANY_SCALE)),
        ),
    ),
    Claim(
        "000-ideal-base",
        "source 000, section 1.5",
        "The way the ideal recall base is built has a dramatic impact on evaluation.",
        rankings.decide_base_changes_rankings,
    ),
    Claim(
        "000-near-misses",
        "source 000, section 1.6 and table 2",
        "Near misses earn something by XCG, but less than ideal elements.",
        systems.reward_near_misses((_FOCUSED, "MAep(task=focused)"), scales=_HIGHLIGHTED),
    ),
    Claim(
        "000-near-misses-GR",
        "source 000, section 1.6 and table 2",
        "Near misses earn something by generalised recall, but less than ideal elements.",
        systems.reward_near_misses(("GR(model=inex2003)@10",), scales=("2002",)),
    ),
    Claim(
        "000-near-misses-users",
        "source 000, sections 1.6 and 3.5, and table 2",
        "With users who browse to parents and children, near misses earn something, but less.",
        systems.reward_near_misses(
            [f'{name}(model="parent+child", base=ideal)' + at for name, at in _BROWSING], scales=_HIGHLIGHTED
        ),
    ),
    Claim(
        "000-full-recall",
        "source 000, section 1.6; source 003, section 2",
        "Where near misses have partial scores, a system that returns all ideal elements never reaches full "
        "recall.",
        systems.compare_with_one("qR@1500", "perfect", "below", scales=ANY_SCALE),
    ),
    Claim(
        "000-overlap-positive",
        "source 000, section 1.6 and table 2; source 004, section 3",
        "inex_eval is overlap positive: text that was returned before is rewarded again.",
        systems.compare_two(("inex_eval", "qR@1500"), "repeats", "more than", "perfect", scales=ANY_SCALE),
    ),
    Claim(
        "000-overlap-negative",
        "source 000, table 2",
        "inex_eval_ng(o) is overlap negative: returning text again costs something.",
        systems.compare_two(("inex_eval_ng(variant=o)",), "repeats", "less than", "perfect", scales=_GRADED),
    ),
    Claim(
        "000-overlap-variants",
        "source 000, section 3.2",
        "inex_eval_ng(o) penalises overlap and inex_eval_ng(s) allows it.",
        systems.compare_systems(
            ("inex_eval_ng_R(variant=o)@1500", "inex_eval_ng_R(variant=s)@1500"),
            ("perfect", "repeats"),
            lambda means: (
                means["inex_eval_ng_R(variant=o)@1500"]["repeats"]
                < means["inex_eval_ng_R(variant=s)@1500"]["repeats"]
            ),
            "the recall of repeats is lower under (o) than under (s)",
            scales=_GRADED,
        ),
    ),
    Claim(
        "000-overlap-neutral",
        "source 000, section 3.3 and table 2",
        "XCG, HiXEval, GR, PRUM and EPRUM are overlap neutral: text returned again earns nothing.",
        systems.compare_two(_NEUTRAL, "repeats", "no more than", "perfect", scales=_HIGHLIGHTED),
    ),
    Claim(
        "000-either-or",
        "source 000, section 3.1; source 004, section 3",
        "With inex_eval one can reward near misses or be neutral to overlap, not both.",
        systems.compare_systems(
            ("inex_eval", "inex_eval(base=ideal)"),
            ("perfect", "parent", "repeats"),
            systems.choose_one_of_two,
            "repeats scores more than perfect with the full base only, parent more than with the ideal one",
            scales=("2006", "2005", "2003"),
        ),
    ),
    Claim(
        "000-gain-bound",
        "source 000, section 3.3",
        "Without a bound, the gains of the elements inside an ideal element can exceed its own.",
        systems.compare_two(
            ("gr(task=focused, cap=off)@1500",), "inside", "more than", "perfect", scales=_HIGHLIGHTED
        ),
    ),
    Claim(
        "000-nested-order",
        "source 000, section 3.2",
        "inex_eval_ng is very unstable if the order of two nested elements changes.",
        runs.decide_nested_order,
    ),
)

_MEASURES_2006 = (
    Claim(
        "001-focused-runs",
        "source 001, section 2; source 004, sections 2.4 and 3",
        "Where overlap is ignored, systems that choose among nested elements score poorly.",
        runs.decide_focusing,
    ),
    Claim(
        "001-ancestors",
        "source 001, section 3",
        "The ancestors of a relevant element are relevant, to varying degrees.",
        systems.decide_ancestors,
    ),
    Claim(
        "001-high-A",
        "source 001, section 7.2",
        "With a high A, such as 10, any answer in a relevant document scores nearly 1.",
        runs.decide_high_a,
    ),
    Claim(
        "001-low-A",
        "source 001, section 7.2",
        "A low A, such as 0.1, favours runs that return elements very close to the best entry point.",
        runs.decide_low_a,
    ),
    Claim(
        "001-classical",
        "source 001, section 7.2",
        "With the standard user model, EPRUM is classical precision and recall.",
        runs.require_equality("EPRUM(quant=strict, base=full)", "MAep(quant=strict, task=thorough)"),
    ),
    Claim(
        "001-classical-rank",
        "source 001, section 7.2",
        "With the standard user model, EPRUM's precision at a rank is the classical one.",
        runs.require_equality("EPRUM_Pk(quant=strict, base=full)@10", "qP(quant=strict)@10"),
    ),
)

_SLIDES = (
    Claim(
        "002-differ-power",
        "source 002, comparison across all topics",
        "SRP and XCG differ over all topics (isolation as a power).",
        rankings.compare_with_xcg("power"),
    ),
    Claim(
        "002-differ-ratio",
        "source 002, comparison across all topics",
        "SRP and XCG differ over all topics (isolation as a ratio).",
        rankings.compare_with_xcg("ratio"),
    ),
    Claim(
        "002-heuristics",
        "source 002, comparison across all topics",
        "SRP and XCG differ because of the heuristics of XCG.",
        rankings.decide_heuristics,
    ),
    Claim(
        "002-early-recall",
        "source 002, comparison across all topics",
        "SRP and XCG differ because XCG does not distinguish early from late recall.",
        runs.decide_early_recall,
    ),
)

_OBSERVED = (
    ("the perfect system is the best", "the perfect system is not the best"),
    ("ancestors is far below perfect", "ancestors is better than perfect"),
    ("parent and biggest child are close", "parent is much higher than biggest child"),
    ("document is well below biggest child", "document is close to biggest child"),
)

_ERR = (
    *(
        Claim(
            f"003-observation-{number}-{measure}",
            f"source 003, section 4.2, observation {number}",
            f"By {measure}, {outcomes[column]}.",
            systems.observe_systems(number, column),
        )
        for number, outcomes in enumerate(_OBSERVED, 1)
        for column, measure in enumerate(("ERR", "GRP"))
    ),
    Claim(
        "003-perfect-falls",
        "source 003, section 4.2, observation 1",
        "By GRP the precision of the perfect system falls quickly between recall 0.2 and 0.6.",
        systems.compare_systems(
            ("inex_eval_P@0.2", "inex_eval_P@0.6"),
            ("perfect",),
            lambda means: 2 * means["inex_eval_P@0.6"]["perfect"] < means["inex_eval_P@0.2"]["perfect"],
            "precision at 0.6 is less than half of that at 0.2",
            scales=("2002",),
        ),
    ),
    Claim(
        "003-perfect-finds-all",
        "source 003, section 4.2, observation 1",
        "By ERR the perfect system finds everything.",
        systems.compare_with_one("GR(model=inex2003)@1000", "perfect", "at", scales=("2002",)),
    ),
    Claim(
        "003-too-small",
        "source 003, section 4.2, observation 3",
        "Elements that are too small have a lower value than those that are too large.",
        systems.decide_coverage_values,
    ),
    Claim(
        "003-strict",
        "source 003, sections 2 and 4.1",
        "With strict quantisation, almost all of the systems have a precision near 0.",
        systems.compare_systems(
            ("inex_eval(quant=strict, step=0.1)",),
            FIVE,
            lambda means: systems.count_near_null(means) >= 4,
            "at least four of the five systems score below 0.05 by inex_eval(quant=strict, step=0.1)",
            scales=("2002",),
        ),
    ),
    Claim(
        "003-recall",
        "source 003, section 5",
        "Where users do not browse, the measure is generalised recall.",
        runs.require_equality("GR(base=full)@1500", "qR@1500"),
    ),
)

_REPORT = (
    Claim(
        "004-hints",
        "source 004, section 2.2",
        "Structural hints improve some results, but not significantly.",
        rankings.compare_settings(
            _THOROUGH,
            "",
            "hints=strict",
            lambda figures: figures["better under B"] > 0 == figures["significantly better under B"],
            "at least one run improves, and none significantly",
            needs="runs, topics with structure",
            require=ClaimData.require_structure,
            tests=True,
        ),
    ),
    Claim(
        "004-target-support",
        "source 004, section 2.2",
        "Whether targets are interpreted strictly matters for comparing systems; support does not.",
        rankings.decide_target_and_support,
    ),
    Claim(
        "004-fewer-grades",
        "source 004, section 2.3",
        "Fewer grades of exhaustivity lead to the same conclusions.",
        rankings.decide_fewer_grades,
    ),
    Claim(
        "004-fewer-specificity-grades",
        "source 004, section 2.3, footnote 6",
        "Fewer grades of specificity lead to the same conclusions.",
        rankings.require_agreement("inex_eval", "", "specificity_grades=2", EQUIVALENT, scales=("2003",)),
    ),
    Claim(
        "004-no-exhaustivity",
        "source 004, section 2.3",
        "Without exhaustivity the comparison of systems has similar results.",
        rankings.require_agreement(_THOROUGH, "quant=gen", "quant=spec", SIMILAR, scales=("2005",)),
    ),
    Claim(
        "004-best-overlap",
        "source 004, section 2.4",
        "The best ten runs of 2004 had 70 to 80 % overlapping elements.",
        runs.decide_best_overlap,
    ),
    Claim(
        "004-gen-sog",
        "source 004, section 3.1",
        "gen and sog agree very highly on which systems differ significantly.",
        rankings.require_agreement(
            "inex_eval", "quant=gen", "quant=sog", EQUIVALENT, scales=("2003",), tests=True
        ),
    ),
    Claim(
        "004-gen-sog-ranking",
        "source 004, section 3.1",
        "gen and sog rank systems very similarly.",
        rankings.require_agreement("inex_eval", "quant=gen", "quant=sog", EQUIVALENT, scales=("2003",)),
    ),
    Claim(
        "004-quantisations",
        "source 004, section 3.1",
        "Many quantisations rank systems similarly.",
        rankings.compare_all_rankings(
            [f"inex_eval(quant={name})" for name in _QUANTISATIONS], at_least=SIMILAR, scales=("2003",)
        ),
    ),
    Claim(
        "004-gen5-genlifted",
        "source 004, section 3.1",
        "gen5 and genLifted agree reasonably highly on which systems differ significantly.",
        rankings.require_agreement(
            _THOROUGH, "quant=gen", "quant=genlifted", SIMILAR, scales=("2005",), tests=True
        ),
    ),
    Claim(
        "004-gen5-genlifted-ranking",
        "source 004, section 3.1",
        "Whether elements that are too small count makes no large difference to the ranking of systems.",
        rankings.require_agreement(_THOROUGH, "quant=gen", "quant=genlifted", SIMILAR, scales=("2005",)),
    ),
    Claim(
        "004-strict",
        "source 004, section 3.1",
        "Strict quantisation does not distinguish systems well.",
        rankings.compare_settings(
            _THOROUGH,
            "quant=gen",
            "quant=strict",
            lambda figures: figures["significant under B"] < figures["significant under A"],
            "strict distinguishes fewer pairs of runs than gen",
            scales=_GRADED,
            tests=True,
        ),
    ),
    Claim(
        "004-links",
        "source 004, section 3.1",
        "Many fully highlighted elements are links (18 % in 2006).",
        systems.decide_links,
    ),
    Claim(
        "004-links-ranking",
        "source 004, section 3.1",
        "Whether links count can change the ranking of systems in the Focused task.",
        rankings.compare_settings(
            _FOCUSED,
            "",
            "exclude_tags=links",
            lambda figures: figures["moved"] > 0,
            "at least one run changes rank",
            needs="runs, a collection with link elements",
            require=ClaimData.require_links,
            scales=_HIGHLIGHTED,
        ),
    ),
    Claim(
        "004-MAep-iMAep",
        "source 004, section 3.2",
        "MAep and iMAep are highly correlated.",
        rankings.compare_rankings({"": (_THOROUGH, "iMAep(task=thorough)")}, at_least=EQUIVALENT),
    ),
    Claim(
        "004-XCG-inex_eval",
        "source 004, section 3.2",
        "In the Thorough task, XCG leads to the same results as inex_eval.",
        rankings.compare_rankings({"": (_THOROUGH, "inex_eval")}, at_least=EQUIVALENT),
    ),
    Claim(
        "004-MAxCG-nxCG",
        "source 004, section 3.3",
        "MAxCG and nxCG report fairly similar results at all cutoffs.",
        rankings.compare_rankings(
            {
                f"@{cutoff}": (f"MAnxCG(task=focused)@{cutoff}", f"nxCG(task=focused)@{cutoff}")
                for cutoff in (10, 25, 50)
            },
            at_least=SIMILAR,
        ),
    ),
    Claim(
        "004-normalisation",
        "source 004, section 3.3",
        "By normalised gains, the elements inside an ideal element are never better than the ideal element.",
        systems.compare_two(
            ("gr(task=focused)@1500",), "inside", "no more than", "perfect", scales=_HIGHLIGHTED, every=True
        ),
    ),
    Claim(
        "004-ideal-base",
        "source 004, section 3.3",
        "The way the ideal recall base is built can change scores.",
        rankings.decide_base_changes_scores,
    ),
)

CLAIMS: tuple[Claim, ...] = (*_OVERVIEW, *_MEASURES_2006, *_SLIDES, *_ERR, *_REPORT)
