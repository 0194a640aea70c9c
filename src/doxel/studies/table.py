"""All studies, in the order in which they are listed; the command, its help and the pages follow from it."""

from __future__ import annotations

from doxel.errors import InputError
from doxel.studies.agreement import MEASURES as AGREEMENT_MEASURES
from doxel.studies.agreement import agreement
from doxel.studies.declare import Option, Study
from doxel.studies.ideal_base import MEASURES as IDEAL_BASE_MEASURES
from doxel.studies.ideal_base import ideal_base
from doxel.studies.power import MEASURES as POWER_MEASURES
from doxel.studies.power import power
from doxel.studies.settings_study import MEASURES as SETTINGS_MEASURES
from doxel.studies.settings_study import settings
from doxel.studies.stereotype_study import MEASURES as STEREOTYPE_MEASURES
from doxel.studies.stereotype_study import stereotypes
from doxel.studies.structural_relevance import MEASURES as STRUCTURAL_MEASURES
from doxel.studies.structural_relevance import structural_relevance
from doxel.wording import did_you_mean

__all__ = ["STUDIES", "study_named"]

_NINE = (
    "bm25-articles",
    "bm25-context",
    "bm25-elements",
    "bm25-focused",
    "bm25-sections",
    "lm-focused",
    "tfidf-leaves",
    "windows-disjoint",
    "windows-overlapping",
)
_SEED = Option("seed", "The same seed gives the same figures.", int, 0, lowest=0)
_LEVEL = Option("level", "Of intervals.", float, 0.95, lowest=0.5, highest=0.999)
_TEST = Option("test", "The paired test: randomisation, t, wilcoxon or bootstrap.", str, "randomisation")
_CORRECTION = Option(
    "correction", "For many comparisons: holm, bonferroni, benjamini-hochberg, none.", str, "holm"
)


def _resamples(number: int) -> Option:
    return Option("resamples", "To draw.", int, number, lowest=1)


STUDIES: tuple[Study, ...] = (
    Study(
        "stereotypes",
        "What do measures say of systems that know the assessments?",
        "Five systems return the relevant elements, or their documents, parents, ancestors or biggest "
        "children.  Figures 1 and 2 of the paper are drawn, and its four observations checked for every "
        "measure; one that does not come out is analysed.  A measure without its @ (GR(model=inex2003)) "
        "stands for its curve over ranks.",
        "Piwowarski and Gallinari: Expected Ratio of Relevant Units (2003), section 4",
        stereotypes,
        STEREOTYPE_MEASURES,
        demo_assessments="inex2002",
        options=(
            Option(
                "simulate_grades",
                "Grade so many topics at random; no assessments are read.",
                int,
                0,
                lowest=0,
            ),
            _SEED,
        ),
    ),
    Study(
        "agreement",
        "How far do measures, or settings, rank runs alike?",
        "Kendall's tau and tau_AP between the rankings of runs, as a matrix, with intervals over topics.  "
        "With --setting each measure is taken under each setting.",
        "Lalmas and Tombros: INEX 2002-2006 (2007); Yilmaz, Aslam and Robertson (2008) for tau_AP",
        agreement,
        AGREEMENT_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(
            Option(
                "settings",
                "A setting such as 'quant=strict'; repeat at will.",
                str,
                (),
                many=True,
            ),
            _LEVEL,
            _resamples(1000),
            _SEED,
        ),
    ),
    Study(
        "ideal-base",
        "What do scores owe to the way in which the ideal recall base is built?",
        "XCG under four constructions (path, greedy, best-sum, leaves) and two tie rules (ancestor, "
        "descendant): scores, changes of rank, tau and tests against the official base.",
        "Kazai (2007), as reported by Lalmas and Tombros: INEX 2002-2006 (2007), section 3.3",
        ideal_base,
        IDEAL_BASE_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(_TEST, _CORRECTION, _resamples(10_000), _SEED),
    ),
    Study(
        "structural-relevance",
        "Does structural relevance see in the first ten results what XCG sees?",
        "SRP@10 against nxCG@10, or any two measures at a rank: over topics, topic by topic, and rank by "
        "rank for the topic on which they agree least.",
        "Ali, Consens and Lalmas: Structural Relevance in XML Retrieval Evaluation (2007)",
        structural_relevance,
        STRUCTURAL_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
    ),
    Study(
        "settings",
        "Do two settings lead to the same conclusions about the same runs?",
        "The runs are scored under A and under B.  A setting changes parameters of measures (quant=strict, "
        "overlap=off, exclude_tags=links), options (structure=SCAS, topics=run), the assessments "
        "(assessments=FILE, grades=1: one grade above none) or the runs (hints=strict: CO+S, without what "
        "the topics' structure does not ask for); several changes with ; between them.  tau, tests of every "
        "run, and the pairs of runs that are told apart under A, B or both.",
        "Lalmas and Tombros: INEX 2002-2006 (2007); Ogilvie and Lalmas (2006); Trotman and Lalmas (2006)",
        settings,
        SETTINGS_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        demo_options={"a": "overlap=on", "b": "overlap=off"},
        options=(
            Option("a", "The first setting, such as 'quant=gen'.  Default: as it is.", str, ""),
            Option("b", "The second setting, such as 'no links: exclude_tags=links'.", str, ""),
            _TEST,
            _CORRECTION,
            _LEVEL,
            _resamples(1000),
            _SEED,
        ),
    ),
    Study(
        "power",
        "How many pairs of runs does a measure tell apart, and how stable is what it says?",
        "Discriminative power: the share of pairs of runs that a paired test tells apart at p < .05, and "
        "Sakai's curve of all p.  Stability: how far disjoint samples of topics agree.",
        "Sakai (2006); Voorhees and Buckley (2002); the future work of Ali, Consens and Lalmas (2007)",
        power,
        POWER_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(
            _TEST,
            _resamples(10_000),
            Option("splits", "Pairs of samples of topics.", int, 1000, lowest=1),
            _SEED,
        ),
    ),
)


def study_named(name: str) -> Study:
    """Return a study, or say which there are."""
    for one in STUDIES:
        if one.name == name:
            return one
    names = [one.name for one in STUDIES]
    found = f"{name!r}{did_you_mean(name, names)}"
    raise InputError("a study", wanted=f"one of {', '.join(names)}", found=found)
