"""The table of all studies, in display order; the command, its help and the pages are derived from it."""

from __future__ import annotations

from doxel.errors import InputError
from doxel.studies.claims.claims_study import study_claims
from doxel.studies.holes_study import MEASURES as HOLES_MEASURES
from doxel.studies.holes_study import study_holes
from doxel.studies.ideal_base_study import MEASURES as IDEAL_BASE_MEASURES
from doxel.studies.ideal_base_study import study_ideal_base
from doxel.studies.measure_agreement_study import MEASURES as AGREEMENT_MEASURES
from doxel.studies.measure_agreement_study import MEASURES as POWER_MEASURES
from doxel.studies.measure_agreement_study import study_agreement
from doxel.studies.power_study import study_power
from doxel.studies.settings_study import MEASURES as SETTINGS_MEASURES
from doxel.studies.settings_study import study_settings
from doxel.studies.stereotype_study import MEASURES as STEREOTYPE_MEASURES
from doxel.studies.stereotype_study import study_stereotypes
from doxel.studies.structural_relevance_study import MEASURES as STRUCTURAL_MEASURES
from doxel.studies.structural_relevance_study import study_structural_relevance
from doxel.studies.study_declaration import Study, StudyOption
from doxel.wording import did_you_mean

__all__ = ["STUDIES", "find_study"]

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
_SEED = StudyOption(
    "seed", "Seed of the random numbers; the same seed gives the same figures.", int, 0, lowest=0
)
_LEVEL = StudyOption("level", "Confidence level of the intervals.", float, 0.95, lowest=0.5, highest=0.999)
_TEST = StudyOption("test", "The paired test: randomisation, t, wilcoxon or bootstrap.", str, "randomisation")
_CORRECTION = StudyOption(
    "correction",
    "The correction for multiple comparisons: holm, bonferroni, benjamini-hochberg or none.",
    str,
    "holm",
)
_SIMULATED = StudyOption(
    "simulate_grades", "Grade N topics at random instead of reading assessments.", int, 0, lowest=0
)


def _make_resamples_option(number: int) -> StudyOption:
    return StudyOption("resamples", "Number of random resamples.", int, number, lowest=1)


STUDIES: tuple[Study, ...] = (
    Study(
        "stereotypes",
        "How do measures score systems that know the assessments?",
        "Five systems return the relevant elements, or their documents, parents, ancestors or biggest "
        "children.  The study draws figures 1 and 2 of Piwowarski and Gallinari (2003), checks the four "
        "observations of that paper for every measure, and explains those that do not hold.  A measure that "
        "takes a cutoff but has none, such as GR(model=inex2003), is computed at every rank and drawn as a "
        "curve.",
        "Piwowarski and Gallinari: Expected Ratio of Relevant Units (2003), section 4",
        study_stereotypes,
        STEREOTYPE_MEASURES,
        demo_assessments="inex2002",
        options=(
            _SIMULATED,
            _SEED,
        ),
    ),
    Study(
        "agreement",
        "How similarly do measures, or settings, rank runs?",
        "Kendall's tau and tau_AP between the rankings of runs, as a matrix, with intervals over topics.  "
        "With --setting each measure is evaluated under each setting.",
        "Lalmas and Tombros: INEX 2002-2006 (2007); Yilmaz, Aslam and Robertson (2008) for tau_AP",
        study_agreement,
        AGREEMENT_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(
            StudyOption(
                "settings",
                "A setting such as 'quant=strict'; can be repeated.",
                str,
                (),
                many=True,
            ),
            _LEVEL,
            _make_resamples_option(1000),
            _SEED,
        ),
    ),
    Study(
        "ideal-base",
        "How much do scores depend on how the ideal recall base is built?",
        "The measures of extended cumulated gain (XCG), such as nxCG, under four constructions (path, "
        "greedy, best-sum, leaves) and two tie rules (ancestor, descendant): scores, changes of rank, tau "
        "and tests against the official base.",
        "Kazai (2007), as reported by Lalmas and Tombros: INEX 2002-2006 (2007), section 3.3",
        study_ideal_base,
        IDEAL_BASE_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(_TEST, _CORRECTION, _make_resamples_option(10_000), _SEED),
    ),
    Study(
        "structural-relevance",
        "Do structural relevance and extended cumulated gain agree on the first ten results?",
        "SRP@10 against nxCG@10, or any two measures with a cutoff: over all topics, topic by topic, and "
        "rank by rank for the topic on which they agree least.",
        "Ali, Consens and Lalmas: Structural Relevance in XML Retrieval Evaluation (2007)",
        study_structural_relevance,
        STRUCTURAL_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
    ),
    Study(
        "settings",
        "Do two settings lead to the same conclusions about the same runs?",
        "The runs are scored under A and under B.  A setting changes parameters of measures (quant=strict, "
        "overlap=off, exclude_tags=links), options (structure=SCAS, topics=run), the assessments "
        "(assessments=FILE, grades=1: one grade above zero, specificity_grades=1 likewise) or the runs "
        "(hints=strict: without results that do not match the structure of the topics' queries); separate "
        "several changes by semicolons.  The study reports tau, a test for every run, and the pairs of runs "
        "that differ significantly under A, B or both.",
        "Lalmas and Tombros: INEX 2002-2006 (2007); Ogilvie and Lalmas (2006); Trotman and Lalmas (2006)",
        study_settings,
        SETTINGS_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        demo_options={"a": "overlap=on", "b": "overlap=off"},
        options=(
            StudyOption("a", "The first setting, such as 'quant=gen'.  Default: no change.", str, ""),
            StudyOption("b", "The second setting, such as 'no links: exclude_tags=links'.", str, ""),
            _TEST,
            _CORRECTION,
            _LEVEL,
            _make_resamples_option(1000),
            _SEED,
        ),
    ),
    Study(
        "power",
        "How many pairs of runs does a measure distinguish, and how stable are its rankings?",
        "Discriminative power: the share of pairs of runs that differ at p < .05 in a paired test, and "
        "Sakai's curve of all p-values.  Stability: how well disjoint samples of topics agree.",
        "Sakai (2006); Voorhees and Buckley (2002); the future work of Ali, Consens and Lalmas (2007)",
        study_power,
        POWER_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(
            _TEST,
            _make_resamples_option(10_000),
            StudyOption("splits", "Number of random pairs of topic samples.", int, 1000, lowest=1),
            _SEED,
        ),
    ),
    Study(
        "holes",
        "Which conclusions survive when fewer documents are judged?",
        "The judged documents of each topic are cut down at random.  With the remaining judgements, unjudged "
        "results count as not relevant, or are removed; both are compared with all judgements: tau between "
        "the rankings of runs, the significant differences that are kept, lost or reversed, and how many "
        "full scores are at most score + residual.",
        "Buckley and Voorhees (2004); Sakai (2007); Zobel (1998)",
        study_holes,
        HOLES_MEASURES,
        demo_assessments="qrels",
        demo_runs=_NINE,
        options=(
            StudyOption(
                "shares",
                "A share of the judged documents to keep, such as 0.5; can be repeated.  Default: 0.75, 0.5, "
                "0.25 and 0.1.",
                float,
                (),
                many=True,
                lowest=0.01,
                highest=0.99,
            ),
            StudyOption("trials", "Number of random cuts to each share.", int, 5, lowest=1),
            _TEST,
            _CORRECTION,
            _make_resamples_option(1000),
            _SEED,
        ),
    ),
    Study(
        "claims",
        "Which findings of the papers can be reproduced on these data?",
        "Five papers on the evaluation of XML retrieval, which the page Sources of the documentation lists, "
        "report findings.  Each finding that data can test has a criterion, fixed in advance.  It is "
        "'reproduced', 'not reproduced', or 'cannot be asked' if the data lack something that the "
        "criterion needs.  The study gives the figures, an analysis of findings that are not reproduced, "
        "and a list of missing data.  -a can be repeated with assessments of different scales; without "
        "runs, simulated systems take their place.",
        "the five documents of the page Sources",
        study_claims,
        (),
        demo_assessments=("inex2002", "inex2003", "inex2005", "qrels"),
        demo_runs=_NINE,
        runs_optional=True,
        options=(
            StudyOption(
                "claims",
                "A claim by name, or the beginning of names, such as 004; can be repeated.  Default: all.",
                str,
                (),
                many=True,
            ),
            _SIMULATED,
            _make_resamples_option(1000),
            _SEED,
        ),
    ),
)


def find_study(name: str) -> Study:
    """Return the study with this name; raise an error with the available names if there is none."""
    for study in STUDIES:
        if study.name == name:
            return study
    names = [study.name for study in STUDIES]
    hint = did_you_mean(name, names)
    raise InputError("a study", wanted=f"one of {', '.join(names)}", found=f"{name!r}{hint}")
