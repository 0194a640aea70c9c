"""One result in the shapes of retrieval libraries."""

import numpy as np
import pytest

from adapters.library_objects import (
    Chunk,
    HaystackDocument,
    LangChainDocument,
    NodeWithScore,
    ScoredPoint,
    SourceNode,
    TextNode,
)
from doxel.adapters.adapter_table import adapt_chunk
from doxel.adapters.chunk_objects import convert_mapping
from doxel.errors import InputError
from doxel.evaluation import evaluate

RANDOM = "0e3b8a5e-9f0b-4c7e-8d57-1f6ac0a5b0a1"


def place(chunk):
    row = adapt_chunk(chunk, "a chunk")
    return row["names"], row.get("start"), row.get("end"), row.get("text"), row.get("rsv")


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        ("All is well.", ([], None, None, "All is well.", None)),
        (("report", 3, 9), (["report"], 3, 9, None, None)),
        ([7, 3, 9], (["7"], 3, 9, None, None)),
        (LangChainDocument("abc", {"source": "report", "start_index": 5}), (["report"], 5, 8, "abc", None)),
        (LangChainDocument("abc", {"source": "report", "start_index": -1}),
         (["report"], None, None, "abc", None)),
        (LangChainDocument("abc", {}, id="x"), (["x"], None, None, "abc", None)),
        (LangChainDocument("abc", None), ([], None, None, "abc", None)),
        ((LangChainDocument("abc", {"source": "r"}), np.float32(0.5)), (["r"], None, None, "abc", 0.5)),
        ({"doc": "r", "from": 5, "to": 8}, (["r"], 5, 8, None, None)),
        ({"doc": "r", "from": "Anna", "to": "Ben"}, (["r"], None, None, None, None)),
        (TextNode("abc", 5, 8, RANDOM, file_name="r.md", file_path="/d/r.md"),
         ([RANDOM, "/d/r.md", "r.md", "5a8c46b6-5d7d-4b69-9a6f-3b9c8f6f1b11"], 5, 8, "abc", None)),
        (NodeWithScore(TextNode("abc", 5, 8, "r"), 0.25),
         (["r", "5a8c46b6-5d7d-4b69-9a6f-3b9c8f6f1b11"], 5, 8, "abc", 0.25)),
        (TextNode("abc", source=SourceNode({"file_name": "r"})),
         (["r", "5a8c46b6-5d7d-4b69-9a6f-3b9c8f6f1b11"], None, None, "abc", None)),
        (HaystackDocument("abc", {"source_id": "s", "split_idx_start": 4}, 0.5, id="h"),
         (["s", "h"], 4, 7, "abc", 0.5)),
        (HaystackDocument(None, {"file_path": "a.png"}, id="h"), (["a.png", "h"], None, None, None, None)),
        (ScoredPoint({"document_id": "r", "text": "abc", "start": 4}, 0.5), (["r", "1"], 4, 7, "abc", 0.5)),
        (Chunk("abc", 4, 7), ([], 4, 7, "abc", None)),
        ({"doc": "r", "start": 1, "end": 2, "score": 3}, (["r"], 1, 2, None, 3)),
        ({"_id": "c1", "_score": 0.5, "_source": {"file_name": "r", "content": "abc"}},
         (["r", "c1"], None, None, "abc", 0.5)),
    ],
)  # fmt: skip
def test_a_result_has_its_document_and_span(chunk, expected):
    assert place(chunk) == expected


def test_metadata_do_not_replace_the_entries_of_a_row():
    row = convert_mapping({"text": "abc", "metadata": {"text": "summary", "source": "r"}, "colour": "red"})
    assert row == {"text": "abc", "names": ["r"], "colour": "red"}


def test_missing_values_of_pandas_are_missing():
    assert convert_mapping({"doc": float("nan"), "source": "r", "start": float("nan")}) == {"names": ["r"]}


@pytest.mark.parametrize("chunk", [None, 5, ("a", "b"), object()])
def test_anything_else_is_an_error_that_names_its_place(chunk):
    with pytest.raises(
        InputError, match=r"^chunk 3: wanted a text, \(doc, start, end\), a dict, or a document"
    ):
        adapt_chunk(chunk, "chunk 3")


PAGES = {"source": "manual.pdf", "page": 0, "page_label": "1", "start_index": 0}


@pytest.mark.parametrize(
    "chunk",
    [
        LangChainDocument("on page two", PAGES),
        TextNode(
            "on page two",
            0,
            11,
            "5a8c46b6-5d7d-4b69-9a6f-3b9c8f6f1b11",
            file_name="manual.pdf",
            page_label="2",
        ),
        {"page_content": "on page two", "metadata": PAGES},
    ],
)
def test_a_chunk_of_a_page_is_placed_by_its_text(chunk):
    """Loaders of PDF make a document of each page, and offsets then count within the page."""
    texts, gold = {"manual": "Text on page one. Text on page two."}, [("q", "manual", 23, 34)]
    assert evaluate({"q": [chunk]}, gold, "char_rec", collection=texts).scores["score"].to_list() == [1]
    with pytest.raises(InputError, match=r"run 'run': wanted a collection .*, found 1 chunk with a page"):
        evaluate({"q": [chunk]}, gold, "char_rec")
