"""All mutants, and the tests that must notice them."""

from __future__ import annotations

from tools.mutants import of_evaluation, of_foundations, of_measures, of_spans
from tools.mutants.mutant import SOURCE, Mutant

__all__ = ["MUTANTS", "tests_of", "without_mutants"]

MUTANTS: list[Mutant] = [
    *of_measures.MUTANTS,
    *of_spans.MUTANTS,
    *of_evaluation.MUTANTS,
    *of_foundations.MUTANTS,
]

_ELEMENTS = ("tests/evaluation/test_exact_elements.py",)
_TEXT = ("tests/evaluation/test_exact_text.py",)
_GAINS = (*_ELEMENTS, "tests/measures/test_gain_properties.py", "tests/evaluation/test_exact_random.py")
_USERS = (
    "tests/measures/test_users.py",
    "tests/evaluation/test_users_exact.py",
    "tests/evaluation/test_exact_random.py",
)
_NAMES = (
    "tests/measures/test_names.py",
    "tests/measures/test_parameters.py",
    "tests/measures/test_declare.py",
)
_SPANS = (
    "tests/measures/test_spans.py",
    "tests/evaluation/test_exact_spans.py",
    "tests/evaluation/test_exact_random_spans.py",
)
_ENGINE = ("tests/evaluation/test_engine.py", *_TEXT)

# the fast tests of a file, those that notice most of its mutants first; pytest stops at the first failure
_TESTS: dict[str, tuple[str, ...]] = {
    "measures/chunks/characters.py": ("tests/measures/test_characters.py",),
    "measures/declaration.py": _NAMES,
    "measures/inex/effort_precision.py": ("tests/measures/test_effort.py", "tests/measures/test_names.py"),
    "measures/inex/entry_points.py": _USERS,
    "measures/gain_views.py": ("tests/evaluation/test_exact_random.py",),
    "measures/inex/generalised_precision.py": ("tests/measures/test_generalised.py",),
    "measures/inex/hixeval.py": ("tests/measures/test_hixeval.py",),
    "measures/inex/inex_eval_ng.py": ("tests/measures/test_inex_eval_ng.py",),
    "measures/inex/interpolated_precision.py": ("tests/measures/test_interpolated.py",),
    "measures/measure_table.py": _NAMES,
    "measures/inex/result_overlap.py": ("tests/measures/test_overlap.py",),
    "measures/declaration.py": _NAMES,
    "measures/inex/precall.py": ("tests/measures/test_precall.py",),
    "measures/rank_arithmetic.py": ("tests/measures/test_ranks.py",),
    "measures/declaration.py": ("tests/evaluation/test_requirements.py",),
    "measures/inex/structural_relevance.py": ("tests/measures/test_structural.py",),
    **dict.fromkeys(
        (
            "measures/chunks/chunk_ceilings.py",
            "measures/chunks/chroma.py",
            "measures/chunks/classic.py",
            "measures/chunks/gold_spans.py",
            "measures/chunks/reading_cost.py",
            "measures/text_views.py",
            "measures/chunks/tokens.py",
            "evaluation/views/gain_view_builders.py",
            "evaluation/views/span_view_builders.py",
            "evaluation/views/span_view_builders.py",
            "evaluation/views/span_view_builders.py",
            "evaluation/inputs/token_counts.py",
        ),
        _SPANS,
    ),
    "evaluation/inputs/chunk_tables.py": ("tests/evaluation/test_plain_chunks.py", *_SPANS),
    **dict.fromkeys(
        (
            "chunking/chunkers.py",
            "chunking/chunk_comparison.py",
            "chunking/chunkers.py",
            "chunking/chunkers.py",
        ),
        ("tests/chunking/test_splitters.py", "tests/chunking/test_comparing.py"),
    ),
    "runs/run.py": _ENGINE,
    "runs/jsonl_runs.py": ("tests/runs/test_jsonl_bulk.py",),
    "runs/result_order.py": ("tests/cli/test_convert_documents.py",),
    "assessments/judged_pairs.py": ("tests/cli/test_convert_documents.py",),
    "measures/measure_table.py": ("tests/measures/test_names.py", *_TEXT, *_ELEMENTS),
    "measures/inex/tolerance_to_irrelevance.py": _USERS,
    "measures/user_views.py": _USERS,
    "measures/inex/prum.py": _USERS,
    "measures/text_views.py": (
        "tests/measures/test_characters.py",
        "tests/measures/test_interpolated.py",
        "tests/measures/test_hixeval.py",
        *_ENGINE,
    ),
    "measures/inex/xcg.py": ("tests/measures/test_xcg.py",),
    "evaluation/views/text_view_builders.py": (*_TEXT, "tests/evaluation/test_exact_random.py"),
    "evaluation/recall_bases.py": _GAINS,
    "evaluation/views/view_builders.py": (*_TEXT, *_ELEMENTS, "tests/evaluation/test_exact_random.py"),
    "evaluation/views/user_view_builders.py": _USERS,
    "evaluation/evaluator.py": _ENGINE,
    "evaluation/evaluator.py": _ENGINE,
    "evaluation/evaluation_result.py": _ENGINE,
    "evaluation/views/gain_view_builders.py": _GAINS,
    "evaluation/views/result_gains.py": _GAINS,
    "evaluation/evaluator.py": _ENGINE,
    "evaluation/inputs/input_tables.py": ("tests/evaluation/test_inputs.py",),
    "evaluation/ranked_run.py": _GAINS,
    "evaluation/inputs/evaluation_options.py": _ENGINE,
    "evaluation/views/partial_overlap.py": _GAINS,
    "evaluation/ranked_run.py": (
        *_TEXT,
        "tests/evaluation/test_requirements.py",
        "tests/evaluation/test_exact_ties.py",
        *_ELEMENTS,
        "tests/evaluation/test_exact_random.py",
    ),
    "evaluation/run_requirements.py": ("tests/evaluation/test_requirements.py",),
    "evaluation/views/result_gains.py": _GAINS,
    "evaluation/run_scorer.py": (*_ENGINE, *_ELEMENTS),
    "evaluation/novelty.py": (*_TEXT, *_ELEMENTS),
    "evaluation/inputs/measure_sets.py": ("tests/evaluation/test_exact_sets.py",),
    "evaluation/views/user_view_builders.py": _USERS,
    "evaluation/views/text_view_builders.py": (*_TEXT, *_ELEMENTS, "tests/evaluation/test_exact_random.py"),
    "quantisation/quantisations.py": ("tests/quantisation",),
    "quantisation/quantisations.py": ("tests/quantisation",),
    "documents/tree_arrays.py": ("tests/recallbases",),
    "recallbases/element_base.py": ("tests/recallbases",),
    "recallbases/ideal_base.py": ("tests/recallbases",),
    "spans.py": ("tests/test_spans.py", *_TEXT),
}


def tests_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the tests to run against a mutant."""
    return _TESTS[mutant.file]


def without_mutants() -> list[str]:
    """Return the files of measures that have no mutants."""
    files = {f"measures/{path.name}" for path in (SOURCE / "measures").glob("*.py")}
    return sorted(files - set(_TESTS) - {"measures/__init__.py"})
