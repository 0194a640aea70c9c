"""The questions of Chroma's chunking evaluation as gold."""

import json

import pandas as pd
import pytest

from doxel import evaluate, read_assessments
from doxel.errors import InputError

REFERENCES = [{"content": "is open", "start_index": 9, "end_index": 16}]
TEXTS = {"gates": "The gate is open. The lamp is red."}


def write(path, rows):
    pd.DataFrame(rows, columns=["question", "references", "corpus_id"]).to_csv(path, index=False)
    return path


@pytest.fixture
def questions(tmp_path):
    rows = [('Is it "open",\nreally?', json.dumps(REFERENCES), "gates"), ("Which lamp?", "[]", "gates")]
    return write(tmp_path / "questions_df.csv", rows)


def test_rows_are_numbered_and_questions_are_kept(questions):
    gold = read_assessments(questions)
    assert (gold.format, gold.topics) == ("chroma", ["1", "2"])
    assert gold.highlights.select("topic", "doc", "start", "end", "text").rows() == [
        ("1", "gates", 9, 16, "is open")
    ]
    assert gold.questions == {"1": 'Is it "open",\nreally?', "2": "Which lamp?"}


@pytest.mark.parametrize(
    "run",
    [
        {"1": [("gates", 4, 16)]},
        {'Is it "open", really?': [("gates", 4, 16)]},
        [{"question": 'Is it "open", really?', "text": "gate is open"}],
        [{"user_input": 'Is it "open", really?', "retrieved_contexts": ["gate is open"]}],
    ],
)
def test_a_run_names_questions_by_number_or_text(questions, run):
    for gold in (questions, pd.read_csv(questions)):
        scores = evaluate(run, gold, "char_rec, char_prec", collection=TEXTS).scores
        assert scores.filter(scores["topic"] == "1")["score"].to_list() == pytest.approx([1, 7 / 12])


def test_questions_counted_from_0_are_refused(questions):
    with pytest.raises(InputError, match="by their number from 1, found topic 0"):
        evaluate({0: [("gates", 4, 16)]}, questions, "char_rec", collection=TEXTS)


@pytest.mark.parametrize(
    ("references", "sentence"),
    [
        ("[{]", "line 2: a question: wanted references such as"),
        ('[{"start_index": 5}]', "line 2: an excerpt: wanted content, or start_index and end_index"),
        ('[{"start_index": 5, "end_index": 3}]', "line 2: an excerpt: wanted an end after its start"),
        (
            '[{"start_index": -5, "end_index": 3}]',
            "line 2: the start_index: wanted a whole number, 0 or more",
        ),
    ],
)
def test_bad_references_are_reported_with_their_line(tmp_path, references, sentence):
    with pytest.raises(InputError, match=sentence):
        read_assessments(write(tmp_path / "q.csv", [("Why?", references, "gates")]))


def test_a_row_that_is_cut_short_is_reported(tmp_path):
    (tmp_path / "q.csv").write_text("question,references,corpus_id\nWhy?,[]\n")
    with pytest.raises(InputError, match="line 2: a question: wanted 3 values, with a corpus_id"):
        read_assessments(tmp_path / "q.csv")


def test_the_real_questions_are_read(shared_data):
    gold = read_assessments(shared_data / "chunking-evaluation" / "questions_df.csv")
    assert len(gold.topics) == len(gold.questions) == 472
    corpora = shared_data / "chunking-evaluation" / "corpora"
    texts = {path.stem: path.read_bytes().decode() for path in corpora.glob("*.md")}
    rows = gold.highlights.select("doc", "start", "end", "text").rows()
    assert all(texts[doc][start:end] == text for doc, start, end, text in rows)
