"""Texts instead of offsets give the same scores, however the texts were written.

The reference is the score of the same chunks as tuples of document, start and end.
"""

import csv
import json

import pytest

from alignment.variants import DAMAGES, HARMLESS
from doxel.evaluation import evaluate
from random_share import take_some


@pytest.fixture(scope="module")
def texts(shared_data):
    corpora = shared_data / "chunking-evaluation" / "corpora"
    return {path.stem: path.read_bytes().decode("utf-8") for path in sorted(corpora.glob("*.md"))}


@pytest.fixture(scope="module")
def gold(shared_data):
    path = shared_data / "chunking-evaluation" / "questions_df.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [
            (str(number), row["corpus_id"], reference["start_index"], reference["end_index"])
            for number, row in enumerate(csv.DictReader(file))
            for reference in json.loads(row["references"])
        ]


@pytest.fixture(scope="module")
def retrieved(texts, gold):
    """For each excerpt the chunk that begins somewhat before it, and a chunk from elsewhere."""
    run = []
    for number, (topic, doc, start, _) in enumerate(gold):
        begin = max(0, start - 37 * (number % 7))
        run.append((topic, doc, begin, min(len(texts[doc]), begin + 100 + 13 * (number % 40))))
        far = (start + 7919 * number) % (len(texts[doc]) - 400)
        run.append((topic, doc, far, far + 300))
    return run


def recall(run, gold, texts):
    return evaluate(run, gold, "char_rec@5", collection=texts).means["score"][0]


@pytest.fixture(scope="module")
def reference(retrieved, gold, texts):
    score = recall(retrieved, gold, texts)
    assert 0.4 < score < 0.9
    return score


def quote(retrieved, texts, change=str, *, offsets=False):
    return [
        {
            "topic": topic,
            "doc": doc,
            "text": change(texts[doc][start:end]),
            **({"start": start, "end": end} if offsets else {}),
        }
        for topic, doc, start, end in retrieved
    ]


@pytest.mark.parametrize("name", ["unchanged", "lower case", "joined lines", "HTML", "straight quotes"])
def test_texts_with_offsets_score_exactly_like_tuples(name, retrieved, gold, texts, reference):
    change = HARMLESS.get(name, str)
    assert recall(quote(retrieved, texts, change, offsets=True), gold, texts) == reference


def test_quoted_texts_score_exactly_like_tuples_but_for_those_at_several_places(retrieved, gold, texts):
    result = evaluate(quote(retrieved, texts), gold, "char_rec@5", collection=texts)
    unique = [
        chunk
        for chunk, places in zip(retrieved, _places(result), strict=True)
        if places == 1
    ]  # fmt: skip
    assert len(unique) > 0.7 * len(retrieved)
    assert recall(quote(unique, texts), gold, texts) == recall(unique, gold, texts)


def _places(result):
    """The number of places of each result, in the order of the run: topics are not interleaved."""
    return result.alignments["places"].to_list()


@pytest.mark.parametrize("name", take_some(HARMLESS, 3))
def test_harmless_differences_change_the_score_by_outer_white_space_only(
    name, retrieved, gold, texts, reference
):
    assert recall(quote(retrieved, texts, HARMLESS[name]), gold, texts) == pytest.approx(reference, abs=0.005)


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.integration
def test_damaged_texts_change_the_score_by_less_than_a_hundredth(name, retrieved, gold, texts, reference):
    score = recall(quote(retrieved, texts, DAMAGES[name][0]), gold, texts)
    assert score == pytest.approx(reference, abs=0.01)


def test_quoted_gold_scores_like_its_offsets(retrieved, gold, texts, reference):
    quoted = [{"topic": topic, "text": texts[doc][start:end]} for topic, doc, start, end in gold]
    assert recall(retrieved, quoted, texts) == pytest.approx(reference, abs=0.005)
