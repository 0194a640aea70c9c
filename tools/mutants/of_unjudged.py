"""Mutants of unjudged text: section 13, ranges over assessors, documents to judge next."""

from __future__ import annotations

from tools.mutants.mutant import Mutant, edits

__all__ = ["MUTANTS"]

MUTANTS: list[Mutant] = [
    *edits(
        "measures/chunks/judged_text.py",
        (
            "no text counts as unjudged text",
            "return divide(judged, at_rank(view.read, cutoff), otherwise=np.nan)",
            "return divide(judged, at_rank(view.read, cutoff))",
        ),
        (
            "a short list is divided by the cutoff",
            "view.length if cutoff is None else np.minimum(view.length, cutoff)",
            "view.length if cutoff is None else np.full_like(view.length, cutoff)",
        ),
        (
            "non-relevant text is charged without end",
            "charged = np.minimum(view.nonrelevant, view.total[:, None])",
            "charged = view.nonrelevant",
        ),
        (
            "mean over the relevant text read",
            "at_rank(_value_ranks(view).cumsum(axis=1), None), view.total)",
            "at_rank(_value_ranks(view).cumsum(axis=1), None), view.relevant.sum(axis=1))",
        ),
    ),
    *edits(
        "measures/judged_views.py",
        (
            "judged shares can lose their unjudged results",
            """    new_size: Matrix
    new_judged: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)
    keeps_unjudged: ClassVar[bool] = True""",
            """    new_size: Matrix
    new_judged: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)
    keeps_unjudged: ClassVar[bool] = False""",
        ),
        (
            "bpref counts topics without relevant text",
            "return self.total > 0",
            "return self.total >= 0",
        ),
    ),
    *edits(
        "evaluation/views/judged_view_builders.py",
        (
            "unjudged text is charged",
            "size = np.where(ranked.is_judged[pieces.owner], pieces.end - pieces.start, 0)",
            "size = pieces.end - pieces.start",
        ),
        (
            "topics charge each other",
            "before = judged_before[piece] - first[of_topic] + start",
            "before = judged_before[piece] + start",
        ),
        (
            "relevant text is charged",
            '"nonrelevant": before - relevant_before,',
            '"nonrelevant": before,',
        ),
        (
            "text read before counts again",
            "new_judged=ranked.matrix(np.where(ranked.is_judged, new_size, 0))",
            "new_judged=ranked.matrix(np.where(ranked.is_judged, ranked.size, 0))",
        ),
    ),
    *edits(
        "evaluation/residuals.py",
        (
            "unjudged text after the cutoff counts",
            "return ranked.take(np.flatnonzero(position < cutoff))",
            "return ranked.take(np.flatnonzero(position <= cutoff))",
        ),
        (
            "articles are cut by results",
            'by_article = measure.declaration.view.ranks == "articles"',
            "by_article = False",
        ),
        (
            "assumed documents have any grade",
            "np.concatenate([assessed.document_grade, np.full(more, grade)])",
            "np.concatenate([assessed.document_grade, np.full(more, 1.0)])",
        ),
        (
            "assumed text is missing from the recall base",
            "relevant_size=np.concatenate([assessed.relevant_size, sizes])",
            "relevant_size=np.concatenate([assessed.relevant_size, np.zeros_like(sizes)])",
        ),
        (
            "gains of elements have residuals",
            'return "" if is_of_elements else measure.find_residual(parameters)',
            "return measure.find_residual(parameters)",
        ),
    ),
    *edits(
        "evaluation/assessor_ranges.py",
        (
            "undefined topics get a range",
            'pl.when(pl.col("score").is_not_nan()).then(name).otherwise(float("nan")).alias(name)',
            "pl.col(name).fill_null(0.0).alias(name)",
        ),
        (
            "the range leaves out the assessments themselves",
            'pl.concat([scores.select(*_KEY, "score"), *(',
            'pl.concat([scores.select(*_KEY, "score").clear(), *(',
        ),
    ),
    *edits(
        "pooling/judging_priorities.py",
        (
            "the runs are not averaged",
            'shrink = pl.col("fall") / max(topics, 1) / means.height',
            'shrink = pl.col("fall") / max(topics, 1)',
        ),
        ("the least useful first", "descending=[True, False, False, False]", "descending=[False] * 4"),
    ),
    *edits(
        "studies/holes_study.py",
        (
            "another direction is kept",
            "outcome.is_significant & (self.signs == outcome.signs)",
            "outcome.is_significant & (self.signs == self.signs)",
        ),
        ("a topic may lose all documents", ".round().clip(1)", ".round()"),
    ),
]
