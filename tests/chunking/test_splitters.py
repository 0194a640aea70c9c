"""Splitters of any kind give the same chunks: functions, objects shaped like a library's, real libraries."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from doxel.chunking.chunkers import as_chunker
from doxel.chunking.splitters import SPLITTER_KINDS, PlacementCounts, is_splitter, place_chunks
from doxel.errors import InputError

TEXT = "The same line.\nOne.\nThe same line.\nTwo.\nThe same line."
SPANS = [(0, 14), (15, 19), (20, 34), (35, 39), (40, 54)]
LINES = TEXT.split("\n")


def cut(splitter, text=TEXT, counts=None):
    start, end = as_chunker(splitter).cut(text, np.zeros(0, dtype=np.int64), "doc", counts)
    return list(zip(start.tolist(), end.tolist(), strict=True))


class LangChainSplitter:
    def __init__(self, offsets):
        self.offsets = offsets

    def create_documents(self, texts):
        return [
            SimpleNamespace(page_content=TEXT[a:b], metadata={"start_index": a} if self.offsets else {})
            for _ in texts
            for a, b in SPANS
        ]


class DocumentSplitter:
    def split_documents(self, documents):
        return [SimpleNamespace(page_content=line) for line in documents[0].page_content.split("\n")]


class ChonkieChunker:
    def chunk(self, text):
        return [SimpleNamespace(text=text[a:b], start_index=a, end_index=b) for a, b in SPANS]


class SemchunkChunker:
    def __call__(self, text, *, offsets=False):
        return ([text[a:b] for a, b in SPANS], list(SPANS)) if offsets else ["other chunks"]


class LineSplitter:
    def split_text(self, text):
        return text.split("\n")


@pytest.mark.parametrize(
    "splitter",
    [
        str.splitlines,
        lambda text: [text[a:b] for a, b in SPANS],
        lambda _: SPANS,
        lambda _: np.array(SPANS),
        lambda _: iter(SPANS),
        lambda text: [{"text": text[a:b], "start": a, "end": b} for a, b in SPANS],
        lambda text: [(a, b, text[a:b]) for a, b in SPANS],
        lambda text: [SimpleNamespace(text=text[a:b], start_char_idx=a, end_char_idx=b) for a, b in SPANS],
        # LlamaIndex gives the first place of a repeated text
        lambda text: [SimpleNamespace(text=line, start_char_idx=text.find(line)) for line in LINES],
        # offsets in a cleaned text
        lambda text: [SimpleNamespace(text=text[a:b], start_index=a + 1, end_index=b + 1) for a, b in SPANS],
        lambda text: [SimpleNamespace(text=text[a:b], start_index=max(a - 1, 0)) for a, b in SPANS],
        LangChainSplitter(offsets=True),
        LangChainSplitter(offsets=False),
        DocumentSplitter(),
        ChonkieChunker(),
        SemchunkChunker(),
        LineSplitter(),
    ],
)
def test_every_way_of_returning_chunks_gives_the_same_spans(splitter):
    assert cut(splitter) == SPANS


def test_chunks_that_are_not_at_their_offsets_are_counted():
    counts = PlacementCounts()
    cut(
        lambda text: [SimpleNamespace(text=line, start_index=text.find(line)) for line in LINES],
        counts=counts,
    )
    assert counts.describe("mine") == [
        "mine: 2 chunks were placed by the text, because the offsets do not fit it"
    ]


def test_chunks_with_differences_are_counted():
    counts = PlacementCounts()
    text = "Remove the lid with care and wait an hour. Then close it."
    cut(lambda _: ["Remove the lid wiht care and wait an hour.", "Then close it."], text, counts)
    assert counts.describe("mine") == ["mine: 1 chunk was found with differences from the document"]
    assert counts.total == 2


def test_a_llama_index_parser_without_its_library_is_rejected_with_a_sentence():
    parser = SimpleNamespace(get_nodes_from_documents=lambda documents: documents)
    with pytest.raises(InputError, match=r"wanted an object of llama_index\.core"):
        cut(parser)


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("a text", "document: wanted a list of texts, .* found 'a text'"),
        ({"text": "x"}, "wanted a list"),
        (5, "found 5"),
        ([SimpleNamespace(words=3)], "chunk 1: wanted a list of texts"),
        ([(0, 1), (1, "2")], "chunk 2: wanted"),
        ([(0, 1), (1, 10**40)], "chunk 2: wanted"),
        ([(0, 1, 2, 3)], "chunk 1: wanted"),
        ([(True, 1)], "chunk 1: wanted"),
        ((["The"], [(0, 3), (4, 5)]), r"chunk 1: wanted .* found \['The'\]"),
    ],
)
def test_other_output_is_rejected_with_the_expected_one(output, sentence):
    with pytest.raises(InputError, match=sentence):
        place_chunks(output, TEXT, "document", PlacementCounts())


def test_a_splitter_is_distinguished_from_chunks_by_its_methods():
    assert all(is_splitter(splitter) for splitter in (str.split, ChonkieChunker(), LineSplitter()))
    assert not any(is_splitter(data) for data in ("paragraphs", [("a", 0, 5)], {"doc": "a"}, 5, None))
    assert len({kind.method for kind in SPLITTER_KINDS}) == len(SPLITTER_KINDS)


# ---- real libraries

ARTICLE = "\n\n".join(
    f"## Step {number}\n\nSwitch it off first. Then remove the lid.\n\nReading {number * 37} of the meter."
    for number in range(30)
)


def langchain(**options):
    return pytest.importorskip("langchain_text_splitters").RecursiveCharacterTextSplitter(**options)


def llama_index(name, **options):
    module = pytest.importorskip("llama_index.core.node_parser")
    return getattr(module, name)(**options)


def chonkie(name, *arguments, **options):
    return getattr(pytest.importorskip("chonkie"), name)(*arguments, **options)


REAL_SPLITTERS = {
    "LangChain": lambda: langchain(chunk_size=120, chunk_overlap=0),
    "LangChain with overlap": lambda: langchain(chunk_size=120, chunk_overlap=50),
    "LangChain with offsets": lambda: langchain(chunk_size=120, chunk_overlap=50, add_start_index=True),
    "LlamaIndex sentences": lambda: llama_index("SentenceSplitter", chunk_size=40, chunk_overlap=8),
    "LlamaIndex tokens": lambda: llama_index("TokenTextSplitter", chunk_size=40, chunk_overlap=8),
    "LlamaIndex Markdown": lambda: llama_index("MarkdownNodeParser"),
    "LlamaIndex windows": lambda: llama_index("SentenceWindowNodeParser"),
    "chonkie tokens": lambda: chonkie("TokenChunker", "character", chunk_size=120, chunk_overlap=30),
    "chonkie sentences": lambda: chonkie("SentenceChunker", "character", chunk_size=120, chunk_overlap=30),
    "chonkie recursive": lambda: chonkie("RecursiveChunker", "character", chunk_size=120),
    "semchunk": lambda: pytest.importorskip("semchunk").chunkerify(lambda text: len(text.split()), 15),
}


@pytest.mark.integration
@pytest.mark.parametrize("name", REAL_SPLITTERS)
def test_chunks_of_real_libraries_cover_a_document_with_repeated_text_in_order(name):
    counts = PlacementCounts()
    spans = cut(REAL_SPLITTERS[name](), ARTICLE, counts)
    assert counts.total == counts.ways["exact"] + counts.ways["offsets"] == len(spans)
    assert spans == sorted(spans)
    left_out = "".join(ARTICLE[end:start] for (_, end), (start, _) in itertools.pairwise(spans))
    assert (spans[0][0], left_out.strip(), ARTICLE[spans[-1][1] :].strip()) == (0, "", "")


@pytest.mark.integration
def test_offsets_that_langchain_reports_are_those_found_by_text():
    assert cut(langchain(chunk_size=120, chunk_overlap=50)) == cut(
        langchain(chunk_size=120, chunk_overlap=50, add_start_index=True)
    )


@pytest.mark.integration
def test_offsets_that_chonkie_reports_are_those_found_by_text():
    chunker = chonkie("TokenChunker", "character", chunk_size=120, chunk_overlap=30)
    assert cut(chunker, ARTICLE) == cut(lambda text: [chunk.text for chunk in chunker.chunk(text)], ARTICLE)
