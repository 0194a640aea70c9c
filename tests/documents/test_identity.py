"""Keys and names of documents: computed together they are the same as one by one."""

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from doxel.documents.document_names import (
    derive_document_key,
    derive_document_keys,
    derive_document_name,
    derive_document_names,
)

PIECES = ["a", "B", "é", "1", ".", "/", "//", "./", "..", " ", "\n", "-", "$1", "#", ".jsonl#", ".jsonl"]
SUFFIXES = [".xml", ".XML", ".html", ".md", ".txt", ".nxml", ".gz", ".xz", ".zst", ".GZ", ".dat", ".tei"]
SOURCES = st.lists(
    st.lists(st.sampled_from([*PIECES, *SUFFIXES]), min_size=1, max_size=6).map("".join),
    min_size=1,
    max_size=8,
)


@given(SOURCES)
@example(["a.xml", "b/a.xml.gz", "c/corpus.jsonl#http://a/b.xml"])
@example(
    [".xml", "a/.xml", "a/.xml.gz", ".gz", "a/.gz", "a.xml/", "a.gz.gz", "a.xml.xml", "a\n.xml", "İ.xml"]
)
def test_keys_and_names_of_many_equal_those_of_each(sources):
    series = pl.Series("source", sources, dtype=pl.String)
    keys = derive_document_keys(series)
    assert keys.to_list() == [derive_document_key(source) for source in sources]
    assert derive_document_names(keys).to_list() == [derive_document_name(key) for key in keys]
