"""The data of Chroma's chunking evaluation: 472 questions with 790 excerpts of five texts.

doxel's figures agree with a second, slow implementation that processes lists of ranges one by one, as that
project does; each is compared with the sound measure.
"""

import csv
import json
from fractions import Fraction

import pytest

from doxel.chunking import compare_chunkings, cut_collection, find_chunker
from doxel.documents.collection import TextCollection
from doxel.evaluation import evaluate

AT = 5


@pytest.fixture(scope="module")
def texts(shared_data):
    corpora = shared_data / "chunking-evaluation" / "corpora"
    return {path.stem: path.read_bytes().decode("utf-8") for path in sorted(corpora.glob("*.md"))}


@pytest.fixture(scope="module")
def questions(shared_data):
    with (shared_data / "chunking-evaluation" / "questions_df.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        return [
            (str(number), row["corpus_id"], json.loads(row["references"]))
            for number, row in enumerate(csv.DictReader(file))
        ]


@pytest.fixture(scope="module")
def gold(questions):
    return [
        {
            "topic": topic,
            "doc": doc,
            "start": reference["start_index"],
            "end": reference["end_index"],
            "text": reference["content"],
        }
        for topic, doc, references in questions
        for reference in references
    ]


@pytest.fixture(scope="module", params=["characters:400:200", "characters:300", "tokens:80:40"])
def chunks(request, texts):
    (table,) = cut_collection(TextCollection(texts), [find_chunker(request.param)])
    return table


@pytest.fixture(scope="module")
def retrieved(chunks, questions):
    """Chunks that a poor retriever might find: at the gold, near it, and in other documents."""
    of_document = {str(doc): part.select("start", "end").rows() for (doc,), part in chunks.group_by("doc")}
    others = sorted(of_document)
    runs = []
    for number, (topic, doc, references) in enumerate(questions):
        spans = sorted(of_document[doc])
        first = next(i for i, (_, end) in enumerate(spans) if end > references[0]["start_index"])
        near = [first + (number % 3) - 1, first, first + 1, first + 2]
        chunk_list = [(doc, *spans[i]) for i in near if 0 <= i < len(spans)]
        chunk_list.insert(number % 4, (others[number % 5], *of_document[others[number % 5]][number % 7]))
        if number % 50:  # for some topics nothing is found
            runs += [(topic, *chunk) for chunk in chunk_list]
    return runs


def test_the_data_has_the_published_size(texts, questions, gold):
    assert (len(texts), len(questions), len(gold)) == (5, 472, 790)


def test_every_excerpt_is_the_text_at_its_offsets(texts, gold):
    for span in gold:
        assert texts[span["doc"]][span["start"] : span["end"]] == span["text"]


def test_every_excerpt_is_found_as_a_quotation_and_those_that_occur_twice_are_counted(texts, gold):
    quotations = [{"topic": span["topic"], "doc": span["doc"], "text": span["text"]} for span in gold]
    result = evaluate([], quotations, "char_rec", collection=texts)
    repeats = [span for span in gold if texts[span["doc"]].count(span["text"]) > 1]
    warnings = [warning for warning in result.warnings if warning.startswith("assessments:")]
    message = f"{len(repeats)} texts occur at several places; the first was taken"
    assert warnings == ([f"assessments: {message}"] if repeats else [])


def ranges(spans):
    """Merge closed ranges, including those that share a border."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def size(spans):
    return sum(end - start for start, end in spans)


def without(spans, hole):
    """Cut a hole into ranges and return the rest."""
    remaining = []
    for start, end in spans:
        remaining += [(start, min(end, hole[0]))] if start < hole[0] else []
        remaining += [(max(start, hole[1]), end)] if end > hole[1] else []
    return remaining


def meeting(first, second):
    start, end = max(first[0], second[0]), min(first[1], second[1])
    return (start, end) if start <= end else None  # in that project, sharing a border is enough


def slow(doc, references, chunk_list):
    """Return recall, precision and IoU of one question, range by range."""
    marks = [(reference["start_index"], reference["end_index"]) for reference in references]
    covered, unused = [], list(marks)
    for chunk_doc, start, end in chunk_list:
        for mark in marks if chunk_doc == doc else ():
            shared = meeting((start, end), mark)
            if shared is not None:
                unused = without(unused, shared)
                covered = ranges([*covered, shared])
    paid = sum(end - start for _, start, end in chunk_list)
    both = size(covered)
    return (
        Fraction(both, size(marks)),
        Fraction(both, paid) if paid else Fraction(0),
        Fraction(both, paid + size(unused)),
    )


def slow_omega(doc, references, chunks):
    marks = [(reference["start_index"], reference["end_index"]) for reference in references]
    touched, covered, unused = [], [], list(marks)
    for start, end in chunks[doc]:
        for mark in marks:
            shared = meeting((start, end), mark)
            if shared is not None:
                unused = without(unused, shared)
                covered = ranges([*covered, shared])
                touched = ranges([*touched, (start, end)])
    return Fraction(size(covered), size(ranges([*touched, *unused]))) if covered else Fraction(0)


def scores_of(result, measure):
    table = result.scores.filter(measure=measure)
    return dict(zip(table["topic"], table["score"], strict=True))


def test_chroma_figures_agree_with_the_slow_implementation_on_all_questions(
    questions, gold, retrieved, chunks
):
    spans = [{key: span[key] for key in ("topic", "doc", "start", "end")} for span in gold]
    names = [f"chroma_{kind}@{AT}" for kind in ("rec", "prec", "iou")]
    result = evaluate(
        retrieved, spans, [*names, "chroma_omega", f"char_iou@{AT}", "omega_iou"], chunks=chunks
    )
    scores = {name: scores_of(result, name) for name in [*names, "chroma_omega"]}
    chunks_of_topic = {}
    for topic, *place in retrieved:
        chunks_of_topic.setdefault(topic, []).append(tuple(place))
    of_document = {str(doc): part.select("start", "end").rows() for (doc,), part in chunks.group_by("doc")}
    for topic, doc, references in questions:
        expected = slow(doc, references, chunks_of_topic.get(topic, [])[:AT])
        assert [scores[name][topic] for name in names] == pytest.approx(
            [float(score) for score in expected], rel=1e-12
        )
        omega = float(slow_omega(doc, references, of_document))
        assert scores["chroma_omega"][topic] == pytest.approx(omega, rel=1e-12)
    assert 0.05 < sum(scores[names[2]].values()) / len(questions) < 0.95


def test_chroma_figures_are_never_above_the_sound_measures(gold, retrieved, chunks):
    spans = [{key: span[key] for key in ("topic", "doc", "start", "end")} for span in gold]
    result = evaluate(
        retrieved,
        spans,
        ["chroma_iou", "char_iou", "chroma_omega", "omega_iou", "chroma_rec", "char_rec"],
        chunks=chunks,
    )
    means = dict(result.means.select("measure", "score").iter_rows())
    overlapping = chunks.filter(chunks["doc"] == "pubmed")["start"].diff()[1] < 300
    assert means["chroma_iou"] <= means["char_iou"] + 1e-12
    if overlapping:
        assert means["chroma_iou"] < means["char_iou"]
    assert means["chroma_omega"] <= means["omega_iou"] + 1e-12
    assert means["chroma_rec"] <= means["char_rec"] + 1e-12


def test_chunkings_of_these_texts_are_compared(texts, gold):
    comparison = compare_chunkings(texts, gold, ["characters:400", "characters:400:200", "sentences:4"])
    assert comparison.topics == 472
    split = dict(comparison.table.select("chunking", "split").iter_rows())
    assert split["characters:400:200"] < split["characters:400"]
    assert (comparison.table["omega_rec"] == 1).all()
