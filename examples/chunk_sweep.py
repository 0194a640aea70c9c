"""One gold, three chunkers: the same retriever on three cuts of the same documents, in one table.

The documents, questions and gold are those that ``doxel demo`` writes.  The ranking is BM25 (doxel[search])::

    doxel demo
    python chunk_sweep.py doxel-demo
"""

import re
import sys
from pathlib import Path

import tantivy

import doxel
from doxel.chunking import cut_collection, find_chunker


def build_retriever(chunks, collection):
    """Index chunks with BM25; return a function from a question to the best chunks as tuples."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="en_stem")
    builder.add_unsigned_field("number", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    spans = chunks.rows()
    for number, (doc, start, end) in enumerate(spans):
        text = collection.text(collection.number(doc))[start:end]
        writer.add_document(tantivy.Document(text=text, number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def retrieve(question, k):
        query = index.parse_query(" ".join(re.findall(r"\w+", question)), ["text"])
        return [
            spans[searcher.doc(address)["number"][0]] for _, address in searcher.search(query, limit=k).hits
        ]

    return retrieve


def main(folder):
    """Score three chunkings of the handbook."""
    doxel.ingest(folder / "handbook-markdown", folder / "chunk-sweep.doxel")
    collection = doxel.read_collection(folder / "chunk-sweep.doxel")
    names = ["characters:400", "paragraphs", "headings"]
    cuts = cut_collection(collection, map(find_chunker, names))
    topics = doxel.read_topics(folder / "topics.xml")
    runs = {
        name: doxel.run_retriever(build_retriever(cut, collection), topics)
        for name, cut in zip(names, cuts, strict=True)
    }
    measures = ["hit@5", "char_rec@5", "char_prec@5"]
    result = doxel.evaluate(runs, folder / "handbook-markdown.jsonl", measures, collection=collection)
    print(f"{'':16}" + "".join(f"{name:>13}" for name in measures))
    for run, *scores in result.means.pivot("measure", index="run", values="score").rows():
        print(f"{run:16}" + "".join(f"{score:13.4f}" for score in scores))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "doxel-demo"))
