"""Chunks as users have them: quoted texts, LangChain documents, LlamaIndex nodes, lists by topic."""

import math

import polars as pl
import pytest

from doxel.adapters.adapter_table import is_by_topic
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.chunk_tables import as_chunks

TEXTS = {
    "report": "All is well. The pump was replaced in May.\nNobody was hurt. All is well.",
    "notes/memo.md": "The pump   failed in April.\n\nIt is new now.",
}
PUMP = TEXTS["report"].index("The pump")
GOLD = [("q1", "report", PUMP, PUMP + 29)]  # The pump was replaced in May.


class LangChainDocument:
    """The public part of a LangChain document."""

    def __init__(self, page_content, **metadata):
        self.page_content, self.metadata = page_content, metadata


class TextNode:
    """The public part of a LlamaIndex node."""

    def __init__(self, text, start=None, end=None, doc=None, **metadata):
        self.text, self.metadata = text, metadata
        self.start_char_idx, self.end_char_idx, self.ref_doc_id = start, end, doc

    def get_content(self):
        return self.text


class NodeWithScore:
    def __init__(self, node, score):
        self.node, self.score = node, score


def recall(retrieved, gold=GOLD, at="@1", **how):
    result = evaluate(retrieved, gold, f"char_rec{at}", **{"collection": TEXTS, **how})
    return result.scores["score"].to_list()


# ---- gold as quotations


@pytest.mark.parametrize(
    "gold",
    [
        [{"topic": "q1", "doc": "report", "text": "The pump was replaced in May."}],
        [{"topic": "q1", "doc": "report", "text": "The  pump was\nreplaced in May."}],
        [
            {"topic": "q1", "text": "The pump was replaced in May."}
        ],  # found in the only document that contains it
        {"q1": ["The pump was replaced in May."]},
        {"q1": [("report", PUMP, PUMP + 29)]},
        {"q1": [{"doc": "report", "start": PUMP, "end": PUMP + 29}]},
        pl.DataFrame({"topic": ["q1"], "text": ["The pump was replaced in May."]}),
    ],
)
def test_gold_texts_are_found_at_their_offsets(gold):
    half = [("q1", "report", PUMP, PUMP + 8), ("q1", "report", PUMP + 8, PUMP + 29)]
    assert recall(half, gold, "@1,2") == pytest.approx([8 / 29, 1])


def test_gold_that_is_not_found_is_reported():
    gold = {
        "q1": ["The pump was replaced in May.", "never written"],
        "q2": ["All is well."],
        "q3": ["nor this"],
    }
    result = evaluate([("q1", "report", PUMP, PUMP + 29)], gold, "char_rec", collection=TEXTS)
    assert "assessments: 1 text occurs at several places; the first was taken" in result.warnings
    assert "assessments: 2 quoted passages are not in the documents; no run can find them" in result.warnings
    scores = dict(result.scores.select("topic", "score").iter_rows())
    assert list(scores) == ["q1", "q2", "q3"]
    assert scores["q1"] == 1
    assert scores["q2"] == 0
    assert math.isnan(scores["q3"])


def test_gold_that_is_not_found_in_its_document_is_reported():
    gold = [{"topic": "q1", "doc": "report", "text": "failed in April"}, *_dicts(GOLD)]
    result = evaluate({"mine": []}, gold, "char_rec", collection=TEXTS)
    assert "assessments: 1 quoted passage is not in the documents; no run can find it" in result.warnings


def _dicts(spans):
    return [dict(zip(("topic", "doc", "start", "end"), span, strict=True)) for span in spans]


# ---- retrieved chunks


SENTENCE = "The pump was replaced in May."
SHAPES = {
    "texts": [SENTENCE],
    "texts with other white space": ["The pump was  replaced\tin May. "],
    "spans": [("report", PUMP, PUMP + 29)],
    "dicts": [{"doc": "report", "text": SENTENCE}],
    "dicts with a score": [{"doc": "report", "start": PUMP, "end": PUMP + 29, "score": 0.5}],
    "LangChain with start_index": [LangChainDocument(SENTENCE, source="report", start_index=PUMP)],
    "LangChain without": [LangChainDocument(SENTENCE, source="report")],
    "LangChain that lost its chunk": [LangChainDocument(SENTENCE, source="report", start_index=-1)],
    "LangChain without a source": [LangChainDocument(SENTENCE)],
    "LangChain with scores": [(LangChainDocument(SENTENCE, source="report", start_index=PUMP), 0.25)],
    "nodes": [TextNode(SENTENCE, PUMP, PUMP + 29, "report")],
    "nodes with scores": [NodeWithScore(TextNode(SENTENCE, PUMP, PUMP + 29, "report"), 0.9)],
    "nodes without places": [NodeWithScore(TextNode(SENTENCE, doc="report"), None)],
    "nodes that name a file": [TextNode(SENTENCE, file_name="report")],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_retrieved_chunks_may_be_listed_by_topic(shape):
    assert recall({"q1": SHAPES[shape]}) == [1]
    named = evaluate(
        {"mine": {"q1": SHAPES[shape]}, "empty": {"q1": []}}, GOLD, "char_rec@1", collection=TEXTS
    )
    assert named.means.select("run", "score").rows() == [("mine", 1.0), ("empty", 0.0)]


def test_spans_need_no_texts():
    for shape in ("spans", "LangChain with start_index", "nodes", "nodes with scores", "dicts with a score"):
        assert recall({"q1": SHAPES[shape]}, collection=None) == [1]


def test_the_order_of_a_list_is_the_ranking_despite_the_scores():
    # LangChain's scores may be distances: the smallest is the best
    documents = [
        (LangChainDocument(SENTENCE, source="report", start_index=PUMP), 0.1),
        (LangChainDocument("It is new now.", source="memo"), 0.9),
    ]
    assert recall({"q1": documents}) == [1]
    assert recall({"q1": documents[::-1]}, at="@1,2") == [0, 1]


def test_a_source_may_be_a_path():
    gold = {"q1": ["It is new now."]}
    for source in ("notes/memo.md", "memo.md", "memo", "/data/notes/memo.md"):
        assert recall({"q1": [LangChainDocument("It is new now.", source=source)]}, gold) == [1]


def test_texts_that_are_not_found_keep_their_rank_and_are_reported():
    result = evaluate({"q1": ["never written", SENTENCE]}, GOLD, "char_rec@1,2, char_prec", collection=TEXTS)
    assert result.scores["score"].to_list() == [0, 1, 1]
    assert "run: 1 text was not found; it keeps its rank and counts as retrieving nothing" in result.warnings


def test_empty_texts_keep_their_rank_and_are_reported_as_empty():
    result = evaluate({"q1": ["", " \n", SENTENCE]}, GOLD, "char_rec@2,3", collection=TEXTS)
    assert result.scores["score"].to_list() == [0, 1]
    assert [str(warning) for warning in result.warnings if warning.code == "R105"] == [
        "run: 2 texts are empty; they keep their rank and count as retrieving nothing"
    ]


def test_texts_missing_or_ambiguous_in_their_document_are_reported():
    rows = [{"doc": "report", "text": "All is well."}, {"doc": "report", "text": "failed"}, *SHAPES["spans"]]
    result = evaluate({"q1": rows}, GOLD, "char_rec", collection=TEXTS)
    assert result.scores["score"].to_list() == [1]
    assert "run: 1 text occurs at several places; the first was taken" in result.warnings
    assert "run: 1 text was not found; it keeps its rank and counts as retrieving nothing" in result.warnings


@pytest.mark.parametrize(
    ("retrieved", "sentence"),
    [
        ({"q1": ["text"]}, "wanted a doc in every row, or collection=.*, no collection"),
        ({"q1": [SENTENCE, 5]}, "run 'run', topic 'q1', chunk 2: wanted a text, .* found 5"),
        ({"q1": [("report", 9, 3)]}, "row 1: .* found start 9, end 3"),
    ],
)
def test_invalid_chunks_raise_an_error(retrieved, sentence):
    with pytest.raises(InputError, match=sentence):
        evaluate(retrieved, GOLD, "char_rec")


def test_offsets_of_all_chunks_are_whole_numbers():
    for start, end in ((0, True), (0.5, 3), (None, 3)):
        with pytest.raises(InputError, match=r"chunk 1: wanted doc, start and end, 0 <= start <= end, found"):
            evaluate({"q1": [SENTENCE]}, GOLD, "omega_rec", collection=TEXTS, chunks=[("report", start, end)])


def test_documents_that_are_not_texts_raise_an_error():
    with pytest.raises(InputError, match="the document 'report': wanted its text as a string, found bytes"):
        recall({"q1": [SENTENCE]}, collection={"report": b"All is well."})
    with pytest.raises(InputError, match=r"collection: wanted .*, found"):
        recall({"q1": [SENTENCE]}, collection=["All is well."])


def test_mappings_from_topics_are_recognised():
    assert is_by_topic({"q1": ["text"]})
    assert is_by_topic({"q1": [], "q2": [("d", 0, 5)]})
    assert not is_by_topic({"mine": [("q1", "d", 0, 5)]})
    assert not is_by_topic({"mine": [{"topic": "q1", "doc": "d"}]})
    assert not is_by_topic({"mine": "a.run"})
    assert not is_by_topic({"mine": pl.DataFrame({"topic": ["q1"], "doc": ["d"]})})
    assert not is_by_topic({})


def test_a_text_that_differs_from_its_offsets_is_reported_and_placed_by_its_text():
    chunks = [
        LangChainDocument(SENTENCE, source="report", start_index=PUMP),
        LangChainDocument(SENTENCE.replace(" ", "  "), source="report", start_index=PUMP),
        TextNode(SENTENCE, 0, 12, "report"),
    ]
    result = evaluate({"q1": chunks}, GOLD, "char_rec", collection=TEXTS)
    message = [warning for warning in result.warnings if "differ" in warning]
    assert message == [
        "run: 2 texts differ from the document at their offsets; they were placed by their text"
    ]
    assert result.alignments.select("rank", "start", "how").rows() == [
        (1, PUMP, "offsets"),
        (2, PUMP, "folded"),
        (3, PUMP, "exact"),
    ]
    assert evaluate({"q1": chunks[:1]}, GOLD, "char_rec", collection=TEXTS).warnings == ()
    assert recall({"q1": chunks[2:]}) == [1]


# ---- pandas itself


def test_pandas_frames_are_accepted():
    pandas = pytest.importorskip("pandas")
    gold = pandas.DataFrame([{"topic": "q1", "text": SENTENCE, "doc": None}])
    run = pandas.DataFrame(
        [
            {"query": "q1", "doc_id": "report", "start": PUMP, "end": PUMP + 8, "score": 0.5},
            {"query": "q1", "doc_id": "report", "start": PUMP, "end": PUMP + 29, "score": 0.9},
        ]
    )
    assert recall(run, gold) == [1]
    assert recall(run, pandas.DataFrame(_dicts(GOLD))) == [1]


# ---- all chunks of a chunking


@pytest.mark.parametrize(
    "source",
    [
        [("b", 5, 9), ("a", 0, 3), ("b", 0, 5)],
        [
            {"doc": "b", "start": 5, "end": 9},
            {"doc": "a", "start": 0, "end": 3},
            {"doc": "b", "start": 0, "end": 5},
        ],
        pl.DataFrame({"doc": ["b", "a", "b"], "start": [5, 0, 0], "end": [9, 3, 5]}),
        pl.LazyFrame({"doc": ["b", "a", "b"], "start": [5, 0, 0], "end": [9, 3, 5]}),
        [TextNode("", 5, 9, "b"), TextNode("", 0, 3, "a"), TextNode("", 0, 5, "b")],
    ],
)
def test_chunks_are_grouped_by_document(source):
    assert as_chunks(source, None).rows() == [("b", 0, 5), ("b", 5, 9), ("a", 0, 3)]


def test_chunks_may_be_in_a_file(tmp_path):
    file = tmp_path / "chunks.jsonl"
    file.write_text('{"doc": "a", "start": 0, "end": 3}\n')
    assert as_chunks(file, None).rows() == [("a", 0, 3)]
