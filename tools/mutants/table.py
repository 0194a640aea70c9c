"""All mutants, and the tests that must notice them."""

from __future__ import annotations

from tools.mutants import of_audits, of_evaluation, of_foundations, of_measures, of_spans, of_unjudged
from tools.mutants.mutant import SOURCE, Mutant

__all__ = ["MUTANTS", "TESTS", "tests_of", "without_mutants"]

MUTANTS: list[Mutant] = [
    *of_measures.MUTANTS,
    *of_spans.MUTANTS,
    *of_unjudged.MUTANTS,
    *of_audits.MUTANTS,
    *of_evaluation.MUTANTS,
    *of_foundations.MUTANTS,
]

_ELEMENTS = ("tests/golden/test_worked_elements.py",)
_TEXT = ("tests/golden/test_worked_text.py",)
_ORACLE = ("tests/oracle/test_quick_comparison.py",)
_GAINS = (*_ORACLE, *_ELEMENTS, "tests/properties/test_gains.py")
_USERS = (
    "tests/measures/inex/test_prum.py",
    "tests/usermodels",
    *_ORACLE,
    "tests/golden/test_worked_users.py",
    "tests/evaluation/inputs/test_custom_functions.py",
)
_NAMES = (
    "tests/measures/test_measure_table.py",
    "tests/measures/test_declaration.py",
)
_SPANS = (
    "tests/measures/chunks/test_characters.py",
    "tests/measures/chunks/test_chroma.py",
    "tests/measures/chunks/test_chunk_references.py",
    "tests/measures/chunks/test_classic.py",
    "tests/measures/chunks/test_gold_spans.py",
    "tests/measures/chunks/test_reading_cost.py",
    "tests/measures/chunks/test_tokens.py",
    "tests/evaluation/inputs/test_token_counts.py",
    "tests/golden/test_worked_spans.py",
    "tests/oracle/test_quick_span_comparison.py",
)
_ASPECTS = (
    "tests/golden/test_worked_aspects.py",
    "tests/measures/test_aspect_views.py",
    "tests/evaluation/views/test_aspect_view_builders.py",
    "tests/oracle/test_aspects_against_oracle.py",
)
_BUDGETS = (
    "tests/measures/test_measure_parameters.py",
    "tests/golden/test_worked_budgets.py",
    "tests/evaluation/test_result_budgets.py",
    "tests/oracle/test_budgets_against_oracle.py",
)
_EVALUATOR = (
    "tests/evaluation/test_evaluation_result.py",
    "tests/evaluation/test_evaluation_warnings.py",
    *_TEXT,
    "tests/evaluation/test_ranked_run.py",
    "tests/evaluation/inputs/test_evaluation_options.py",
    "tests/evaluation/test_evaluator.py",
    "tests/evaluation/test_scoring_job.py",
)

# the fast tests of a file, those that notice most of its mutants first; pytest stops at the first failure
TESTS: dict[str, tuple[str, ...]] = {
    "auditing/audit_cases.py": ("tests/auditing/test_audit_cases.py",),
    "auditing/auditor.py": ("tests/auditing/test_auditor.py",),
    "auditing/laws.py": ("tests/auditing/test_laws.py",),
    "evaluation/analysis/run_selection.py": ("tests/evaluation/analysis/test_run_selection.py",),
    "reports/score_tables.py": ("tests/reports/test_score_tables.py",),
    "assessments/judged_pairs.py": (
        "tests/assessments/test_judged_pairs.py",
        "tests/cli/commands/test_convert.py",
        "tests/golden/test_worked_spans.py",
    ),
    "evaluation/assessor_ranges.py": ("tests/evaluation/test_assessor_ranges.py",),
    "evaluation/residuals.py": (
        "tests/evaluation/test_residuals.py",
        "tests/golden/test_worked_unjudged.py",
        "tests/oracle/test_unjudged_against_oracle.py",
    ),
    "evaluation/views/judged_view_builders.py": (
        "tests/evaluation/views/test_judged_view_builders.py",
        "tests/golden/test_worked_unjudged.py",
    ),
    "measures/chunks/judged_text.py": ("tests/measures/chunks/test_judged_text.py",),
    "measures/judged_views.py": ("tests/measures/test_judged_views.py",),
    "pooling/judging_priorities.py": ("tests/pooling/test_judging_priorities.py",),
    "studies/holes_study.py": ("tests/studies/test_holes_study.py",),
    "chunking/chunk_comparison.py": (
        "tests/chunking/test_chunkers.py",
        "tests/chunking/test_chunk_comparison.py",
    ),
    "chunking/splitters.py": ("tests/chunking/test_splitters.py", "tests/chunking/test_chunkers.py"),
    "chunking/chunkers.py": ("tests/chunking/test_chunkers.py", "tests/chunking/test_chunk_comparison.py"),
    "evaluation/analysis/regression_gate.py": ("tests/evaluation/analysis/test_regression_gate.py",),
    "evaluation/saved_results.py": ("tests/evaluation/test_saved_results.py",),
    "documents/structural_summary.py": (
        "tests/documents/test_structural_summary.py",
        "tests/recallbases/test_element_base.py",
        "tests/golden/test_worked_users.py",
    ),
    "assess/judgement_differences.py": ("tests/assess/test_judgement_differences.py",),
    "assess/office/group_agreement.py": ("tests/assess/office/test_group_agreement.py",),
    "assess/store/adjudications.py": ("tests/assess/store/test_adjudications.py",),
    "assess/store/backup_rules.py": ("tests/assess/store/test_backup_rules.py",),
    "assess/web/connections.py": ("tests/assess/web/test_connections.py",),
    "documents/manifest.py": ("tests/documents/test_manifest.py",),
    "documents/parts.py": ("tests/documents/test_parts.py",),
    "documents/verification.py": ("tests/documents/test_verification.py",),
    "files/checksums.py": ("tests/files/test_checksums.py",),
    "search/search_index.py": ("tests/search/test_search_index.py",),
    "documents/tree_arrays.py": ("tests/documents/test_tree_arrays.py", "tests/recallbases"),
    "evaluation/compat/campaigns/bioasq_figures.py": (
        "tests/evaluation/compat/campaigns/test_bioasq_figures.py",
    ),
    "evaluation/compat/campaigns/genomics_figures.py": (
        "tests/evaluation/compat/campaigns/test_genomics_figures.py",
    ),
    "evaluation/compat/inex_eval/inex_eval_figures.py": ("tests/golden/test_inex_eval_worked.py",),
    "checks/score_warnings.py": ("tests/checks/test_score_warnings.py", "tests/golden/test_silent_doors.py"),
    "evaluation/evaluation_result.py": (
        "tests/evaluation/test_evaluator.py",
        "tests/golden/test_silent_doors.py",
        "tests/evaluation/test_evaluation_result.py",
    ),
    "alignment/successive_texts.py": ("tests/alignment/test_successive_texts.py",),
    "documents/page_places.py": ("tests/documents/test_page_places.py",),
    "assess/store/invitations.py": (
        "tests/assess/store/test_invitations.py",
        "tests/assess/test_single_judge.py",
    ),
    "assess/single_judge.py": ("tests/assess/test_single_judge.py",),
    "adapters/chunk_objects.py": ("tests/adapters/test_chunk_objects.py",),
    "adapters/name_matching.py": ("tests/adapters/test_name_matching.py",),
    "adapters/column_names.py": ("tests/adapters",),
    "alignment/aligner.py": ("tests/alignment/test_aligner.py",),
    "alignment/folding.py": ("tests/alignment/test_folding.py",),
    "alignment/fuzzy_matching.py": ("tests/alignment/test_fuzzy_matching.py",),
    "alignment/text_index.py": ("tests/alignment/test_text_index.py",),
    "evaluation/evaluator.py": _EVALUATOR,
    "evaluation/scoring_job.py": ("tests/evaluation/test_scoring_job.py", *_EVALUATOR),
    "evaluation/evaluation_warnings.py": ("tests/golden/test_silent_doors.py", *_EVALUATOR),
    "evaluation/inputs/chunk_tables.py": (
        "tests/golden/test_worked_spans.py",
        "tests/evaluation/inputs/test_chunk_tables.py",
    ),
    "evaluation/inputs/evaluation_options.py": ("tests/evaluation/inputs/test_evaluation_options.py",),
    "evaluation/inputs/input_tables.py": ("tests/evaluation/inputs/test_input_tables.py",),
    "evaluation/inputs/measure_sets.py": ("tests/evaluation/inputs/test_measure_sets.py",),
    "evaluation/inputs/token_counts.py": _SPANS,
    "evaluation/novelty.py": ("tests/evaluation/test_novelty.py", *_TEXT, *_ELEMENTS),
    "evaluation/ranked_run.py": (
        "tests/evaluation/test_ranked_run.py",
        *_ORACLE,
        "tests/evaluation/test_run_requirements.py",
        *_TEXT,
        *_ELEMENTS,
    ),
    "evaluation/recall_bases.py": ("tests/evaluation/test_recall_bases.py", *_GAINS),
    "evaluation/run_requirements.py": ("tests/evaluation/test_run_requirements.py",),
    "evaluation/run_scorer.py": (
        "tests/evaluation/test_run_scorer.py",
        "tests/evaluation/inputs/test_evaluation_options.py",
        *_ORACLE,
        "tests/golden/test_worked_users.py",
        "tests/golden/test_silent_doors.py",
        *_EVALUATOR,
    ),
    "evaluation/views/gain_view_builders.py": (
        "tests/evaluation/views/test_gain_view_builders.py",
        *_ORACLE,
        "tests/golden/test_worked_spans.py",
        "tests/oracle/test_quick_span_comparison.py",
        *_ELEMENTS,
    ),
    "evaluation/views/partial_overlap.py": ("tests/evaluation/views/test_partial_overlap.py", *_GAINS),
    "evaluation/views/result_gains.py": ("tests/evaluation/views/test_result_gains.py", *_GAINS),
    "evaluation/views/span_view_builders.py": (
        "tests/evaluation/views/test_span_view_builders.py",
        *_SPANS,
        "tests/measures/chunks/test_classic_library.py",
    ),
    "evaluation/views/text_view_builders.py": (
        "tests/evaluation/views/test_text_view_builders.py",
        *_TEXT,
        *_ORACLE,
        *_ELEMENTS,
    ),
    "evaluation/views/user_view_builders.py": (
        "tests/evaluation/views/test_user_view_builders.py",
        *_ORACLE,
        "tests/golden/test_worked_users.py",
    ),
    "evaluation/views/view_builders.py": (
        "tests/evaluation/views/test_view_builders.py",
        *_TEXT,
        *_ORACLE,
        *_ELEMENTS,
    ),
    "evaluation/result_budgets.py": _BUDGETS,
    "evaluation/views/aspect_view_builders.py": _ASPECTS,
    "measures/aspect_views.py": _ASPECTS,
    "measures/chunks/aspects.py": _ASPECTS,
    "measures/chunks/characters.py": ("tests/measures/chunks/test_characters.py",),
    "measures/chunks/chroma.py": _SPANS,
    "measures/chunks/chunk_references.py": _SPANS,
    "measures/chunks/classic.py": _SPANS,
    "measures/chunks/classic_library.py": ("tests/measures/chunks/test_classic_library.py",),
    "measures/own_measures.py": ("tests/measures/test_own_measures.py",),
    "measures/topic_arrays.py": (
        "tests/measures/test_topic_arrays.py",
        "tests/measures/test_own_measures.py",
    ),
    "measures/chunks/gold_spans.py": _SPANS,
    "measures/chunks/reading_cost.py": _SPANS,
    "files/compression.py": ("tests/files/test_compression.py", "tests/files/test_budget.py"),
    "files/outputs.py": ("tests/files/test_outputs.py",),
    "arguments.py": ("tests/test_arguments.py",),
    "markup.py": ("tests/test_markup.py", "tests/files/test_budget.py"),
    "measures/chunks/tokens.py": _SPANS,
    "measures/measure_parameters.py": (
        *_BUDGETS,
        "tests/evaluation/inputs/test_evaluation_options.py",
        "tests/evaluation/test_run_scorer.py",
        *_SPANS,
    ),
    "measures/declaration.py": (*_NAMES, "tests/evaluation/test_run_requirements.py"),
    "measures/gain_views.py": (
        "tests/measures/test_gain_views.py",
        "tests/measures/inex/test_xcg.py",
        *_ORACLE,
    ),
    "measures/inex/effort_precision.py": (
        "tests/measures/inex/test_effort_precision.py",
        "tests/measures/test_measure_table.py",
    ),
    "measures/inex/entry_points.py": (
        "tests/measures/inex/test_entry_points.py",
        "tests/golden/test_worked_users.py",
    ),
    "measures/inex/generalised_precision.py": ("tests/measures/inex/test_generalised_precision.py",),
    "measures/inex/hixeval.py": ("tests/measures/inex/test_hixeval.py",),
    "measures/inex/inex_eval_ng.py": ("tests/measures/inex/test_inex_eval_ng.py",),
    "measures/inex/interpolated_precision.py": ("tests/measures/inex/test_interpolated_precision.py",),
    "measures/inex/precall.py": ("tests/measures/inex/test_precall.py",),
    "measures/inex/prum.py": _USERS,
    "measures/inex/result_overlap.py": ("tests/measures/inex/test_result_overlap.py",),
    "measures/inex/structural_relevance.py": ("tests/measures/inex/test_structural_relevance.py",),
    "measures/inex/tolerance_to_irrelevance.py": (
        "tests/measures/inex/test_tolerance_to_irrelevance.py",
        *_ORACLE,
    ),
    "measures/inex/xcg.py": ("tests/measures/inex/test_xcg.py",),
    "measures/measure_table.py": (*_NAMES, *_ORACLE),
    "measures/rank_arithmetic.py": ("tests/measures/test_rank_arithmetic.py",),
    "measures/text_views.py": (
        "tests/measures/test_text_views.py",
        "tests/measures/inex/test_interpolated_precision.py",
        "tests/measures/inex/test_hixeval.py",
        "tests/measures/inex/test_generalised_precision.py",
        "tests/evaluation/test_run_scorer.py",
        *_SPANS,
    ),
    "measures/user_views.py": (
        "tests/measures/test_user_views.py",
        "tests/measures/inex/test_prum.py",
        "tests/evaluation/test_run_scorer.py",
        *_ORACLE,
        "tests/golden/test_worked_users.py",
    ),
    "quantisation/quantisations.py": ("tests/quantisation",),
    "recallbases/element_base.py": ("tests/recallbases",),
    "recallbases/ideal_base.py": ("tests/recallbases",),
    "runs/jsonl_runs.py": ("tests/runs/test_jsonl_runs.py",),
    "runs/result_order.py": ("tests/runs/test_result_order.py", "tests/cli/commands/test_convert.py"),
    "runs/run.py": ("tests/evaluation/test_evaluator.py",),
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
