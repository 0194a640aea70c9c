"""A LlamaIndex retriever, scored as it is: its nodes know where they start and end.

The embedding counts letters, so that the program runs without a model; put yours in its place.
"""

from itertools import pairwise

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter, SentenceWindowNodeParser

import doxel

TEXTS = {
    "manual.md": "Switch it off first. Then remove the lid. The lid is hot. "
    "Clean the filter with warm water. Never use soap.",
    "warranty.md": "The warranty lasts two years. Damage by soap is not covered.",
}
GOLD = {  # quoted: no node ids, so that the parser may change
    "How do I remove the lid?": ["Switch it off first. Then remove the lid."],
    "Which water cleans the filter?": ["Clean the filter with warm water."],
}


class LetterPairs(BaseEmbedding):
    """An embedding of the pairs of letters of a text."""

    def _get_text_embedding(self, text):
        vector = [0.0] * 729
        letters = [ord(letter) - 96 if "a" <= letter <= "z" else 0 for letter in text.lower()]
        for first, second in pairwise(letters):
            vector[27 * first + second] += 1
        return vector

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


def build_retriever(parser):
    """Parse the texts into nodes, and index them."""
    documents = [Document(text=text, doc_id=name) for name, text in TEXTS.items()]
    index = VectorStoreIndex.from_documents(documents, embed_model=LetterPairs(), transformations=[parser])
    return index.as_retriever(similarity_top_k=3)


if __name__ == "__main__":
    parsers = {"sentences": SentenceWindowNodeParser(), "large nodes": SentenceSplitter(chunk_size=256)}
    runs = {
        name: doxel.run_retriever(build_retriever(parser), list(GOLD)) for name, parser in parsers.items()
    }
    result = doxel.evaluate(runs, GOLD, "char_rec@1, char_prec@1", collection=TEXTS)
    for run, measure, score in result.means.select("run", "measure", "score").iter_rows():
        print(f"{run} {measure} {score:.4f}")
