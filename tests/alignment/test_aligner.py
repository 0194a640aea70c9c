"""Texts find the spans they come from, however they were written, and the choice of a place is declared."""

import csv
import json
import random
import tarfile

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxel
from alignment.variants import DAMAGES, HARMLESS, write_words
from doxel.alignment.aligner import ALIGNMENTS, Aligner, DeclaredPlace, align, describe_alignments
from doxel.alignment.folding import fold
from doxel.documents.collection import TextCollection
from doxel.errors import InputError

TOWN = (
    "The town’s oldest quarter — the “fish market” – lies by the harbour. Its first café opened in 1893 and "
    "offered coffee & cake; the final addition, a reading room, was fitted out by the guild of printers. "
    "Travellers of the time describe the crowd in front of the station every Saturday morning."
)
DOCUMENTS = {"words": write_words(3000), "town": f"{write_words(200, 5)}\n\n{TOWN}\n\n{write_words(200, 6)}"}
START = DOCUMENTS["town"].index(TOWN)
END = START + len(TOWN)


def share(spans):
    """The share of the town's text that spans cover, and the characters they have besides it."""
    covered = sum(max(0, min(span["end"], END) - max(span["start"], START)) for span in spans)
    return covered / len(TOWN), sum(span["end"] - span["start"] for span in spans) - covered


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_difference_changes_nothing(name):
    (row,) = align([HARMLESS[name](TOWN)], DOCUMENTS).to_dicts()
    assert (row["doc"], row["start"], row["end"]) == ("town", START, END)
    assert row["how"] in {"exact", "folded"}
    assert (row["identity"], row["coverage"], row["places"]) == (1.0, 1.0, 1)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_text_is_found_by_its_remains(name):
    change, least = DAMAGES[name]
    rows = align([change(TOWN)], DOCUMENTS).to_dicts()
    assert {row["how"] for row in rows} == {"fuzzy"}
    covered, foreign = share(rows)
    assert covered >= least
    assert foreign <= 5
    assert all(row["identity"] >= 0.7 and row["coverage"] <= 1 for row in rows)


@pytest.mark.parametrize("dots", ["...", "…", " [...] "])
def test_a_text_with_an_omission_has_two_pieces(dots):
    rows = align([TOWN[:90] + dots + TOWN[-89:]], DOCUMENTS).to_dicts()
    assert [(row["start"], row["end"]) for row in rows] == [(START, START + 90), (END - 89, END)]
    assert [row["row"] for row in rows] == [0, 0]
    assert all(0.4 < row["coverage"] < 0.6 for row in rows)


def test_short_sentences_joined_to_one_text_are_found():
    documents = {
        "a": "The gate closes at six in winter. All dogs must be on a lead. Tickets are sold at the door.",
        "b": "Visitors of the tower climb two hundred steps. The new lift is out of order.",
    }
    parts = [("b", "The new lift is out of order."), ("a", "All dogs must be on a lead."), ("b", "Free!")]
    rows = align(["\n\n".join(text for _, text in parts)], documents).to_dicts()
    assert [row["doc"] for row in rows] == ["b", "a"]
    for row, (doc, text) in zip(rows, parts, strict=False):
        assert text[4:-4] in documents[doc][row["start"] : row["end"]]


def test_pieces_of_several_documents_are_joined_in_one_text():
    other = DOCUMENTS["words"][500:700]
    rows = align([f"{TOWN[:150]}\n---\n{other}"], DOCUMENTS).to_dicts()
    assert [row["doc"] for row in rows] == ["town", "words"]


@given(st.data())
def test_the_span_of_a_substring_has_the_same_folded_text(data):
    texts = data.draw(st.lists(st.text(max_size=60), min_size=1, max_size=3))
    source = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(source)))
    text = source[start : data.draw(st.integers(start, len(source)))]
    documents = {str(number): document for number, document in enumerate(texts)}
    (row,) = align([text], documents).to_dicts()
    if not text.strip():
        assert row["how"] == "unplaced"
        return
    assert row["how"] == "exact"
    assert documents[row["doc"]][row["start"] : row["end"]] == text


@given(st.text("abcé.- ", max_size=60), st.integers(0, 60), st.integers(1, 30))
def test_the_span_of_a_changed_substring_has_the_same_folded_text(document, start, length):
    text = document[start : start + length].upper().replace(".", " … ")
    if not fold(text).text:
        return
    (row,) = align([text], {"a": document}).to_dicts()
    assert fold(document[row["start"] : row["end"]]).text == fold(text).text


def test_of_several_places_the_declared_document_then_the_nearest_then_the_first_is_taken():
    documents = {"a": "x same y same z", "b": "same again, same"}
    rows = [
        {"text": "same"},
        {"text": "same", "doc": "b"},
        {"text": "same", "doc": "b", "start": 9},
        {"text": "same", "doc": "nowhere"},
        {"text": "SAME", "start": 8, "doc": "a"},
    ]
    table = align(rows, documents)
    assert table.select("doc", "start", "places").rows() == [
        ("a", 2, 4),
        ("b", 0, 2),
        ("b", 12, 2),
        ("a", 2, 4),
        ("a", 9, 2),
    ]


def test_of_equal_letters_those_that_read_like_a_damaged_text_count():
    documents = {
        "a": "COMPUTATIONAL BIOLOGY OF CELLS\ncomputational biology of cells,",
        "b": "Computational biology of cells.",
    }
    texts = [
        "On it: Computational biology of cells.",
        "On it: computational biology of cells,",
        "Computationql biology of cells.",
        "COMPUTATIONAL BIOLLOGY OF CELLS",
    ]
    table = align(texts, documents)
    assert table.select("doc", "start", "end", "how", "places").rows() == [
        ("b", 0, 31, "fuzzy", 1),
        ("a", 31, 62, "fuzzy", 1),
        ("b", 0, 31, "fuzzy", 1),
        ("a", 0, 30, "fuzzy", 1),
    ]


@pytest.mark.parametrize("stop", [".", "\u3002", "\uff01", "\u061f", "\u0964"])
def test_joined_sentences_are_found_whatever_their_full_stop(stop):
    generator = random.Random(6)
    sentences = [
        "".join(chr(generator.randrange(0x4E00, 0x5200)) for _ in range(30)) + stop for _ in range(40)
    ]
    table = align([f"{sentences[30]} {sentences[3]} {sentences[20]}"], {"a": "\n".join(sentences)})
    assert table.select("start", "end").rows() == [(960, 991), (96, 127), (640, 671)]


def test_symbols_decide_between_places_of_the_same_letters():
    documents = {"a": "See you \U0001f680 later!", "b": "See you \u2615 later! See you \u2615\u2615 later!"}
    texts = [
        "SEE YOU \u2615 LATER!",
        "see you later!",
        "SEE YOU \U0001f600 LATER!",
        "\u2581see\u2581you\u2581\u2615\u2581later!",
    ]
    table = align(texts, documents)
    assert table.select("doc", "start", "places").rows() == [
        ("b", 0, 1),
        ("a", 0, 3),
        ("a", 0, 3),
        ("b", 0, 1),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "md) and the [user model](user-mo",
        "MD) AND THE [USER MODEL](USER-MO",
        "> **md) and the [user model](user-mo** ...",
        "md)andthe[usermodel](user-mo",
        'class="x">and the <a href="mo',
    ],
)
def test_a_tag_or_address_that_was_cut_in_two_belongs_to_the_text(text):
    documents = {
        "a": "a user model",
        "b": "See [this](this.md) and the [user model](user-models.md) of it.",
        "c": '[This](other.md) and the [user model](user-models.md), <p class="x">and the <a href="models">',
    }
    ((doc, start, end, how),) = align([text], documents).select("doc", "start", "end", "how").rows()
    assert how in ("exact", "folded")
    source = documents[doc][start:end]
    letters = "".join(source.split()).casefold()
    assert letters in "".join(text.split()).casefold()
    assert (source[0].lower(), source[-2:].lower()) == (text.strip("> *")[0].lower(), "mo")


def test_a_text_with_other_letters_in_front_of_a_bracket_is_not_folded():
    documents = {"a": "The overlap of results is counted."}
    (how,) = align(["everything else that is > overlap of results"], documents)["how"]
    assert how != "folded"


def test_the_text_around_a_quotation_decides_between_its_places():
    rows = [
        {"text": "be", "prefix": "not TO "},
        {"text": "be", "suffix": ":"},
        {"text": "be", "prefix": "may "},
    ]
    assert align(rows, {"a": "To be, or not\nto be: that"})["start"].to_list() == [17, 17, 3]


def test_a_declared_document_of_the_collection_is_the_only_one_searched():
    table = align([{"text": "only in b", "doc": "a"}], {"a": "nothing here", "b": "only in b"})
    assert table["how"].to_list() == ["unplaced"]


def test_documents_are_declared_by_id_path_or_file_name():
    documents = {"guides/setup.md": "first step", "guides/use.md": "first step"}
    rows = [
        {"text": "first", "doc": doc} for doc in ("guides/use.md", "use.md", "/data/guides/use.md", "use")
    ]
    assert align(rows, documents)["doc"].to_list() == ["guides/use.md"] * 4


def test_texts_inside_mark_up_are_found_as_they_are():
    document = (
        write_words(400) + '<a href="x.html" title="A very long title">the link</a> ' + write_words(400, 2)
    )
    texts = ["A very long title", 'title="A very long title">the link</a>']
    table = align(texts, {"a": document})
    assert table["how"].to_list() == ["exact", "exact"]
    assert [document[start:end] for start, end in table.select("start", "end").rows()] == texts


def test_blank_and_unknown_texts_are_unplaced():
    table = align([" \n", "", "***", "never heard of"], {"a": "some text"})
    assert table.select("doc", "start", "end", "how", "identity", "places").unique().rows() == [
        (None, None, None, "unplaced", None, 0)
    ]
    assert table["coverage"].to_list() == [None, None, 0, 0]  # of an empty text, no share was found
    assert describe_alignments(table) == ["4 texts: 4 unplaced", "2 texts are empty"]


@pytest.mark.parametrize(
    "texts",
    [
        [{"topic": "1", "rank": 1, "text": "some"}, {"topic": "1", "rank": 2, "text": "text"}],
        {"1": ["some", "text"]},
        pl.DataFrame({"topic": ["1", "1"], "rank": [1, 2], "text": ["some", "text"]}),
        pl.LazyFrame({"topic": ["1", "1"], "rank": [1, 2], "text": ["some", "text"]}),
        pd.DataFrame(
            {"topic": [1, 1], "rank": [1, 2], "text": ["some", "text"], "doc": [None, float("nan")]}
        ),
    ],
)
def test_texts_are_given_in_any_usual_form(texts):
    table = align(texts, {"a": "some text"})
    assert table.columns == list(ALIGNMENTS.schema)
    assert table.select("row", "topic", "rank", "start").rows() == [(0, "1", 1, 0), (1, "1", 2, 5)]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one", "texts: wanted a list of strings, or rows with text"),
        (5, "texts: wanted a list of strings"),
        ([{"topic": "1"}], "text 0: wanted strings, or rows with text"),
        ([None], "text 0: wanted strings"),
        ([{"text": "a", "start": 1.5}], "text 0: wanted start as a whole number, found 1.5"),
        ([{"text": "a", "rank": "first"}], "text 0: wanted rank as a whole number, found 'first'"),
        ({"7": [3]}, "topic '7', text 1: wanted"),
    ],
)
def test_other_input_is_refused_with_a_sentence(texts, message):
    with pytest.raises(InputError) as error:
        align(texts, {"a": "b"})
    assert message in str(error.value)


def test_documents_are_required():
    with pytest.raises(InputError, match="documents: wanted a collection"):
        align(["a"], None)


def test_the_public_name_is_the_function():
    assert doxel.align is align


def test_the_ways_are_counted_in_sentences():
    table = align(
        ["some", "SOME text", "unheard", TOWN[:90] + TOWN[-90:]], {"a": "some text, some", "town": TOWN}
    )
    assert describe_alignments(table) == [
        "4 texts: 1 exact, 1 folded, 1 fuzzy, 1 unplaced",
        "1 text occurs at several places; the first was taken",
        "1 text consists of several pieces",
    ]
    assert describe_alignments(ALIGNMENTS.empty()) == ["no texts"]


def test_declared_offsets_are_kept_if_the_text_is_there_apart_from_harmless_differences():
    documents = {"a": "One “two”\nthree, and one “two” more"}
    rows = [
        {"text": "One “two”", "start": 0, "end": 9},
        {"text": 'one "two" THREE', "start": 0, "end": 15},
        {"text": "One", "start": 4, "end": 8},
        {"text": "more", "start": 31, "end": 99},
        {"text": "One “two”", "start": 20, "end": 29},
        {"text": "++", "start": 0, "end": 3},
    ]
    table = align([{**row, "doc": "a"} for row in rows], documents)
    assert table.select("start", "end", "how").rows() == [
        (0, 9, "offsets"),
        (0, 15, "offsets"),
        (0, 3, "exact"),
        (31, 35, "exact"),
        (20, 29, "offsets"),
        (None, None, "unplaced"),
    ]


PART = "Travellers of the time describe | 488 | 453 | 428 | 2,196 | 2,004"
WHOLE = "Travellers of the tine describe the crowd in front of the stacion every Saturday morning."


@pytest.mark.parametrize(
    ("text", "doc", "known", "how"),
    [
        (PART, "station", "town", "unplaced"),
        (WHOLE, "station", "town", "fuzzy"),
        (PART, "station", "harbour", "fuzzy"),
        (PART, "0123abcd-0123-4567-89ab-0123456789ab", "town", "fuzzy"),
        (PART, None, "town", "fuzzy"),
    ],
    ids=["part", "whole", "no id is known", "random id", "no id"],
)
def test_a_text_of_a_missing_document_is_found_elsewhere_only_as_a_whole(text, doc, known, how):
    rows = [{"text": text, "doc": doc}, {"text": TOWN, "doc": known}]
    assert align(rows, DOCUMENTS)["how"][0] == how


def test_scores_do_not_place_a_part_of_a_missing_document():
    gold = [{"topic": "1", "doc": "town", "text": TOWN}]
    run = [{"topic": "1", "doc": "station", "text": PART}, {"topic": "1", "doc": "words", "text": "nothing"}]
    places = [("1", "station", 0, 9), ("1", "words", 0, 9)]
    with pytest.warns(doxel.errors.DoxelWarning):
        scores = [
            doxel.evaluate(rows, gold, "char_rec@5", collection=DOCUMENTS).scores["score"].item()
            for rows in (run, places)
        ]
    assert scores == [0.0, 0.0]
    gold[0:0] = [{"topic": "2", "doc": "station", "text": PART}]
    with pytest.warns(doxel.errors.DoxelWarning, match="1 quoted passage is not in the documents"):
        doxel.evaluate(places, gold, "char_rec@5", collection=DOCUMENTS)


def test_all_places_of_a_text_are_listed():
    aligner = Aligner(TextCollection({"a": "x same y Same", "b": "same"}))
    places = aligner.list_places(["same", "same", "other", "same"], [-1, 1, 0, -1])
    assert [[place[:2] for place in members] for members in places] == [
        [(0, 2), (1, 0)],
        [(1, 0)],
        [],
        [(0, 2), (1, 0)],
    ]


def test_texts_of_one_document_are_aligned_without_reading_the_others():
    class Guarded(TextCollection):
        def text(self, number):
            assert number == 1
            return super().text(number)

    aligner = Aligner(Guarded({"a": "one", "b": "two"}))
    assert aligner.align(["TWO"], [DeclaredPlace(1)])[0][0][:3] == (1, 0, 3)


def test_the_excerpts_of_real_questions_are_found_at_their_offsets(shared_data):
    folder = shared_data / "chunking-evaluation"
    documents = {
        path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))
    }
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        gold = [
            {"doc": row["corpus_id"], "text": reference["content"], "start": reference["start_index"]}
            for row in csv.DictReader(file)
            for reference in json.loads(row["references"])
        ]
    assert len(gold) == 790
    changes = [str, str.upper, lambda text: " ".join(text.split()), lambda text: f"**{text}**..."]
    for change in changes:
        table = align([{**row, "text": change(row["text"])} for row in gold], documents)
        assert table["how"].is_in(["exact", "folded"]).all()
        for row, (doc, start, end) in zip(gold, table.select("doc", "start", "end").rows(), strict=True):
            assert doc == row["doc"]
            assert fold(documents[doc][start:end]).text == fold(row["text"]).text
            between = documents[doc][min(start, row["start"]) : max(start, row["start"])]
            assert fold(between).text == ""  # only white space and mark-up at the beginning


def test_passages_of_real_articles_are_found_in_all_of_them(shared_data, tmp_path):
    archive = shared_data / "plos-jats" / "plos-starter-corpus.tar.xz"
    with tarfile.open(archive) as tar:
        members = [member for member in tar if member.name.endswith(".xml")][:8]
        for member in members:
            (tmp_path / member.name.rpartition("/")[2]).write_bytes(tar.extractfile(member).read())
    doxel.ingest([tmp_path], tmp_path / "articles.doxel")
    collection = doxel.read_collection(tmp_path / "articles.doxel")
    rows = []
    for number, doc in enumerate(collection):
        text = collection.text(number)
        rows += [(doc, at, text[at : at + 400]) for at in range(1000, len(text) - 1000, len(text) // 10)]
    table = align([text.upper() for _, _, text in rows], collection)
    unique = 0
    for (doc, at, _), row in zip(rows, table.iter_rows(named=True), strict=True):
        if row["places"] == 1:
            unique += 1
            assert row["doc"] == doc
            text = collection.text(collection.number(doc))
            # the span begins later than the passage only by white space and punctuation
            assert at <= row["start"]
            assert fold(text[at : row["start"]]).text == ""
            assert fold(text[row["start"] : row["end"]]).text == fold(text[at : at + 400]).text
    assert unique > 0.9 * len(rows)
