"""Texts with dots for omitted parts.  The expected places are those that the parts were cut from."""

import pytest

from alignment.variants import write_words
from doxel.alignment.aligner import align
from doxel.alignment.shortened_texts import find_parts, is_shortened
from doxel.alignment.text_index import TextIndex

DOCUMENT = write_words(600)
CHUNK = (1000, 1400)


def place(text, **declared):
    table = align([{"text": text, "doc": "d", **declared}], {"d": DOCUMENT, "e": "Another text."})
    return table.select("start", "end", "how").rows()


def cut(start, end):
    return DOCUMENT[start:end].strip()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{DOCUMENT[1000:1280]}...", [(1000, 1280)]),
        (f"[…] {DOCUMENT[1100:1400]}", [(1100, 1400)]),
        (f"{DOCUMENT[1000:1020]} ... {DOCUMENT[1200:1400]}", [(1000, 1020), (1200, 1400)]),
        (f"{DOCUMENT[1000:1018]}[...]{DOCUMENT[1030:1049]}", [(1000, 1018), (1030, 1049)]),
        (
            f"… {DOCUMENT[1000:1060].upper()} … {DOCUMENT[1100:1115]} … {DOCUMENT[1300:1400]}…",
            [(1000, 1060), (1100, 1115), (1300, 1400)],
        ),
    ],
)
def test_a_shortened_text_is_where_its_parts_are(text, kept):
    expected = [cut(*span) for span in kept]
    assert [DOCUMENT[start:end] for start, end, _ in place(text)] == expected
    assert [DOCUMENT[start:end] for start, end, _ in place(text, start=1000)] == expected


@pytest.mark.parametrize(
    "text",
    [
        f"{DOCUMENT[1000:1280]}...",
        f"…{DOCUMENT[1100:1400]}",
        f"{DOCUMENT[1000:1100].lower()} ... {DOCUMENT[1390:1400]}",
        f"...{DOCUMENT[1100:1200]}...",
    ],
)
def test_a_shortened_text_that_agrees_with_its_offsets_is_the_whole_passage(text):
    assert place(text, start=1000, end=1400) == [(1000, 1400, "offsets")]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{DOCUMENT[1010:1280]}...", (1010, 1280)),
        (f"...{DOCUMENT[1100:1390]}", (1100, 1390)),
        (DOCUMENT[1000:1280], (1000, 1280)),
    ],
)
def test_offsets_that_contradict_a_shortened_text_do_not_count(text, kept):
    ((start, end, how),) = place(text, start=1000, end=1400)
    assert (cut(start, end), how != "offsets") == (cut(*kept), True)


def test_of_several_places_those_nearest_to_each_other_are_taken_or_the_nearest_to_an_offset():
    document = f"The gate is open, it says. {'x ' * 50}The gate is open. So is the lamp. {'y ' * 50}"
    document += "The gate is open. So is the lamp."
    index = TextIndex([document])
    text = "the gate is ... so is the lamp"
    near, far = document.index("The gate is open. So"), document.rindex("The gate")
    assert [part.place.start for part in find_parts(index, text)] == [near, near + 18]
    assert [part.places for part in find_parts(index, text)] == [2, 2]
    assert find_parts(index, text, far)[0].place.start == far


def test_parts_in_another_order_or_elsewhere_are_not_one_shortened_text():
    index = TextIndex([f"{DOCUMENT}{' z' * 6000}The very last words."])
    assert not find_parts(index, f"{DOCUMENT[300:340]} ... {DOCUMENT[100:140]}")
    assert not find_parts(index, f"{DOCUMENT[300:340]} ... the very last words")
    assert not find_parts(index, DOCUMENT[300:340])


def test_dots_alone_do_not_agree_with_a_passage():
    assert not is_shortened("...", "abc")
    assert is_shortened("a...b...c", "axbyc")
    assert not is_shortened("a...b...c", "acbx")
    assert not is_shortened("ab...bc", "abc")
