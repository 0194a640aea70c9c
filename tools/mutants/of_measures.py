"""Mutants of the measures: src/doxel/measures."""

# ruff: noqa: E501 -- a table with one line a mutant

from __future__ import annotations

from tools.mutants.mutant import Mutant, edits

__all__ = ["MUTANTS"]

MUTANTS: list[Mutant] = [
    *edits(
        "measures/chunks/characters.py",
        ("recall divided by what was read", "cutoff), view.total)", "cutoff), _count_read(view, repeats, cutoff))"),
        ("precision over all there is", "return divide(relevant, _count_read(view, repeats, cutoff))", "return divide(relevant, view.total)"),
        ("the intersection counted twice in the union", "+ view.total - relevant)", "+ view.total)"),
        ("charged and once exchanged", 'if repeats == "charged" else', 'if repeats == "once" else'),
    ),
    *edits(
        "measures/declaration.py",
        ("undefined topics score 0", "np.where(view.defined, scores, np.nan)", "np.where(view.defined, scores, 0.0)"),
        ("a written default shows", "if declared[name].default is DEPENDS or value != declared[name].default", "if True"),
        ("parameters in the order of writing", "in sorted(self.written.items())", "in self.written.items()"),
        ("options count before what is written", "self.written.get(name, defaults.get(name, parameter.default))", "defaults.get(name, self.written.get(name, parameter.default))"),
        ("writing one parameter forgets the others", "{**self.written, **checked}", "{**checked}"),
    ),
    *edits(
        "measures/inex/effort_precision.py",
        ("points from 0 on", "_compute_at_points(view, RECALL_POINTS, ideal_curve", "_compute_at_points(view, RECALL_POINTS - 0.01, ideal_curve"),
        ("ranks from 0", "return (places + 1).astype(np.float64)", "return (places + 2).astype(np.float64)"),
        ("not divided by the length of the ideal list", "return divide(total, view.divisor)", "return total"),
        ("the ideal curve starts a rank late", "rank = index + np.minimum(", "rank = index + 1 + np.minimum("),
        ("steps rounded down", "rank = index + 1.0", "rank = index * 1.0"),
        ("beyond the ideal list nothing", "np.where(column < len(cumulated), rank, beyond)", "np.where(column < len(cumulated), rank, 0.0)"),
        ("the run's curve past its end", "np.where(goals <= gained[-1] + TOLERANCE * total, value, 0.0)", "value"),
        ("articles counted once too many", "articles = np.bincount(view.topic, minlength=view.topics).astype(np.float64)", "articles = np.bincount(view.topic, minlength=view.topics).astype(np.float64) + 1"),
        ("curves that do not go together are let through", 'and parameters["run_curve"] == "linear"', 'and parameters["run_curve"] == "none"'),
    ),
    *edits(
        "measures/inex/entry_points.py",
        ("not divided by the number of entry points", "return divide(at_rank(view.nearness.cumsum(axis=1), None), view.total)", "return at_rank(view.nearness.cumsum(axis=1), None)"),
        ("only the first result", "at_rank(view.nearness.cumsum(axis=1), None)", "at_rank(view.nearness.cumsum(axis=1), 1)"),
    ),
    *edits(
        "measures/gain_views.py",
        ("a topic with one ideal element is undefined", "(ideal > 0).any(axis=1)", "(ideal > 0).all(axis=1)"),
        ("articles limited as results", 'parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)\n    limited_by: ClassVar[str] = "articles"', "parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)"),
    ),
    *edits(
        "measures/inex/generalised_precision.py",
        ("ranks from 0", "ranks = np.arange(1, view.score.shape[1] + 1)", "ranks = np.arange(2, view.score.shape[1] + 2)"),
        ("padding and repeating exchanged", "read = cutoff if pad else", "read = cutoff if not pad else"),
        ("all articles count in MAgP", "at_relevant = view.relevant * _compute_gp(view)", "at_relevant = _compute_gp(view)"),
        ("MAgP over what was retrieved", "None), view.total)", "None), view.length)"),
        ("recall as a number of articles", "recall) * view.total[:, None]", "recall)"),
        ("recall as precision", "return divide(view.found, view.total)", "return divide(view.found, view.retrieved)"),
    ),
    *edits(
        "measures/inex/hixeval.py",
        ("precision over all there is", "at_rank(view.read, cutoff))", "view.total)"),
        ("recall over what was read", "cutoff), view.total)", "cutoff), at_rank(view.read, cutoff))"),
        ("F of precision and precision", "hixeval_r(view, cutoff=cutoff))", "hixeval_p(view, cutoff=cutoff))"),
    ),
    *edits(
        "measures/inex/inex_eval_ng.py",
        ("variants exchanged", 'if variant == "o" else', 'if variant == "s" else'),
        ("what was seen instead of what is new", "new = 1.0 - view.seen", "new = view.seen"),
        ("specific text without its size", "(view.specificity * view.size * new)", "(view.specificity * new)"),
        ("points from 0 on", "goals = RECALL_POINTS * view.total", "goals = (RECALL_POINTS - 0.01) * view.total"),
    ),
    *edits(
        "measures/inex/interpolated_precision.py",
        ("100 points", "np.arange(101) / 100", "np.arange(1, 101) / 100"),
        ("recall points of the text read", "points * view.total[:, None], view.total)", "points * view.read[:, -1:], view.total)"),
    ),
    *edits(
        "measures/measure_table.py",
        ("a cutoff after a comma is lost", 'cutoffs.append(float(self._take("number") or 0))', 'self._take("number")'),
        ("a parameter twice is let through", "if name in written:", "if name in ():"),
        ("no hint", "matches = matches or difflib.get_close_matches(name, known, 3, cutoff=0.5)", "matches = matches or []"),
        ("case matters to the hint", "if candidate.lower() == name.lower()]", "if candidate == name]"),
    ),
    *edits(
        "measures/inex/result_overlap.py",
        ("overlap with results past the cutoff", "[:, :cutoff] <= cutoff)", "[:, :cutoff] < np.inf)"),
        ("shorter lists divided by the cutoff", "np.minimum(view.length, cutoff))", "view.length * 0 + cutoff)"),
        ("from a rank later", "[:, :cutoff] <= cutoff)", "[:, :cutoff] < cutoff)"),
    ),
    *edits(
        "measures/declaration.py",
        ("the low bound is out", "else number < self.low", "else number <= self.low"),
        ("the high bound is out", "or number > self.high or", "or number >= self.high or"),
        ("infinity is a number", "not math.isfinite(number)", "math.isnan(number)"),
        ("any step", "if self.part and", "if self.part is None and"),
        ("texts without quotes", "return f'\"{value}\"'", "return value"),
    ),
    *edits(
        "measures/inex/precall.py",
        ("r instead of r + 1", "j + s * i / (r + 1.0)", "j + s * i / (r + 0.5)"),
        ("non-relevant results before the level do not count", "search_length = j + s", "search_length = s"),
        ("all of the level instead of what is missing", "_compute_precall(goal, j, goal - before, i, r)", "_compute_precall(goal, j, goal, i, r)"),
        ("what is missed counts", "return np.where(missed, 0.0, precision)", "return precision"),
        ("padding is not relevant", "np.where(is_listed, 1.0 - view.relevance, 0.0)", "1.0 - view.relevance"),
        ("rank from 0", "goal / (first + 1.0)", "goal / (first + 2.0)"),
        ("the rest of the collection with what was retrieved", "size - view.distinct[:, None] - missing", "size - missing"),
        ("generalised precision over the base", "cutoff) / cutoff", "cutoff) / view.total"),
        ("points without the last", "build_recall_points(round(1 / step))", "build_recall_points(round(1 / step))[:-1]"),
    ),
    *edits(
        "measures/rank_arithmetic.py",
        ("points from 0 on", "np.arange(1, count + 1) / count", "np.arange(count) / count"),
        ("the rank after", "min(rank, width) - 1]", "min(rank, width - 1)]"),
        ("past the end nothing", "return cumulated[:, -1 if rank is None else", "return cumulated[:, 0 if rank is None else"),
        ("no tolerance", "wanted - TOLERANCE * total[:, None]", "wanted"),
        ("the best up to a column", "np.maximum.accumulate(values[:, ::-1], axis=1, out=best[:, -2::-1])", "np.maximum.accumulate(values, axis=1, out=best[:, :-1])"),
        ("the worst from a column on", "np.maximum.accumulate", "np.minimum.accumulate"),
        ("beta not squared in the numerator", "divide((1 + beta**2) *", "divide((1 + beta) *"),
        ("precision and recall exchanged in F", "beta**2 * precision + recall)", "beta**2 * recall + precision)"),
        ("rounding counts as gain", "gains > TOLERANCE * gains.max(axis=-1, keepdims=True, initial=0.0)", "gains > 0"),
    ),
    *edits(
        "measures/declaration.py",
        ("Thorough refuses overlap", 'return () if parameters.get("task") == "thorough" else (NO_OVERLAP,)', "return (NO_OVERLAP,)"),
        ("overlap within an article", "else (GROUPED, NO_OVERLAP)", "else (GROUPED,)"),
        ("several entry points", '(ONE_PER_DOCUMENT,) if parameters.get("score") == "bep" else', '() if parameters.get("score") == "bep" else'),
    ),
    *edits(
        "measures/inex/structural_relevance.py",
        ("results past the cutoff are in the way", "(view.result < cutoff) & (view.other < cutoff)", "(view.result < cutoff)"),
        ("later results are in the way", 'if among == "earlier":\n        is_counted &= view.other < view.result', 'if among == "earlier":\n        is_counted &= view.other > view.result'),
        ("isolation by pi instead of 1 - pi", "(1.0 - view.steady) ** overlapping", "view.steady ** overlapping"),
    ),
    *edits(
        "measures/measure_table.py",
        ("aliases are not known", "for name in (measure.declaration.name, *measure.declaration.aliases)", "for name in (measure.declaration.name,)"),
        ("a family is missing", "    *result_overlap.MEASURES,\n", ""),
    ),
    *edits(
        "measures/inex/tolerance_to_irrelevance.py",
        ("not divided by what was consulted", "at_rank(view.success.cumsum(axis=1), cutoff) / cutoff", "at_rank(view.success.cumsum(axis=1), cutoff)"),
        ("half as many points", "compute_precision_at(levels, RECALL_POINTS,", "compute_precision_at(levels, RECALL_POINTS[::2],"),
    ),
    *edits(
        "measures/user_views.py",
        ("targets are numbered over all topics", "entries.target[begin:end] - first,", "entries.target[begin:end],"),
        ("the weight of all topics", "summed = np.bincount(self.target_topic, weights=self.weight, minlength=len(self.length))", "summed = np.full(len(self.length), self.weight.sum())"),
    ),
    *edits(
        "measures/inex/prum.py",
        ("a level cut by the cutoff is seen whole", "np.clip((cutoff - first) / (last - first + 1), 0.0, 1.0)", "np.clip(cutoff - first, 0.0, 1.0)"),
        ("recall points rounded down", "max(math.ceil(recall * count - TOLERANCE * count), 1) - 1", "max(math.floor(recall * count), 1) - 1"),
        ("chances add up instead of combining", "np.multiply.at(missed, entries.target, 1.0 - looked_at * entries.chance)", "np.subtract.at(missed, entries.target, looked_at * entries.chance)"),
        ("not over the rank", "np.arange(len(curve))) / cutoff", "np.arange(len(curve)))"),
        ("consulted ranks counted once less", "consulted = (run.ranks[0] * 1.0) +", "consulted = (run.ranks[0] - 1.0) +"),
    ),
    *edits(
        "measures/text_views.py",
        ("precision of the text paid for", "divide(self.found, self.read)", "divide(self.found, self.paid)"),
        ("text seen before is read again", "return self.new_size.cumsum(axis=1)", "return self.size.cumsum(axis=1)"),
        ("text seen before is found again", "return self.new_relevant.cumsum(axis=1)", "return self.relevant.cumsum(axis=1)"),
        ("the value of a result instead of the list", "return self.value.cumsum(axis=1)", "return self.value"),
        ("a task of its own is not accepted", 'TASKS = ("thorough", "focused",', 'TASKS = ("focused",'),
        ("another limit", 'results per topic that count; None for all", 1500', 'results per topic that count; None for all", 1000'),
        ("articles limited as results", '        LIMIT,\n        _ARTICLE_CHARS,\n    )\n    limited_by: ClassVar[str] = "articles"', "        LIMIT,\n        _ARTICLE_CHARS,\n    )"),
    ),
    *edits(
        "measures/inex/xcg.py",
        ("the gain of a rank instead of the list", "return padded.cumsum(axis=1)", "return padded"),
        ("the mean over one rank more", "[:, -1] / cutoff", "[:, -1] / (cutoff + 1)"),
        ("gain-recall at the cutoff of the ideal", "at_rank(view.ideal.cumsum(axis=1), None))", "at_rank(view.ideal.cumsum(axis=1), cutoff))"),
        ("the ideal list is the run", "_cumulate_gains(view.ideal, cutoff))", "_cumulate_gains(view.gains, cutoff))"),
        ("one rank fewer", "width = min(cutoff, gains.shape[1])", "width = min(cutoff - 1, gains.shape[1])"),
    ),
]  # fmt: skip
