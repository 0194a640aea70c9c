"""The data of Chroma's chunking evaluation: 472 questions with 790 excerpts of five texts.

Its figures come out as a second, slow implementation has them, which goes through lists of ranges one by one
as that project does; and beside each stands the sound measure.
"""

import csv
import json
from fractions import Fraction

import pytest

from doxel.chunking import chunker_named, compare_chunkings, cut
from doxel.documents.texts import Texts
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
            "start": one["start_index"],
            "end": one["end_index"],
            "text": one["content"],
        }
        for topic, doc, references in questions
        for one in references
    ]


@pytest.fixture(scope="module", params=["characters:400:200", "characters:300", "tokens:80:40"])
def chunks(request, texts):
    (found,) = cut(Texts(texts), [chunker_named(request.param)])
    return found


@pytest.fixture(scope="module")
def retrieved(chunks, questions):
    """Chunks that a poor retriever might find: those around the gold, some beside it, and some from afar."""
    of_document = {str(doc): part.select("start", "end").rows() for (doc,), part in chunks.group_by("doc")}
    others = sorted(of_document)
    runs = []
    for number, (topic, doc, references) in enumerate(questions):
        spans = sorted(of_document[doc])
        first = next(i for i, (_, end) in enumerate(spans) if end > references[0]["start_index"])
        near = [first + (number % 3) - 1, first, first + 1, first + 2]
        listed = [(doc, *spans[i]) for i in near if 0 <= i < len(spans)]
        listed.insert(number % 4, (others[number % 5], *of_document[others[number % 5]][number % 7]))
        if number % 50:  # and now and then nothing is found at all
            runs += [(topic, *one) for one in listed]
    return runs


def test_there_are_as_many_as_the_project_says(texts, questions, gold):
    assert (len(texts), len(questions), len(gold)) == (5, 472, 790)


def test_every_excerpt_slices_to_its_text(texts, gold):
    for one in gold:
        assert texts[one["doc"]][one["start"] : one["end"]] == one["text"]


def test_every_excerpt_is_found_as_a_quotation_unless_it_stands_twice(texts, gold):
    quoted = [{"topic": one["topic"], "doc": one["doc"], "text": one["text"]} for one in gold]
    result = evaluate([], quoted, "char_rec", collection=texts)
    lost = [one for one in gold if texts[one["doc"]].count(one["text"]) > 1]
    said = [one for one in result.warnings if one.startswith("assessments:")]
    assert said == (
        [f"assessments: {len(lost)} highlights were not found in the collection (text found several times)"]
        if lost
        else []
    )


def ranges(listed):
    """Merge closed ranges, those that share a border included."""
    merged = []
    for start, end in sorted(listed):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def size(listed):
    return sum(end - start for start, end in listed)


def without(listed, hole):
    """What is left of ranges once a hole is cut into each."""
    left = []
    for start, end in listed:
        left += [(start, min(end, hole[0]))] if start < hole[0] else []
        left += [(max(start, hole[1]), end)] if end > hole[1] else []
    return left


def meeting(one, other):
    start, end = max(one[0], other[0]), min(one[1], other[1])
    return (start, end) if start <= end else None  # a border is enough, there


def slow(doc, references, listed):
    """Recall, precision and IoU of one question, range by range."""
    marks = [(one["start_index"], one["end_index"]) for one in references]
    found, unused = [], list(marks)
    for chunk_doc, start, end in listed:
        for mark in marks if chunk_doc == doc else ():
            shared = meeting((start, end), mark)
            if shared is not None:
                unused = without(unused, shared)
                found = ranges([*found, shared])
    paid = sum(end - start for _, start, end in listed)
    both = size(found)
    return (
        Fraction(both, size(marks)),
        Fraction(both, paid) if paid else Fraction(0),
        Fraction(both, paid + size(unused)),
    )


def slow_omega(doc, references, chunks):
    marks = [(one["start_index"], one["end_index"]) for one in references]
    held, found, unused = [], [], list(marks)
    for start, end in chunks[doc]:
        for mark in marks:
            shared = meeting((start, end), mark)
            if shared is not None:
                unused = without(unused, shared)
                found = ranges([*found, shared])
                held = ranges([*held, (start, end)])
    return Fraction(size(found), size(ranges([*held, *unused]))) if found else Fraction(0)


def scores_of(result, measure):
    table = result.scores.filter(measure=measure)
    return dict(zip(table["topic"], table["score"], strict=True))


def test_chromas_figures_on_all_questions(questions, gold, retrieved, chunks):
    spans = [{key: one[key] for key in ("topic", "doc", "start", "end")} for one in gold]
    names = [f"chroma_{kind}@{AT}" for kind in ("rec", "prec", "iou")]
    result = evaluate(
        retrieved, spans, [*names, "chroma_omega", f"char_iou@{AT}", "omega_iou"], chunks=chunks
    )
    found = {name: scores_of(result, name) for name in [*names, "chroma_omega"]}
    listed = {}
    for topic, *place in retrieved:
        listed.setdefault(topic, []).append(tuple(place))
    of_document = {str(doc): part.select("start", "end").rows() for (doc,), part in chunks.group_by("doc")}
    for topic, doc, references in questions:
        wanted = slow(doc, references, listed.get(topic, [])[:AT])
        assert [found[name][topic] for name in names] == pytest.approx(
            [float(one) for one in wanted], rel=1e-12
        )
        omega = float(slow_omega(doc, references, of_document))
        assert found["chroma_omega"][topic] == pytest.approx(omega, rel=1e-12)
    assert 0.05 < sum(found[names[2]].values()) / len(questions) < 0.95


def test_sound_measures_beside_them(gold, retrieved, chunks):
    spans = [{key: one[key] for key in ("topic", "doc", "start", "end")} for one in gold]
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
    found = compare_chunkings(texts, gold, ["characters:400", "characters:400:200", "sentences:4"])
    assert found.topics == 472
    split = dict(found.table.select("chunking", "split").iter_rows())
    assert split["characters:400:200"] < split["characters:400"]
    assert (found.table["omega_rec"] == 1).all()
