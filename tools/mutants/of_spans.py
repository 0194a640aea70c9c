"""Mutants of the scores of spans, chunks and whole documents: measures and evaluation of section 12."""

# ruff: noqa: E501 -- a table with one line per mutant

from __future__ import annotations

from tools.mutants.mutant import Mutant, edits

__all__ = ["MUTANTS"]

MUTANTS: list[Mutant] = [
    *edits(
        "measures/chunks/aspects.py",
        (
            "aspects weigh the same",
            "add_up(np.where(view.is_shown(cutoff), view.weight, 0.0)), view.total)",
            "add_up(np.where(view.is_shown(cutoff), 1.0, 0.0)), view.total)",
        ),
        (
            "okay aspects are vital",
            "is_missed = (view.vital > 0) & ~view.is_shown(cutoff)",
            "is_missed = (view.weight > 0) & ~view.is_shown(cutoff)",
        ),
        (
            "redundant results take a rank",
            "counted = (1.0 - view.is_redundant).cumsum(axis=1)",
            "counted = (1.0 - 0.0 * view.is_redundant).cumsum(axis=1)",
        ),
        (
            "no discount at the second rank",
            "np.arange(2, gains.shape[1] + 2)",
            "np.maximum(np.arange(1, gains.shape[1] + 1), 2)",
        ),
        (
            "the allowance of vital aspects only",
            "allowance * view.is_shown(cutoff).sum(axis=1)",
            "allowance * (view.is_shown(cutoff) & (view.vital > 0)).sum(axis=1)",
        ),
    ),
    *edits(
        "measures/aspect_views.py",
        (
            "an aspect never shown is shown",
            "return (self.reached > 0) & (self.reached <= last)",
            "return self.reached <= last",
        ),
        (
            "shown one rank later",
            "np.where(self.reached > 0, self.reached - 1, width)",
            "np.where(self.reached > 0, self.reached, width)",
        ),
    ),
    *edits(
        "measures/measure_parameters.py",
        (
            "chars and budget together",
            "if chars is not None and budget is not None:",
            "if chars is not None and budget == chars:",
        ),
        (
            "a tokeniser without tokens",
            'if is_named and parameters.get("unit") != "tokens":',
            'if is_named and parameters.get("unit") == "chars":',
        ),
    ),
    *edits(
        "evaluation/views/aspect_view_builders.py",
        (
            "all alternatives are needed",
            "np.minimum.at(rank, aspects.aspect, find_shown_ranks",
            "np.maximum.at(rank, aspects.aspect, find_shown_ranks",
        ),
        ("redundant by one aspect", "(last > 0) & (last < position)", "(last > 0) & (last <= position)"),
        ("repeats gain", "is_new[ranked.number[~ranked.is_repeat]] = True", "is_new[:] = True"),
        (
            "a result counts only by itself",
            "result = np.concatenate([result[by_itself], first])\n    aspect = np.concatenate([aspects.aspect[span[by_itself]], shown_aspects])",
            "result = result[by_itself]\n    aspect = aspects.aspect[span[by_itself]]",
        ),
        (
            "text is that of the longest span",
            "np.minimum.at(shortest, aspects.aspect, length)",
            "shortest[aspects.aspect] = length",
        ),
        ("ties to the longer span", "(spans[2] - spans[1])[first]))", "(spans[1] - spans[2])[first]))"),
        (
            "gold spans complete nothing together",
            "np.logical_or.reduceat(by_itself | completes, self.begins)",
            "np.logical_or.reduceat(by_itself, self.begins)",
        ),
    ),
    *edits(
        "evaluation/result_budgets.py",
        (
            "a spent budget takes free results",
            "return ranked.shorten(end, before < amount)",
            "return ranked.shorten(end, before <= amount)",
        ),
        (
            "skip ends the list",
            "if spent < amount and spent + price <= amount:",
            "if spent + price <= amount and not (spent and price > amount):",
        ),
        (
            "whole takes what does not fit",
            "(spent - cost < budget.amount) & (spent <= budget.amount)",
            "spent - cost < budget.amount",
        ),
        (
            "an exact fit is cut",
            "(before < amount) & (spent > amount)",
            "(before < amount) & (spent >= amount)",
        ),
        (
            "skipped text is seen",
            "if spent + price <= amount:\n            is_taken[result[rows[0]]] = True",
            "if True:\n            is_taken[result[rows[0]]] = spent + price <= amount",
        ),
        ("repeats are new", 'if budget.charge == "new":', 'if budget.charge == "newest":'),
    ),
    *edits(
        "measures/chunks/gold_spans.py",
        (
            "a span never shown is found",
            "is_shown = (view.reached > 0) & (view.reached <= last)",
            "is_shown = view.reached <= last",
        ),
        ("the last rank does not count", "(view.reached <= last)", "(view.reached < last)"),
        (
            "recall over the spans found",
            "return divide(_count_found(view, cutoff), view.spans)",
            "return divide(_count_found(view, cutoff), _count_found(view, None))",
        ),
        (
            "the last rank instead of the first",
            "ranks.min(axis=1, initial=np.inf)",
            "view.reached.max(axis=1, initial=1)",
        ),
    ),
    *edits(
        "measures/chunks/reading_cost.py",
        (
            "the last result is read whole",
            "(beyond if view.in_characters else 0)",
            "0 * beyond",
        ),
        (
            "parts of characters",
            "np.ceil(recall * view.total - TOLERANCE * view.total)",
            "recall * view.total",
        ),
        (
            "without tolerance",
            "np.ceil(recall * view.total - TOLERANCE * view.total)",
            "np.ceil(recall * view.total)",
        ),
        ("never is soon", "characters, np.inf)", "characters, 0.0)"),
    ),
    *edits(
        "measures/chunks/tokens.py",
        ("recall is precision", "return char_rec(view", "return char_prec(view"),
        ("iou is f1", "return char_iou(view", "return char_f1(view"),
    ),
    *edits(
        "measures/chunks/chunk_references.py",
        (
            "omega_prec is omega_rec",
            '"""Precision of all chunks that contain relevant text."""\n    return char_prec(',
            '"""Precision of all chunks that contain relevant text."""\n    return char_rec(',
        ),
        (
            "greedy_iou is greedy_prec",
            "return char_iou(view, repeats=repeats, cutoff=cutoff)",
            "return char_prec(view, repeats=repeats, cutoff=cutoff)",
        ),
    ),
    *edits(
        "measures/chunks/chroma.py",
        (
            "a sound recall",
            "return divide(_count_relevant(view, cutoff), view.marked)",
            "return divide(_count_relevant(view, cutoff), view.marked / 2)",
        ),
        (
            "what is left counts once",
            "return _count_retrieved(view, cutoff) + unused",
            "return _count_retrieved(view, cutoff) + unused / 2",
        ),
        (
            "all is left",
            "unused = view.marked - at_rank(view.new_marked.cumsum(axis=1), cutoff)",
            "unused = view.marked",
        ),
        (
            "precision over all results",
            "return at_rank(view.size.cumsum(axis=1), cutoff)",
            "return at_rank(view.size.cumsum(axis=1), None) * 2",
        ),
    ),
    *edits(
        "measures/chunks/classic.py",
        ("the worst gain first", "-np.sort(-grades, axis=1)", "np.sort(grades, axis=1)"),
        (
            "what was not retrieved is forgotten",
            "(view.grade >= rel).sum(axis=1) + missed",
            "(view.grade >= rel).sum(axis=1) + 0 * missed",
        ),
        (
            "any grade is relevant",
            "return (view.grade[:, :cutoff] >= rel)",
            "return (view.grade[:, :cutoff] >= 1)",
        ),
        ("no cutoff", "grades[:, :cutoff]", "grades[:, :1000]"),
        ("the logarithm starts a rank later", "math.log2(rank + 2)", "math.log2(rank + 3)"),
    ),
    *edits(
        "measures/text_views.py",
        (
            "topics with unretrieved documents do not count",
            "retrieved | reach_grade(self.missed, parameters).any(axis=1)",
            "retrieved",
        ),
        (
            "any grade is relevant, whatever rel is",
            "grades >= lowest if lowest else grades > 0",
            "grades > 0",
        ),
        (
            "half is not the default",
            'characters that must be shown", 0.5',
            'characters that must be shown", 0.6',
        ),
    ),
    *edits(
        "evaluation/views/span_view_builders.py",
        ("a span takes all of a piece", "np.maximum(start[span], self.start[piece])", "self.start[piece]"),
        (
            "results without overlap show nothing",
            "whole = np.flatnonzero(~novelty.contested & (ranked.end > ranked.start))",
            "whole = np.flatnonzero(novelty.contested & (ranked.end > ranked.start))",
        ),
    ),
    *edits(
        "evaluation/views/span_view_builders.py",
        (
            "enough is more than enough",
            "is_enough = characters >= share * length - TOLERANCE * length",
            "is_enough = characters > share * length",
        ),
        ("spans are shown by one result alone", "characters - (characters - size)[before]", "size"),
        (
            "ranks from 0",
            "ranked.position[owner[is_enough]] + 1.0",
            "ranked.position[owner[is_enough]] + 0.0",
        ),
        (
            "what other topics read counts",
            "before[piece] - first[topic[piece]] + read_in_piece",
            "before[piece] + read_in_piece",
        ),
        (
            "a stretch begins several words",
            "np.repeat(np.arange(len(piece)), inner + 1)",
            "np.repeat(np.arange(len(piece)), 0 * inner + 1)",
        ),
        (
            "pieces as they stand in the text",
            "by_reading = np.lexsort((pieces.start, pieces.owner))",
            "by_reading = np.arange(len(pieces.start))",
        ),
        (
            "marks count once",
            "pair, start, end = ranked.assessed.spans\n    pieces = find_new_pieces(ranked)\n    meetings = pieces.meet(pair, start, end)\n    new_marked",
            "pair, start, end = ranked.assessed.passages\n    pieces = find_new_pieces(ranked)\n    meetings = pieces.meet(pair, start, end)\n    new_marked",
        ),
        (
            "retrieved documents are missed too",
            "missed[pair[pair >= 0]] = False",
            "missed[pair[pair >= 0]] |= False",
        ),
    ),
    *edits(
        "evaluation/views/gain_view_builders.py",
        (
            "seen text gains",
            "divide(ranked.new_relevant.astype(float)",
            "divide(ranked.relevant.astype(float)",
        ),
        ("neighbours share a unit", 'line + ranked.start, side="right")', "line + ranked.start)"),
        ("more gains than units do not count", "np.maximum(units, mark_gains(matrix).sum(axis=1))", "units"),
    ),
    *edits(
        "evaluation/views/span_view_builders.py",
        (
            "neighbours hold relevant text",
            "return _list_meeting_chunks(ranked, 0)",
            "return _list_meeting_chunks(ranked, 1)",
        ),
        (
            "of equal ones the longest",
            "choice = int(equal[np.argmin(self.size[equal])])",
            "choice = int(equal[np.argmax(self.size[equal])])",
        ),
        (
            "text that was shown is new again",
            "remaining[self.first[choice] : self.last[choice]] = 0",
            "remaining[self.first[choice] : self.first[choice] + 1] = 0",
        ),
        (
            "equal chunks in the order of the collection",
            "order = np.lexsort((by_id[chunk], topic))",
            "order = np.lexsort((chunk, topic))",
        ),
        (
            "chunks without new text are chosen too",
            "if best == 0:\n                break",
            "if len(choices) == len(self.chunk):\n                break",
        ),
    ),
    *edits(
        "evaluation/inputs/token_counts.py",
        (
            "words end where they begin",
            "solid & ~np.concatenate([[False], solid])[:-1]",
            "solid & np.concatenate([[True], solid])[:-1]",
        ),
        (
            "tokens that begin at the end belong",
            "return self._place(document, end) - self._place(document, start)",
            "return self._place(document, end + 1) - self._place(document, start)",
        ),
        ("a tokeniser may leave its text", "if len(starts) and (", "if not len(starts) and ("),
    ),
    *edits(
        "evaluation/inputs/chunk_tables.py",
        ("backward chunks", "not 0 <= start <= end <= MAX_OFFSET", "not 0 <= end <= MAX_OFFSET"),
        (
            "True is an offset",
            'hasattr(value, "__index__") and not isinstance(value, bool)',
            'hasattr(value, "__index__")',
        ),
    ),
    *edits(
        "adapters/chunk_objects.py",
        ("a text ends where it starts", "end = start + len(text)", "end = start"),
        ("a start of -1 is a place", "float(start) >= 0", "float(start) >= -1"),
    ),
    *edits(
        "adapters/name_matching.py",
        ("ambiguous names are unknown", "            if several:\n", "            if not several:\n"),
        (
            "random ids name documents",
            "if not RANDOM_ID.fullmatch(name)), names[0])",
            "if RANDOM_ID.fullmatch(name)), names[0])",
        ),
        (
            "unjudged documents are matched with gold",
            "if not unmatched or (matches and not known_names.complete):",
            "if not unmatched:",
        ),
    ),
    *edits(
        "adapters/column_names.py",
        ("scores are no rsv", '"rsv": ("rsv", "score", "similarity"', '"rsv": ("rsv", "similarity"'),
        ("case matters in names", '.strip("_").lower()', '.strip("_")'),
    ),
    *edits(
        "chunking/chunkers.py",
        (
            "a last chunk inside the one before",
            "first = first[(first == 0) | (first - (size - overlap) + size < count)]",
            "first = first[first >= 0]",
        ),
        (
            "overlap is a gap",
            "np.arange(0, max(count, 0), size - overlap)",
            "np.arange(0, max(count, 0), size)",
        ),
        (
            "white space before the first unit is lost",
            "np.unique(np.concatenate([[0], starts[1:], [len(text)]]))",
            "np.unique(np.concatenate([starts, [len(text)]]))",
        ),
        (
            "find_headings in code",
            "        if fence:\n",
            "        if not fence and mark is None and False:\n",
        ),
    ),
    *edits(
        "chunking/chunkers.py",
        ("overlap as large as the chunk", "size < 1 or overlap >= size", "size < 1 or overlap > size"),
        ("empty chunks", "(ends <= starts))", "(ends < starts))"),
    ),
    *edits(
        "chunking/splitters.py",
        (
            "a list of first places is believed",
            "last_start <= start < end <= len(text) and last_end < end",
            "0 <= start < end <= len(text)",
        ),
        ("offsets are believed against the text", "if passage != chunk_text and", "if False and"),
        (
            "texts that were not found are not counted",
            "counts.ways[span.how] += 1",
            'counts.ways["exact"] += 1',
        ),
    ),
    *edits(
        "alignment/successive_texts.py",
        ("overlaps need not be equal", ".astype(np.float64) ** 2", ".astype(np.float64)"),
        (
            "a text may be inside the one before",
            "cost += _CONTAINED * (after.end[None, :] <= end)",
            "cost += 0.0",
        ),
        (
            "a text may go back",
            "cost += _BACKWARDS * (after.start[None, :] < start)",
            "cost += 0.0",
        ),
        (
            "texts that follow each other are at one place",
            "return tiles",
            "return tiles[:1] * len(tiles)",
        ),
    ),
    *edits(
        "chunking/chunk_comparison.py",
        (
            "overlapping chunks are called disjoint",
            'reach = pl.col("end").cum_max()',
            'reach = pl.col("start").cum_max()',
        ),
        ("split where held", "return float((~is_whole).mean())", "return float(is_whole.mean())"),
        (
            "a span must be held with room",
            "reach[np.maximum(place, 0)] >= document * stride + end",
            "reach[np.maximum(place, 0)] > document * stride + end",
        ),
        (
            "what is paid counts once",
            "paid = choice.matrix(count_costs(choice, price)).cumsum(axis=1)[rows, place[rows]]",
            "paid = view.read[rows, place[rows]]",
        ),
        (
            "undefined topics count",
            '"characters": float(at_rank(view.paid, k)[defined].mean())',
            '"characters": float(at_rank(view.paid, k).mean() * 0.5)',
        ),
    ),
    *edits(
        "chunking/chunkers.py",
        (
            "sections are never elements",
            "np.unique(forest.start[is_section]) if is_section.any() else find_headings(text)",
            "find_headings(text)",
        ),
        ("texts of the wrong place", "texts += [text[start:end]", "texts += [text[start + 1 : end]"),
    ),
    *edits(
        "runs/result_order.py",
        (
            "the worst passage counts",
            'pl.col("rsv").max().over("topic", "doc")',
            'pl.col("rsv").min().over("topic", "doc")',
        ),
        (
            "the last passage counts",
            'keep="first", maintain_order=True)',
            'keep="last", maintain_order=True)',
        ),
        (
            "scores that rise",
            '(pl.col("rsv") <= pl.col("rsv").shift().over("topic"))',
            '(pl.col("rsv") != pl.col("rsv").shift().over("topic"))',
        ),
    ),
    *edits(
        "assessments/judged_pairs.py",
        (
            "passages of grade 0 are relevant",
            "assessments.relevant_highlights.select(columns)",
            "assessments.highlights.select(columns)",
        ),
        (
            "grades of highlights are forgotten",
            'pl.coalesce("grade", "marked", "graded",',
            'pl.coalesce("grade", "graded",',
        ),
        (
            "documents without relevance are highlighted",
            '(pl.col("grade") > 0) & pl.col("end").is_not_null()',
            'pl.col("end").is_not_null() | pl.col("grade").is_not_null()',
        ),
    ),
    *edits(
        "runs/jsonl_runs.py",
        (
            "blank lines shift line numbers",
            "if table.height != lines or not _is_valid_table(table)",
            "if not _is_valid_table(table)",
        ),
        ("unknown keys are dropped", "if types is None or (dtype", "if types is not None and (dtype"),
        ("halves of characters", '(b"\\\\u", ', "("),
    ),
]
