"""Mutants of what the measures stand on: quantisation, recall bases, trees, spans."""

# ruff: noqa: E501 -- a table with one line a mutant

from __future__ import annotations

from tools.mutants.mutant import Mutant, edits

__all__ = ["MUTANTS"]

MUTANTS: list[Mutant] = [
    *edits(
        "quantisation/quantisations.py",
        ("too small counts as exhaustive", "np.where(grades.exhaustivity == TOO_SMALL, 1.0, grades.exhaustivity + 1.0)", "grades.exhaustivity + 1.0"),
        ("too small counts in gen2005", "np.maximum(grades.exhaustivity, 0.0) * grades.specificity", "np.abs(grades.exhaustivity) * grades.specificity"),
        ("sum instead of product", "grades.normalised_exhaustivity * grades.normalised_specificity", "(grades.normalised_exhaustivity + grades.normalised_specificity) / 2"),
        ("either is enough", "(grades.normalised_exhaustivity == 1) & (grades", "(grades.normalised_exhaustivity == 1) | (grades"),
        ("sog rewards exhaustivity", '0.75: "13 32"', '0.75: "31 32"'),
        ("strict in the other dimension", 'Quantisation("e3s32", ("2003",), _build_pair_lookup({1: "33 32"})', 'Quantisation("e3s32", ("2003",), _build_pair_lookup({1: "33 23"})'),
        ("another scale is let through", "if match is not None and scale in match.scales:", "if match is not None:"),
        ("the highest gain", '_gen2005, "source 004, Eq. 5", highest=2.0)', '_gen2005, "source 004, Eq. 5")'),
    ),
    *edits(
        "quantisation/quantisations.py",
        ("grades of 2005 on thirds", '"2005": 2.0}', '"2005": 3.0}'),
        ("what has no grade is negative", "return np.maximum(self.exhaustivity, 0.0) / top", "return self.exhaustivity / top"),
        ("specificity of 2003 not normalised", 'top = 3.0 if self.scale in {"2002", "2003"} else 1.0', "top = 1.0"),
    ),
    *edits(
        "recallbases/element_base.py",
        ("excluded elements gain", "return np.where(self.excluded(exclude), 0.0, gained)", "return gained"),
        ("2005 takes specificity from nowhere", 'specificity = share if scale == "2005" else', 'specificity = share if scale == "none" else'),
        ("documents that hold only grades are left out", '    has_content[elements["pair"].to_numpy()] = True\n', ""),
    ),
    *edits(
        "recallbases/ideal_base.py",
        ("ties to the descendant", "slack = _TOLERANCE if ancestor_first else -_TOLERANCE", "slack = -_TOLERANCE if ancestor_first else _TOLERANCE"),
        ("no tolerance on a path", "gain[rows] > gain[above] + slack", "gain[rows] > gain[above] + 0 * slack"),
        ("of two chosen the one with the longer path", "return is_best & ~tree.below(is_best)", "return is_best & ~tree.above(is_best)"),
        ("the lowest on a path", "np.where(gain[rows] > gain[above] + slack, rows, above)", "np.where(gain[rows] < gain[above] + slack, rows, above)"),
        ("ties of the best sum", "slack = -_TOLERANCE if ancestor_first else _TOLERANCE", "slack = _TOLERANCE if ancestor_first else -_TOLERANCE"),
        ("the best sum forgets what is below", "best = np.where(beats_below[rows], gain[rows], below[rows])", "best = gain[rows]"),
        ("greedy begins with the least", "by_depth, -np.round(gain, 12)))", "by_depth, np.round(gain, 12)))"),
        ("greedy keeps descendants", "taken | tree.below(taken) | tree.above(taken)", "taken | tree.above(taken)"),
        ("greedy keeps ancestors", "taken | tree.below(taken) | tree.above(taken)", "taken | tree.below(taken)"),
        ("paths always end at leaves", "is None else ends]] = True", "is not None else ends]] = True"),
        ("leaves of any kind", "relevant & ~tree.above(relevant)", "relevant & (tree.subtree_end == np.arange(1, len(relevant) + 1))"),
    ),
    *edits(
        "usermodels/browsing_models.py",
        ("a parent leads to its child", "(results.parent >= 0) & (results.parent == targets.row)", "(targets.parent >= 0) & (targets.parent == results.row)"),
        ("roots are siblings", '"sibling": lambda results, targets: (results.parent >= 0) &', '"sibling": lambda results, targets: (results.parent >= -1) &'),
        ("near misses add up", "chance = np.maximum(chance, np.where(", "chance = np.add(chance, np.where("),
        ("the measure's p for all", 'probability = parameters["p"] if own is None else own', 'probability = parameters["p"]'),
        ("certain near misses are refused", "not 0 < float(match[2]) <= 1", "not 0 < float(match[2]) < 1"),
        ("any passage reaches any gold span", "((results.row >= 0) | same_span)", "((results.row >= 0) | (results.start >= 0))"),
        ("words as printed", '"words": (1 / 2, 3 / 4, 7 / 8)', '"words": (7 / 8, 3 / 4, 1 / 2)'),
    ),
    *edits(
        "usermodels/target_discovery.py",
        ("later discoveries are new now", "before + (end - after)", "before + (end - before)"),
        ("all users reach", "(reached[-1:] - reached_before)", "(1.0 - reached_before)"),
    ),
    *edits(
        "documents/structural_summary.py",
        ("a link is missing", '    "redirectlink",\n', ""),
        ("descendants are no relatives", '(_compute_subtree_end(stored["descendants"])) + stored["descendants"]', '(_compute_subtree_end(stored["descendants"]))'),
    ),
    *edits(
        "documents/tree_arrays.py",
        ("an element is its own ancestor", "opened[rows + 1] = 1", "opened[rows] = 1"),
        ("an element is its own descendant", "before[self.subtree_end] > before[1:]", "before[self.subtree_end] > before[:-1]"),
    ),
    *edits(
        "spans.py",
        ("touching spans stay apart", "opens[1:] = line_start[1:] > reached[:-1]", "opens[1:] = line_start[1:] >= reached[:-1]"),
        ("the last end instead of the furthest", "reached = np.maximum.accumulate(line_end)", "reached = line_end"),
        ("groups without a gap", "stride = int(ends.max(initial=0)) + 1\n    line_start = number * stride + starts", "stride = int(ends.max(initial=0))\n    line_start = number * stride + starts"),
        ("unknown groups count", "np.where(is_known & (ends > starts) & (starts >= 0), covered, 0)", "np.where((ends > starts) & (starts >= 0), covered, 0)"),
        ("covered up to the first span only", "self._before[last] + within", "within"),
        ("gaps between spans are covered", "np.minimum(place - self._line_start[last], self.end[last] - self.start[last])", "place - self._line_start[last]"),
        ("runs begin one later", "np.repeat(begin - (ends - count), count)", "np.repeat(begin + 1 - (ends - count), count)"),
        ("negative starts are valid", "is_valid = (ends > starts) & (starts >= 0)", "is_valid = ends > starts"),
    ),
    *edits(
        "alignment/folding.py",
        ("marks and symbols stay", 'if unicodedata.category(part)[0] in "LN")', 'if unicodedata.category(part)[0] in "LNP")'),
        ("references are one character long", "width[is_reference] = references[row[is_reference], 1]", "width[is_reference] = 1"),
    ),
    *edits(
        "alignment/text_index.py",
        ("outer punctuation is lost", "return character.translate(_VARIANTS)[0] in marks", "return False"),
        ("overlapping places are missed", "at = joined.find(text, at + 1)", "at = joined.find(text, at + len(text))"),
    ),
    *edits(
        "alignment/fuzzy_matching.py",
        ("edits cost nothing", "_EDIT_COST = 1.5", "_EDIT_COST = 0.0"),
        ("the last of equal copies", "if near >= 0 else piece.start)", "if near >= 0 else -piece.start)"),
        ("what is left is not searched", "remaining += [(first, piece.first), (piece.last, last)]", "remaining += []"),
    ),
    *edits(
        "alignment/aligner.py",
        ("the last place is taken", "place = places[0]", "place = places[-1]"),
        ("offsets are never kept", "if declared.document >= 0 and declared.end >= 0 and", "if declared.document > 10**9 and"),
    ),
]  # fmt: skip
