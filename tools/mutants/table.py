"""All mutants, and the tests that must notice them."""

from __future__ import annotations

from tools.mutants import of_evaluation, of_foundations, of_measures, of_spans
from tools.mutants.mutant import SOURCE, Mutant

__all__ = ["MUTANTS", "TESTS", "tests_of", "without_mutants"]

MUTANTS: list[Mutant] = [
    *of_measures.MUTANTS,
    *of_spans.MUTANTS,
    *of_evaluation.MUTANTS,
    *of_foundations.MUTANTS,
]

_ELEMENTS = ("tests/golden/test_worked_elements.py",)
_TEXT = ("tests/golden/test_worked_text.py",)
_GAINS = (*_ELEMENTS, "tests/properties/test_gains.py", "tests/oracle/test_quick_comparison.py")
_USERS = (
    "tests/measures/inex/test_prum.py",
    "tests/usermodels",
    "tests/evaluation/inputs/test_custom_functions.py",
    "tests/golden/test_worked_users.py",
    "tests/oracle/test_quick_comparison.py",
)
_NAMES = (
    "tests/measures/test_measure_table.py",
    "tests/measures/test_declaration.py",
)
_SPANS = (
    "tests/measures/chunks",
    "tests/evaluation/inputs/test_measure_sets.py",
    "tests/evaluation/inputs/test_token_counts.py",
    "tests/golden/test_worked_spans.py",
    "tests/oracle/test_quick_span_comparison.py",
)
_EVALUATOR = (
    "tests/evaluation/test_evaluator.py",
    "tests/evaluation/test_evaluation_result.py",
    "tests/evaluation/test_ranked_run.py",
    "tests/evaluation/inputs/test_evaluation_options.py",
    *_TEXT,
)

# the fast tests of a file, those that notice most of its mutants first; pytest stops at the first failure
TESTS: dict[str, tuple[str, ...]] = {
    "assessments/judged_pairs.py": (
        "tests/assessments/test_judged_pairs.py",
        "tests/cli/commands/test_convert.py",
        "tests/golden/test_worked_spans.py",
    ),
    "chunking/chunk_comparison.py": (
        "tests/chunking/test_chunkers.py",
        "tests/chunking/test_chunk_comparison.py",
    ),
    "chunking/chunkers.py": ("tests/chunking/test_chunkers.py", "tests/chunking/test_chunk_comparison.py"),
    "documents/structural_summary.py": (
        "tests/recallbases/test_element_base.py",
        "tests/golden/test_worked_users.py",
    ),
    "documents/tree_arrays.py": ("tests/documents/test_tree_arrays.py", "tests/recallbases"),
    "evaluation/compat/inex_eval/inex_eval_figures.py": ("tests/golden/test_inex_eval_worked.py",),
    "evaluation/evaluation_result.py": _EVALUATOR,
    "alignment/aligner.py": ("tests/alignment/test_aligner.py",),
    "alignment/folding.py": ("tests/alignment/test_folding.py",),
    "alignment/fuzzy_matching.py": ("tests/alignment/test_fuzzy_matching.py",),
    "alignment/text_index.py": ("tests/alignment/test_text_index.py",),
    "evaluation/evaluator.py": _EVALUATOR,
    "evaluation/inputs/chunk_tables.py": ("tests/evaluation/inputs/test_chunk_tables.py", *_SPANS),
    "evaluation/inputs/evaluation_options.py": _EVALUATOR,
    "evaluation/inputs/input_tables.py": ("tests/evaluation/inputs/test_input_tables.py",),
    "evaluation/inputs/measure_sets.py": ("tests/evaluation/inputs/test_measure_sets.py",),
    "evaluation/inputs/token_counts.py": _SPANS,
    "evaluation/novelty.py": (*_TEXT, *_ELEMENTS),
    "evaluation/ranked_run.py": (
        *_GAINS,
        *_TEXT,
        "tests/evaluation/test_run_requirements.py",
        "tests/evaluation/test_ranked_run.py",
        *_ELEMENTS,
        "tests/oracle/test_quick_comparison.py",
    ),
    "evaluation/recall_bases.py": _GAINS,
    "evaluation/run_requirements.py": ("tests/evaluation/test_run_requirements.py",),
    "evaluation/run_scorer.py": (*_EVALUATOR, *_ELEMENTS),
    "evaluation/views/gain_view_builders.py": (*_SPANS, *_GAINS),
    "evaluation/views/partial_overlap.py": _GAINS,
    "evaluation/views/result_gains.py": _GAINS,
    "evaluation/views/span_view_builders.py": _SPANS,
    "evaluation/views/text_view_builders.py": (*_TEXT, "tests/oracle/test_quick_comparison.py", *_ELEMENTS),
    "evaluation/views/user_view_builders.py": _USERS,
    "evaluation/views/view_builders.py": (*_TEXT, *_ELEMENTS, "tests/oracle/test_quick_comparison.py"),
    "measures/chunks/characters.py": ("tests/measures/chunks/test_characters.py",),
    "measures/chunks/chroma.py": _SPANS,
    "measures/chunks/chunk_ceilings.py": _SPANS,
    "measures/chunks/classic.py": _SPANS,
    "measures/chunks/gold_spans.py": _SPANS,
    "measures/chunks/reading_cost.py": _SPANS,
    "measures/chunks/tokens.py": _SPANS,
    "measures/declaration.py": (*_NAMES, "tests/evaluation/test_run_requirements.py"),
    "measures/gain_views.py": ("tests/measures/inex/test_xcg.py", "tests/oracle/test_quick_comparison.py"),
    "measures/inex/effort_precision.py": (
        "tests/measures/inex/test_effort_precision.py",
        "tests/measures/test_measure_table.py",
    ),
    "measures/inex/entry_points.py": _USERS,
    "measures/inex/generalised_precision.py": ("tests/measures/inex/test_generalised_precision.py",),
    "measures/inex/hixeval.py": ("tests/measures/inex/test_hixeval.py",),
    "measures/inex/inex_eval_ng.py": ("tests/measures/inex/test_inex_eval_ng.py",),
    "measures/inex/interpolated_precision.py": ("tests/measures/inex/test_interpolated_precision.py",),
    "measures/inex/precall.py": ("tests/measures/inex/test_precall.py",),
    "measures/inex/prum.py": _USERS,
    "measures/inex/result_overlap.py": ("tests/measures/inex/test_result_overlap.py",),
    "measures/inex/structural_relevance.py": ("tests/measures/inex/test_structural_relevance.py",),
    "measures/inex/tolerance_to_irrelevance.py": _USERS,
    "measures/inex/xcg.py": ("tests/measures/inex/test_xcg.py",),
    "measures/measure_table.py": (*_NAMES, "tests/measures/test_measure_table.py", *_TEXT, *_ELEMENTS),
    "measures/rank_arithmetic.py": ("tests/measures/test_rank_arithmetic.py",),
    "measures/text_views.py": (
        *_SPANS,
        "tests/measures/chunks/test_characters.py",
        "tests/measures/inex/test_interpolated_precision.py",
        "tests/measures/inex/test_hixeval.py",
        "tests/measures/inex/test_generalised_precision.py",
        *_EVALUATOR,
    ),
    "measures/user_views.py": _USERS,
    "quantisation/quantisations.py": ("tests/quantisation",),
    "recallbases/element_base.py": ("tests/recallbases",),
    "recallbases/ideal_base.py": ("tests/recallbases",),
    "runs/jsonl_runs.py": ("tests/runs/test_jsonl_runs.py",),
    "runs/result_order.py": ("tests/runs/test_result_order.py", "tests/cli/commands/test_convert.py"),
    "runs/run.py": _EVALUATOR,
    "usermodels/browsing_models.py": _USERS,
    "usermodels/target_discovery.py": _USERS,
    "spans.py": ("tests/test_spans.py", *_TEXT),
}


def tests_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the tests to run against a mutant."""
    return TESTS[mutant.file]


def without_mutants() -> list[str]:
    """Return the files of measures that have no mutants."""
    paths = (path for path in (SOURCE / "measures").rglob("*.py") if path.name != "__init__.py")
    return sorted({path.relative_to(SOURCE).as_posix() for path in paths} - set(TESTS))
