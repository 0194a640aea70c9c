"""The search engine: words, scores of single words and phrases, and shelves of elements by size."""

import math
import sys
from itertools import pairwise
from types import SimpleNamespace

import pytest

from doxel.errors import InputError, MissingExtraError
from doxel.search.search_engine import (
    ELEMENT_FIELD,
    SHELVES,
    TEXT_FIELD,
    WordStemmer,
    compute_idf,
    create_engine_index,
    find_hits,
    find_shelf,
    import_engine,
    open_engine_index,
)

TEXTS = ["the duck swims in the pond", "the pond holds the duck", "a pike and a pike", "the reeds"]


@pytest.fixture(scope="module")
def words():
    return WordStemmer("english")


@pytest.fixture(scope="module")
def engine(tmp_path_factory, words):
    """The searcher and schema of an index of TEXTS, numbered from 10."""
    folder = tmp_path_factory.mktemp("engine")
    index = create_engine_index(folder, words)
    writer = index.writer()
    for number, text in enumerate(TEXTS, 10):
        document = import_engine().Document()
        document.add_text(TEXT_FIELD, text)
        document.add_unsigned(ELEMENT_FIELD, number)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return open_engine_index(folder)


def test_words_are_in_lower_case_without_accents_and_stemmed(words):
    assert words.of("Élan: Swimming DUCKS, x2") == ["elan", "swim", "duck", "x2"]
    assert WordStemmer("none").of("Swimming DUCKS") == ["swimming", "ducks"]
    assert words.of("… —") == []


def test_words_of_64_bytes_and_more_are_not_indexed(words):
    assert [len(word) for word in words.of(f"{'a' * 63} {'b' * 64}")] == [63]


def test_a_text_of_stop_words_only_is_one(words):
    assert words.is_stop_word("The")
    assert words.is_stop_word("of the")
    assert not words.is_stop_word("the duck")
    assert WordStemmer("none").is_stop_word("the")  # English unless another language is declared
    assert WordStemmer("german").is_stop_word("und")
    assert not WordStemmer("german").is_stop_word("the")


def test_an_unknown_language_is_an_error_with_the_known_ones():
    with pytest.raises(InputError, match=r"stemming: wanted one of none, arabic, .* found 'klingon'"):
        WordStemmer("klingon")


def test_a_word_finds_its_elements_with_their_bm25_scores(engine, words):
    elements, scores = find_hits(*engine, tuple(words.of("pike")))
    # BM25 with k1 = 1.2 and b = 0.75: 2 of the 5 words of the text are "pike"; 18 words in 4 texts
    length = 5 / (18 / 4)
    weight = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * length))
    assert elements.tolist() == [12]
    assert scores == pytest.approx([compute_idf(4, 1) * weight], rel=1e-6)


def test_a_phrase_finds_its_words_side_by_side_only(engine):
    assert sorted(find_hits(*engine, ("duck",))[0]) == [10, 11]
    assert find_hits(*engine, ("duck", "swim"))[0].tolist() == [10]
    assert find_hits(*engine, ("pond", "duck"))[0].tolist() == []


def test_an_unknown_word_finds_nothing(engine):
    for query in (("heron",), ("duck", "heron")):
        elements, scores = find_hits(*engine, query)
        assert (len(elements), len(scores)) == (0, 0)


def test_rarer_words_weigh_more():
    # ln(1 + (N - n + 0.5) / (n + 0.5)), the formula of tantivy and of Lucene
    assert compute_idf(10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))
    assert compute_idf(10, 1) > compute_idf(10, 3) > compute_idf(10, 10) > 0


def test_a_folder_without_an_index_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"meta\.json"):
        open_engine_index(tmp_path)


def test_every_size_has_one_shelf():
    for smaller, larger in pairwise(SHELVES):
        assert smaller.largest == larger.smallest
        assert find_shelf(larger.smallest - 1) == smaller
        assert find_shelf(larger.smallest) == larger
    assert (find_shelf(1), find_shelf(10**12)) == (SHELVES[0], SHELVES[-1])


def test_without_the_engine_the_error_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(MissingExtraError, match=r'pip install "doxel\[search\]"'):
        WordStemmer("none")


def test_an_engine_that_is_too_old_is_rejected(monkeypatch):
    old = SimpleNamespace(Searcher=object, __version__="tantivy v0.1")
    monkeypatch.setitem(sys.modules, "tantivy", old)
    with pytest.raises(InputError, match=r"needs a newer tantivy.*found tantivy v0\.1"):
        WordStemmer("none")
