"""The search engine, tantivy: its word analysis, its indexes, and the scores of single words.

tantivy is imported when it is first needed.  Its BM25 has fixed constants, k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from doxel.errors import InputError, MissingExtraError
from doxel.spans import Floats, Ints

__all__ = [
    "ELEMENT",
    "STEMMERS",
    "TEXT",
    "Words",
    "engine",
    "idf",
    "new_index",
    "reopen",
    "term_hits",
]


STEMMERS = (
    "none",
    *("arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian"),
    *("norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "tamil", "turkish"),
)
"""The languages of the stemmers, and ``none`` for words without stemming."""

TEXT, ELEMENT = "text", "element"
_LONGEST = 64  # bytes of the longest word; longer ones are not indexed
_TOKENISER = "doxel"


def engine() -> Any:
    """Return the module tantivy; if it is missing, the error names the package to install."""
    try:
        import tantivy
    except ImportError:
        raise MissingExtraError("searching", "search") from None
    if not hasattr(tantivy.Searcher, "fast_field_values"):
        raise InputError(
            'searching needs a newer tantivy: pip install --upgrade "doxel[search]"',
            wanted="a version whose searchers have fast_field_values",
            found=str(getattr(tantivy, "__version__", "an older version")),
        )
    return tantivy


class Words:
    """Splits texts into words: in lower case, without accents, stemmed; and recognises stop words.

    Stop words are indexed like all other words, so that phrases may contain them.
    """

    def __init__(self, stem: str) -> None:
        if stem not in STEMMERS:
            raise InputError("stemming", wanted=f"one of {', '.join(STEMMERS)}", found=repr(stem))
        tantivy = engine()
        plain = _builder(tantivy)
        self.analyser = (plain if stem == "none" else plain.filter(tantivy.Filter.stemmer(stem))).build()
        language = "english" if stem == "none" else stem
        self._telling = _builder(tantivy).filter(tantivy.Filter.stopword(language)).build()

    def of(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        return list(self.analyser.analyze(text))

    def is_stop_word(self, text: str) -> bool:
        """Check whether a text has only stop words."""
        return not self._telling.analyze(text)


def _builder(tantivy: Any) -> Any:
    filters = tantivy.Filter
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for token_filter in (filters.remove_long(_LONGEST), filters.lowercase(), filters.ascii_fold()):
        builder = builder.filter(token_filter)
    return builder


def new_index(folder: Path, words: Words) -> Any:
    """Return a new index in an empty folder."""
    tantivy = engine()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT, tokenizer_name=_TOKENISER, index_option="position")
    builder.add_unsigned_field(ELEMENT, fast=True)
    index = tantivy.Index(builder.build(), path=str(folder), reuse=False)
    index.register_tokenizer(_TOKENISER, words.analyser)
    return index


def reopen(folder: Path) -> Any:
    """Open an existing index; return its searcher and schema, or raise ``ValueError``."""
    tantivy = engine()
    try:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        return index.searcher(), index.schema
    except (OSError, RuntimeError) as error:
        raise ValueError(str(error)) from error


def idf(documents: int, matches: int) -> float:
    """Return the weight of a word in ``matches`` of ``documents`` documents, with tantivy's formula."""
    return math.log(1.0 + (documents - matches + 0.5) / (matches + 0.5))


def term_hits(searcher: Any, schema: Any, words: tuple[str, ...]) -> tuple[Ints, Floats]:
    """Return the elements that contain a word, or words as a phrase, and their BM25 scores.

    Each query is a single word or phrase: its score depends only on the index.  The engine adds up the
    scores of several words in an order that is not specified.
    """
    query_type = engine().Query
    limit = min(searcher.doc_freq(TEXT, word) for word in words)
    if not limit:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    if len(words) == 1:
        query = query_type.term_query(schema, TEXT, words[0])
    else:
        query = query_type.phrase_query(schema, TEXT, list(words))
    hits = searcher.search(query, limit=limit, count=False).hits
    scores = np.fromiter((score for score, _ in hits), dtype=np.float64, count=len(hits))
    elements = searcher.fast_field_values(ELEMENT, [address for _, address in hits])
    return np.array(elements, dtype=np.int64), scores
