"""A LangChain retriever, scored as it is: doxel asks it the questions and takes its documents.

The embedding counts letters, so that the program runs without a model; put yours in its place.
"""

from itertools import pairwise

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

import doxel

TEXTS = {
    "manual.md": "Switch it off first. Then remove the lid. The lid is hot. "
    "Clean the filter with warm water. Never use soap.",
    "warranty.md": "The warranty lasts two years. Damage by soap is not covered.",
}
GOLD = {  # quoted: no chunk ids, so that the splitter may change
    "How do I remove the lid?": ["Switch it off first. Then remove the lid."],
    "Which water cleans the filter?": ["Clean the filter with warm water."],
}


class LetterPairs(Embeddings):
    """An embedding of the pairs of letters of a text."""

    def embed_query(self, text):
        """Count the pairs of a text."""
        vector = [0.0] * 729
        letters = [ord(letter) - 96 if "a" <= letter <= "z" else 0 for letter in text.lower()]
        for first, second in pairwise(letters):
            vector[27 * first + second] += 1
        return vector

    def embed_documents(self, texts):
        """Count the pairs of several texts."""
        return [self.embed_query(text) for text in texts]


def build_retriever(size):
    """Split the texts and index the chunks; add_start_index stores where each chunk starts."""
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, separators=[". "], keep_separator="end", add_start_index=True
    )
    store = InMemoryVectorStore(LetterPairs())
    documents = [Document(page_content=text, metadata={"source": name}) for name, text in TEXTS.items()]
    store.add_documents(splitter.split_documents(documents))
    return store.as_retriever(search_kwargs={"k": 3})


if __name__ == "__main__":
    runs = {f"{size} characters": doxel.run_retriever(build_retriever(size), list(GOLD)) for size in (30, 60)}
    result = doxel.evaluate(runs, GOLD, "char_rec@1, char_prec@1", collection=TEXTS)
    for run, measure, score in result.means.select("run", "measure", "score").iter_rows():
        print(f"{run} {measure} {score:.4f}")
