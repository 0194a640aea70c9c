"""The public parts of the objects of retrieval libraries, as their documentation describes them."""

from collections import namedtuple

Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])  # noqa: PYI024 -- as in ir_measures
ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])  # noqa: PYI024


class LangChainDocument:
    def __init__(self, page_content, metadata, id=None):  # noqa: A002 -- the library's word
        self.page_content, self.metadata, self.id = page_content, metadata, id


class SourceNode:
    def __init__(self, metadata):
        self.metadata = metadata


class TextNode:
    def __init__(self, text, start=None, end=None, doc=None, source=None, **metadata):
        self.text, self.metadata, self.node_id = text, metadata, "5a8c46b6-5d7d-4b69-9a6f-3b9c8f6f1b11"
        self.start_char_idx, self.end_char_idx, self.ref_doc_id = start, end, doc
        self.source_node = source

    def get_content(self):
        return self.text


class NodeWithScore:
    def __init__(self, node, score):
        self.node, self.score = node, score


class HaystackDocument:
    def __init__(self, content, meta, score=None, id="9f" * 32):  # noqa: A002 -- the library's word
        self.content, self.meta, self.score, self.id = content, meta, score, id


class ScoredPoint:
    def __init__(self, payload, score, id=1):  # noqa: A002 -- the library's word
        self.payload, self.score, self.id = payload, score, id


class Chunk:
    """A chunk of chonkie."""

    def __init__(self, text, start_index, end_index):
        self.text, self.start_index, self.end_index = text, start_index, end_index


class RagasSample:
    def __init__(self, user_input, retrieved_contexts=None, reference_contexts=None):
        self.user_input = user_input
        self.retrieved_contexts, self.reference_contexts = retrieved_contexts, reference_contexts


class RagasDataset:
    def __init__(self, samples):
        self.samples = samples


class RanxRun:
    def __init__(self, run):
        self.run = run

    def to_dict(self):
        return self.run


class RanxQrels:
    def __init__(self, qrels):
        self.qrels = qrels

    def to_dict(self):
        return self.qrels


class Dataset:
    """A data set of Hugging Face."""

    def __init__(self, columns):
        self._columns, self.features = columns, dict.fromkeys(columns)

    @property
    def column_names(self):
        return list(self._columns)

    def to_dict(self):
        return self._columns


def chroma(results):
    """Return what ``collection.query`` of Chroma returns for (doc, start, end, text) of each query."""
    return {
        "ids": [[f"{doc}-{start}" for doc, start, _, _ in rows] for rows in results],
        "embeddings": None,
        "documents": [[text for _, _, _, text in rows] for rows in results],
        "uris": None,
        "included": ["metadatas", "documents", "distances"],
        "data": None,
        "metadatas": [
            [{"source": doc, "start_index": start} for doc, start, _, _ in rows] for rows in results
        ],
        "distances": [[0.1 * place for place, _ in enumerate(rows, 1)] for rows in results],
    }
