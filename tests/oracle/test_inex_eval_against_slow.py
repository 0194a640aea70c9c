"""The evaluator against a slow and simple one that counts character by character, result by result."""

import math
from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.assessments.assessments import BEPS, HIGHLIGHTS, JUDGED, Assessments
from doxel.evaluation.compat.inex_eval.inex_eval_tool import evaluate_like_tool
from doxel.runs import RESULTS, Run
from random_share import count_cases

DOCSIZE = 40


def divided(above, below):
    return above / below if below else 0.0


class Judged:
    """The documents of a topic; marks are lists, in which a character may occur twice."""

    def __init__(self, lines):
        self.docs = {}
        self.topics = defaultdict(list)
        for topic, doc, rsize, bep, passages in lines:
            marks = [c for start, length in passages for c in range(start, start + length)]
            self.docs[topic, doc] = (rsize, bep if passages else None, marks)
            self.topics[topic].append(rsize)

    def look(self, topic, doc):
        return self.docs.get((topic, doc), (0, None, []))


def articles_of(results):
    """The articles of a topic: a list of (doc, spans), with a new list for each block."""
    result = []
    by_doc = {}
    for doc, span, new_block in results:
        if new_block:
            by_doc = {}
        if doc not in by_doc:
            by_doc[doc] = (doc, [])
            result.append(by_doc[doc])
        by_doc[doc][1].append(span)
    return result


def oracle(judged, lines, options):
    task, topics = options["task"], options["topics"]
    lists = defaultdict(list)
    before = None
    for topic, doc, span in lines:
        if topic in judged.topics:
            lists[topic].append((doc, span, topic != before))
            before = topic
    shown = sorted(judged.topics) if topics == "assessed" else sorted(lists)
    rows, curves = {}, {}
    for topic in sorted(judged.topics):
        rows[topic], curves[topic] = one_topic(judged, topic, lists[topic], options)
    counted = shown if task in {"focused", "thorough"} else sorted(judged.topics)
    overall = {"num_q": len(shown)}
    for name in next(iter(rows.values())):
        values = [rows[topic][name] for topic in (counted if name.startswith(("num_", "re")) else shown)]
        if name.startswith(("num_", "re")):
            overall[name] = sum(values)
        else:
            overall[name] = mean(values)
    points = len(next(iter(curves.values())))
    for point in range(points):
        overall[f"ircl_prn.{point / (points - 1):.2f}"] = mean([curves[topic][point] for topic in shown])
    return {topic: rows[topic] for topic in shown} | {"all": overall}


def mean(values):
    so_far = 0.0
    for value in values:
        so_far += value
    return so_far / len(values) if values else math.nan


def one_topic(judged, topic, results, options):
    task = options["task"]
    in_characters = task in {"focused", "thorough"}
    rel_size = sum(judged.topics[topic])
    num_rel = sum(rsize > 0 for rsize in judged.topics[topic])
    articles = articles_of(results)
    sizes = sizes_of(judged, topic, results, thorough=task == "thorough")
    if task == "best-in-context":
        sizes = [(0, 0) for _ in sizes]
    row = {
        "num_ret": len(articles),
        "num_rel": num_rel,
        "num_rel_ret": sum(judged.look(topic, doc)[0] > 0 for doc, _ in articles),
        "ret_size": sum(size for _, size in sizes),
        "rel_size": rel_size,
        "rel_ret_size": sum(rsize for rsize, _ in sizes),
    }
    if in_characters:
        return characters(row, sizes, rel_size)
    worth = [article_score(judged.look(topic, doc), spans, options) for doc, spans in articles]
    return generalised(row, worth, [judged.look(topic, doc)[0] > 0 for doc, _ in articles], num_rel)


def sizes_of(judged, topic, results, *, thorough):
    seen = defaultdict(set)
    sizes = []
    for doc, span, new_block in results:
        if new_block:
            seen.clear()
        rsize, _, marks = judged.look(topic, doc)
        if span is None:
            sizes.append((0, 0 if thorough and rsize > 0 else 18))
            continue
        text = set(range(*span))
        if thorough and rsize > 0:
            text -= seen[doc]
            seen[doc] |= text
        sizes.append((sum(mark in text for mark in marks) if rsize > 0 else 0, len(text)))
    return sizes


def interpolated(points, pairs):
    curve = [0.0] * points
    for recall, precision in pairs:
        place = 0 if math.isnan(recall) else math.floor((points - 1) * recall)
        for point in range(min(place, points - 1) + 1) if place < points else ():
            curve[point] = max(curve[point], precision)
    return curve


def characters(row, sizes, rel_size):
    pairs, result, read = [], 0, 0
    for rsize, size in sizes:
        result, read = result + rsize, read + size
        pairs.append((result / rel_size if rel_size else math.nan, divided(result, read)))
    curve = interpolated(101, pairs)
    for name, both, got, wanted in (
        ("art", row["num_rel_ret"], row["num_ret"], row["num_rel"]),
        ("char", row["rel_ret_size"], row["ret_size"], row["rel_size"]),
    ):
        precision, recall = divided(both, got), divided(both, wanted)
        row |= {f"{name}_prec": precision, f"{name}_rec": recall}
        row[f"{name}_f1"] = divided(2 * precision * recall, precision + recall)
    row |= {
        "iP@0": curve[0],
        "iP@0.01": curve[1],
        "iP@0.05": curve[5],
        "iP@0.1": curve[10],
        "MAiP": mean(curve),
    }
    return row, curve


def generalised(row, worth, relevant, num_rel):
    scores, hits, gained = 0.0, 0, 0.0
    precisions, recalls = [], []
    for rank, (score, hit) in enumerate(zip(worth, relevant, strict=True), 1):
        scores, hits = scores + score, hits + hit
        precisions.append(scores / rank)
        recalls.append(hits / num_rel if num_rel else math.nan)
        gained += precisions[-1] if hit else 0.0
    for cutoff in (1, 2, 3, 5, 10, 25, 50):
        row[f"gP@{cutoff}"] = precisions[: min(cutoff, len(worth))][-1] if worth else 0.0
        row[f"gR@{cutoff}"] = recalls[: min(cutoff, len(worth))][-1] if worth else 0.0
    row["MAgP"] = gained / num_rel if num_rel else math.nan
    return row, interpolated(11, zip(recalls, precisions, strict=True))


def article_score(document, spans, options):
    beta, n = options["beta"], options["n"]
    rsize, bep, marks = document
    if rsize == 0:
        return 0.0
    if options["task"] == "best-in-context":
        if bep is None or spans[0] is None:
            return 0.0
        return max(0, n - abs(bep - spans[0][0])) / n
    resolved = sorted(span for span in spans if span is not None)
    if options["score"] == "t2i":
        return reader(marks, resolved, options["tolerance"]) if resolved else 0.0
    size = sum(18 if span is None else span[1] - span[0] for span in spans)
    result = sum(start <= mark < end for mark in marks for start, end in resolved)
    precision, recall = divided(result, size), result / rsize
    return divided((1 + beta * beta) * precision * recall, beta * beta * precision + recall)


def reader(marks, spans, tolerance):
    retrieved = [c for start, end in spans for c in range(start, end)]
    rest = [c for c in range(DOCSIZE) if c not in set(retrieved)]
    good = bad = 0
    for character in retrieved + rest:
        if bad == tolerance:
            break
        if character in marks:
            good += 1
        else:
            bad += 1
    return divided(good, good + bad)


def faulty(lines, judged, task):
    """Whether the tool rejects the run, by the definitions."""
    block, previous_topic, previous_doc = {}, None, None
    for topic, doc, span in lines:
        if topic not in judged.topics:
            continue
        if topic != previous_topic:
            block, previous_doc = {}, None
        previous_topic = topic
        again = doc in block
        if task in {"relevant-in-context", "best-in-context"} and again and doc != previous_doc:
            return True
        if task == "best-in-context" and again:
            return True
        text = set() if span is None else set(range(*span))
        if task in {"focused", "relevant-in-context"} and block.get(doc, set()) & text:
            return True
        block[doc] = block.get(doc, set()) | text
        previous_doc = doc
    return False


passages = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 15)), max_size=3)
judgements = st.dictionaries(
    st.tuples(st.sampled_from("123"), st.sampled_from("ABCD")),
    st.tuples(passages, st.integers(0, 30), st.integers(-5, 5)),
    min_size=1,
)
spans = st.none() | st.tuples(st.integers(0, 45), st.integers(0, 12)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
results = st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("ABCDE"), spans), max_size=12)


@st.composite
def runs(draw):
    """Runs, half of them sorted, so that many are accepted in context."""
    lines = draw(results)
    return sorted(lines, key=lambda line: line[:2]) if draw(st.booleans()) else lines


def judged_lines(drawn):
    for (topic, doc), (marks, bep, error) in drawn.items():
        rsize = max(0, sum(length for _, length in marks) + error) if marks else 0
        yield topic, doc, rsize, bep, marks if rsize else []


def as_assessments(lines):
    judged, highlights, beps = [], [], []
    for topic, doc, rsize, bep, marks in lines:
        about = {"topic": topic, "doc": doc}
        judged.append(about | {"rsize": rsize, "docsize": DOCSIZE})
        highlights += [about | {"start": start, "end": start + length} for start, length in marks]
        beps += [about | {"position": bep}] if marks else []
    tables = JUDGED.from_rows(judged), HIGHLIGHTS.from_rows(highlights)
    return Assessments("2006", *tables, beps=BEPS.from_rows(beps))


def as_run(lines):
    rows = [
        {
            "topic": topic,
            "doc": doc,
            "start": -1 if span is None else span[0],
            "end": -1 if span is None else span[1],
        }
        for topic, doc, span in lines
    ]
    return Run("test", RESULTS.from_rows(rows))


settings_of_the_tool = st.fixed_dictionaries(
    {
        "task": st.sampled_from(["focused", "thorough", "relevant-in-context", "t2i", "best-in-context"]),
        "topics": st.sampled_from(["assessed", "run"]),
        "score": st.none(),
        "beta": st.sampled_from([0.25, 1.0, 3.0]),
        "n": st.integers(1, 60),
        "tolerance": st.integers(1, 60),
    }
).map(lambda o: o | {"task": "relevant-in-context", "score": "t2i"} if o["task"] == "t2i" else o)


@settings(max_examples=count_cases(400), deadline=None)
@given(judgements, runs(), settings_of_the_tool)
def test_every_figure_agrees_with_the_slow_evaluator(drawn, lines, options):
    judged = list(judged_lines(drawn))
    outcome = evaluate_like_tool(as_run(lines), as_assessments(judged), **options)
    assert (outcome.rejected is not None) == faulty(lines, Judged(judged), options["task"])
    if outcome.rejected is None:
        result = defaultdict(dict)
        for topic, measure, value in outcome.rows:
            result[topic][measure] = value
        # repr distinguishes all doubles, and NaN equals NaN
        wanted = oracle(Judged(judged), lines, options)
        assert {key: sorted(map(repr, row.items())) for key, row in result.items()} == {
            key: sorted(map(repr, row.items())) for key, row in wanted.items()
        }
