"""Damaged texts are found by the sequences that they share with a document."""

import math
import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from alignment.variants import add_noise, write_words
from doxel.alignment.folding import fold
from doxel.alignment.fuzzy_matching import LEAST_IDENTITY, Piece, find_pieces
from doxel.alignment.text_index import GRAM, TextIndex
from random_share import count_cases, take_some

TEXT = write_words(3000)
INDEX = TextIndex([TEXT, write_words(500, seed=2)])
FOLDED = INDEX.folded.text
OTHER = fold(write_words(400, seed=3)).text


def test_identity_and_score_follow_from_the_edits():
    piece = Piece(first=10, last=110, start=0, end=98, edits=8)
    assert (piece.matched, piece.identity, piece.score) == (100, 0.92, 80.0)
    # 12 edits, of which 10 are characters that the text leaves out: 98 are equal, 98 - 1.5 * 12 = 80
    piece = Piece(first=10, last=110, start=0, end=110, edits=12)
    assert (piece.identity, piece.score) == (0.88, 80.0)


@settings(max_examples=count_cases(30))
@given(st.integers(0, 12_000), st.integers(60, 900), st.sampled_from([0.02, 0.05, 0.1]), st.integers(0, 9))
def test_a_damaged_text_is_found_where_it_was_taken_from(start, length, share, seed):
    pieces = find_pieces(add_noise(FOLDED[start : start + length], share, seed), INDEX)
    covered = sum(min(piece.end, start + length) - max(piece.start, start) for piece in pieces)
    # 25 edits in a row may end a piece, which noise of 10 % does not produce
    assert covered >= 0.85 * length
    assert all(start - 12 <= piece.start and piece.end <= start + length + 12 for piece in pieces)
    assert all(piece.identity >= LEAST_IDENTITY for piece in pieces)


@pytest.mark.parametrize("size", [30, 300, 2000])
def test_a_foreign_beginning_and_end_fall_off(size):
    passage = FOLDED[1000:1300]
    (piece,) = find_pieces(OTHER[:size] + passage + OTHER[-size:], INDEX)
    assert abs(piece.start - 1000) <= 3
    assert abs(piece.end - 1300) <= 3
    assert abs(piece.first - size) <= 3


def test_joined_pieces_are_found_one_by_one_in_the_order_of_the_text():
    borders = [(4000, 4100), (100, 220), (2500, 2560)]
    pieces = find_pieces("".join(FOLDED[start:end] for start, end in borders), INDEX)
    assert len(pieces) == 3
    for piece, (start, end) in zip(pieces, borders, strict=True):
        assert abs(piece.start - start) <= 3
        assert abs(piece.end - end) <= 3


def test_long_pieces_are_found_though_few_of_their_sequences_are_looked_up():
    # chance sequences near the diagonal of a long piece must not be taken for it
    borders = [(9000, 12_000), (200, 4100), (5000, 8000)]
    for seed in range(8):
        index = TextIndex([fold(write_words(3500, seed=seed)).text + OTHER])
        text = "".join(index.folded.text[start:end] for start, end in borders)
        pieces = find_pieces(text, index)
        for piece, (start, end) in zip(pieces, borders, strict=True):
            assert abs(piece.start - start) + abs(piece.end - end) <= 6


def test_a_piece_of_less_than_40_characters_counts_only_if_it_is_most_of_the_text():
    assert find_pieces(OTHER[:60] + FOLDED[500:535], INDEX) == []
    assert len(find_pieces(OTHER[:10] + FOLDED[500:535], INDEX)) == 1


def test_a_piece_of_40_characters_counts_at_the_lowest_identity_also_among_foreign_text():
    generator = random.Random(3)
    document, before, after = (
        "".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=size)) for size in (100_000, 300, 300)
    )
    damaged = [
        "0" if place >= 10 and place % 3 == 1 else letter for place, letter in enumerate(document[5000:5040])
    ]
    (piece,) = find_pieces(before + "".join(damaged) + after, TextIndex([document]))
    assert (piece.start, piece.edits, piece.matched) == (5000, damaged.count("0"), 40)
    assert piece.score < 0.6 * math.log2(640 * 100_000)  # less than what other pieces need


def test_a_text_from_elsewhere_is_not_found():
    assert find_pieces("thequickbrownfoxjumpsoverthelazydogandrunsaway", INDEX) == []
    assert find_pieces("short", INDEX) == []
    assert find_pieces("", INDEX) == []


def test_of_equal_copies_the_first_or_the_nearest_is_taken():
    passage = "itwasabrightcolddayinaprilandtheclockswerestrikingthirteen"
    index = TextIndex([f"{OTHER[:400]}{passage}{OTHER[400:900]}{passage}{OTHER[900:]}"])
    damaged = passage.replace("cold", "cald")
    (first,) = find_pieces(damaged, index)
    assert (first.start, first.places) == (400, 2)
    (nearest,) = find_pieces(damaged, index, near=1000)
    assert (nearest.start, nearest.places) == (400 + len(passage) + 500, 2)


def test_of_many_copies_all_are_counted_and_the_nearest_is_taken():
    passage = FOLDED[2000:2150]
    gaps = [fold(write_words(60, seed=seed)).text for seed in range(10, 22)]
    index = TextIndex([passage.join(gaps)])
    starts = index.find_copies(len(gaps[0]), len(gaps[0]) + len(passage))
    assert len(starts) == 11
    damaged = add_noise(passage, 0.02)
    for near, start in [(-1, starts[0]), *((start + 30, start) for start in starts)]:
        (piece,) = find_pieces(damaged, index, near)
        assert (abs(piece.start - start) <= 3, piece.places) == (True, 11)


def test_a_copy_at_the_declared_offset_may_be_slightly_worse():
    passage = FOLDED[2000:2150]
    altered = f"{passage[:70]}x{passage[71:]}"
    index = TextIndex([f"{altered}{OTHER[:300]}{passage}"])
    assert find_pieces(f"abcdefg{passage}", index, near=0)[0].start == 0
    assert find_pieces(f"abcdefg{passage}", index)[0].start == 450


def test_a_short_piece_counts_at_the_declared_offset():
    (piece,) = find_pieces(OTHER[:60] + FOLDED[500:535], INDEX, near=500)
    assert (piece.start, piece.end) == (500, 535)
    assert find_pieces(OTHER[:60] + FOLDED[500:535], INDEX, near=900) == []


def test_a_whole_sentence_among_others_counts_though_it_is_short():
    text = OTHER[:60] + FOLDED[500:525] + OTHER[100:160]
    (piece,) = find_pieces(text, INDEX, borders={0, 60, 85, 145})
    assert (piece.start, piece.end) == (500, 525)
    assert find_pieces(text, INDEX, borders={0, 70, 145}) == []
    assert find_pieces(text.replace(FOLDED[510:513], "x"), INDEX, borders={0, 60, 83, 143}) == []


SENTENCES = [fold(write_words(5, seed=seed)).text[:30] for seed in range(60, 80)]
LINES = TextIndex(["\n".join([TEXT, *SENTENCES, TEXT])])
LINE, AT = SENTENCES[7], LINES.folded.text.index(SENTENCES[7])


def change(text, at):
    return f"{text[:at]}z{text[at + 1 :]}"


LETTERS = "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxy", k=3000))


@pytest.mark.parametrize("size", [16, 30])
def test_a_damaged_line_of_the_document_counts_among_foreign_text(size):
    line = LETTERS[1000 : 1000 + size]
    index = TextIndex([f"{LETTERS[:1000]}\n{line}\n{LETTERS[1000 + size :]}"])
    text = OTHER[:60] + change(line, 11) + OTHER[100:160]
    (piece,) = find_pieces(text, index, borders={60, 60 + size})
    assert (piece.first, piece.last, piece.edits) == (60, 60 + size, 1)
    assert (piece.start, piece.end) == (1000, 1000 + size)
    assert find_pieces(text, index, borders={60 + size // 2}) == []  # the text has no such line
    assert find_pieces(text, TextIndex([LETTERS]), borders={60, 60 + size}) == []  # the document has none


def test_a_better_chance_piece_does_not_hide_a_line():
    line = LETTERS[1000:1016]
    index = TextIndex([f"{LETTERS[:1000]}\n{line}\n{LETTERS[1016:]}"])
    text = OTHER[:60] + LETTERS[2000:2018] + OTHER[100:160] + line
    assert find_pieces(text[:-16], index) == []
    (piece,) = find_pieces(text, index, borders={138})
    assert (piece.start, piece.end) == (1000, 1016)


def test_one_end_of_a_line_may_be_unknown_if_its_score_is_more_than_chance():
    # a line with 1 edit scores 12.5 or 13.5; 0.6 log2(m n) is 12.9, m being 78 or 79 and n 38,846
    for size, count in [(15, 0), (16, 1)]:
        index = TextIndex(["\n".join([TEXT, LINE[:size], TEXT])])
        text = f"{change(LINE[:size], 9)}zzz{OTHER[:60]}"
        assert len(find_pieces(text, index, borders={30 + size})) == count
        assert find_pieces(f"zzz{text}", index) == []  # both ends in the text are unknown


@pytest.mark.parametrize(("size", "count"), [(10, 0), (11, 1)])
def test_a_short_line_of_the_document_needs_a_score_of_6(size, count):
    line = LETTERS[1000 : 1000 + size]
    index = TextIndex([f"{LETTERS[:1000]}\n{line}\n{LETTERS[1000 + size :]}"])
    text = change(change(line, 5), 8)  # scores 5 or 6
    pieces = [(piece.first, piece.last, piece.start, piece.edits) for piece in find_pieces(text, index)]
    assert pieces == [(0, size, 1000, 2)] * count
    assert find_pieces(text, TextIndex([LETTERS])) == []  # the document has no such line


@pytest.mark.parametrize(("size", "count"), [(60, 1), (100, 0)])
def test_a_short_line_among_more_text_needs_a_higher_score(size, count):
    # 7 equal letters; 6 + 0.6 log2(1 + m / 32) is 6.98 for 67 letters of text, and 7.27 for 107
    index = TextIndex([f"{LETTERS[:1000]}\n{LETTERS[1000:1007]}\n{LETTERS[1007:]}"])
    pieces = find_pieces(OTHER[:size] + LETTERS[1000:1007], index, borders={size})
    assert [(piece.first, piece.start, piece.end) for piece in pieces] == [(size, 1000, 1007)] * count


def test_the_end_of_a_piece_is_a_border_of_the_text():
    line = LETTERS[1000:1011]
    index = TextIndex([f"{LETTERS[:1000]}\n{line}\n{LETTERS[1011:]}"])
    (before, piece, after) = find_pieces(LETTERS[200:260] + line + LETTERS[520:580], index)
    assert (before.last, piece.first, piece.last, after.first) == (60, 60, 71, 71)
    assert (piece.start, piece.end) == (1000, 1011)
    assert find_pieces(OTHER[:60] + line + OTHER[100:160], index) == []


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_up_to_two_letters_that_a_line_lost_at_an_end_belong_to_it(lost):
    added = lost % 3
    (piece,) = find_pieces(change(LINE, 15)[lost:], LINES)
    assert (piece.start, piece.end, piece.edits) == (AT + lost - added, AT + 30, 1 + added)
    (piece,) = find_pieces(change(LINE, 15)[:-lost], LINES)
    assert (piece.start, piece.end, piece.edits) == (AT, AT + 30 - lost + added, 1 + added)
    (piece,) = find_pieces(f"{change(LINE, 15)[:-lost]}{OTHER[:12]}", LINES)  # is not an end of the text
    assert piece.end == AT + 30 - lost


def test_a_short_line_is_found_though_its_only_common_sequence_is_frequent():
    line = LETTERS[1000:1013]
    text = change(change(line, 5), 9)
    other_lines = [
        f"{LETTERS[at : at + 20]}{line[:5]}{LETTERS[at + 20 : at + 40]}" for at in range(0, 800, 40)
    ]
    index = TextIndex(["\n".join([*other_lines, line])])
    (piece,) = find_pieces(text, index)
    assert (piece.start, piece.end) == (900, 913)


def test_in_ideographs_a_shorter_line_counts_among_foreign_text():
    index = TextIndex([f"{IDEOGRAPHS[:1000]}\n{IDEOGRAPHS[1000:1014]}\n{IDEOGRAPHS[1014:]}"])
    text = f"{OTHER[:60]}{IDEOGRAPHS[1000:1014]}"
    (piece,) = find_pieces(text, index, borders={60})
    assert (piece.first, piece.start, piece.end) == (60, 1000, 1014)


def test_the_end_of_a_damaged_line_before_foreign_text_belongs_to_the_piece():
    damaged = change(change(LINE, 1), 15)  # also before its first run
    (piece,) = find_pieces(f"{OTHER[:60]}{damaged}", LINES, borders={60})
    assert (piece.first, piece.start, piece.end, piece.edits) == (60, AT, AT + 30, 2)


@pytest.mark.parametrize("chance", [1, 2, 3, 6])
def test_letters_beyond_a_border_that_are_equal_by_chance_are_cut(chance):
    # the line before ends like the foreign text before
    text = f"{OTHER[:60]}{SENTENCES[6][-chance:]}{LINE}{LINE}"
    borders = {60 + chance, 90 + chance}
    (piece, _) = find_pieces(text, LINES, borders=borders)
    assert (piece.first, piece.start) == (60 + chance, AT)


@pytest.mark.parametrize(("size", "matched"), [(6, 200), (7, 207), (16, 216)])
def test_seven_letters_of_the_next_sentence_are_not_chance(size, matched):
    index = TextIndex([f"{LETTERS[:200]}.\n{LETTERS[200:300]}"])
    (piece,) = find_pieces(LETTERS[: 200 + size] + OTHER[:60], index, borders={200})
    assert piece.matched == matched


@pytest.mark.parametrize(("chance", "start"), [(1, 1000), (2, 1000), (3, 997)])
def test_two_letters_beyond_a_border_of_the_text_are_cut(chance, start):
    text = OTHER[:60] + LETTERS[1000 - chance : 1100]
    (piece,) = find_pieces(text, TextIndex([LETTERS]), borders={60 + chance})
    assert (piece.start, piece.end) == (start, 1100)


@pytest.mark.parametrize("border", [20, 26])
def test_an_end_that_is_one_of_the_document_is_not_cut(border):
    index = TextIndex(["\n".join([TEXT, f"{LINE[:border]}. {LINE[border:]}", TEXT])])
    (piece,) = find_pieces(f"{LINE}{OTHER[:60]}", index, borders={border})
    assert (piece.first, piece.last) == (0, 30)


def test_of_a_whole_text_and_a_part_elsewhere_the_whole_counts():
    line = f"{LINE[:12]}{SENTENCES[2][:7]}"
    index = TextIndex(["\n".join([LINE[:12], TEXT, line, TEXT])])
    text = change(change(line, 13), 15)  # scores 19 - 2 * 2.5 = 14, the part 12
    (piece,) = find_pieces(text, index, rate=lambda piece: -piece.start)
    assert (piece.matched, piece.start) == (19, index.folded.text.index(line))


def test_an_end_after_too_much_that_was_left_out_does_not_cost_the_piece():
    (piece,) = find_pieces(LETTERS[500:520] + LETTERS[533:541], TextIndex([LETTERS]))  # 28 with 13 edits
    assert (piece.start, piece.end, piece.edits) == (500, 520, 0)


@pytest.mark.parametrize("end", ["z", "zz", "z{29}", "{28}z{29}"])
def test_a_damaged_end_at_a_border_belongs_to_a_piece_without_other_errors(end):
    size = {"z": 1, "zz": 2, "z{29}": 2, "{28}z{29}": 2}[end]
    text = LINE[: 30 - size] + end.format(*LINE)
    (piece,) = find_pieces(text, LINES)
    assert (piece.last, piece.end) == (len(text), AT + 30)
    (piece,) = find_pieces(text, TextIndex([TEXT + LINE + OTHER]))
    assert piece.end <= len(FOLDED[: FOLDED.index("\0")]) + 30 - (end != "{28}z{29}")


def test_a_short_end_counts_at_a_border_after_a_word_that_was_left_out():
    text = LINE[:22] + LINE[27:]
    (piece,) = find_pieces(text, LINES)
    assert (piece.start, piece.end, piece.edits) == (AT, AT + 30, 5)


def test_a_long_text_is_followed_block_by_block():
    text = FOLDED[:9000]
    (piece,) = find_pieces(add_noise(text, 0.05), INDEX)
    assert piece.start <= 5
    assert 8990 <= piece.end <= 9005


def test_a_piece_stays_inside_its_document():
    border = FOLDED.index("\0")
    (piece,) = find_pieces(FOLDED[border - 200 : border] + "x" * 50, INDEX)
    assert piece.end <= border


@pytest.mark.parametrize(("left_out", "inserted"), [(9, ""), (0, "replaced"), (7, "another")])
def test_the_end_after_a_word_that_was_left_out_or_replaced_belongs_to_the_piece(left_out, inserted):
    first, end = 500, 700
    for gap in (end - 8 - left_out, first + 8):
        text = FOLDED[first:gap] + inserted + FOLDED[gap + left_out : end]
        (piece,) = find_pieces(text, INDEX)
        assert (piece.start, piece.end) == (first, end)
        assert piece.identity >= 1 - 10 / 180


def break_runs(text, size):
    """Replace a character after each ``size`` others by one that the documents do not have."""
    return "".join("z" if at % (size + 1) == size else letter for at, letter in enumerate(text))


@pytest.mark.parametrize("start", [0, 700, 5000, 9000])
def test_a_short_text_is_found_that_shares_no_long_sequence_with_the_documents(start):
    text = break_runs(FOLDED[start : start + 63], 8)
    assert not any(text[at : at + GRAM] in FOLDED for at in range(len(text)))
    (piece,) = find_pieces(text, INDEX)
    assert (piece.first, piece.last, piece.start, piece.end) == (0, 63, start, start + 63)
    assert (piece.edits, piece.identity) == (7, 1 - 7 / 63)


def test_a_long_sequence_elsewhere_does_not_keep_a_short_text_from_its_place():
    line, text = "residenzialmorzgages13562220", "resiqenzialmorqgages1356q220"
    phrase = "qenzialmorqgages1"  # 17 of the 28 characters; its score is 17, that of the line 28 - 2.5 * 3
    index = TextIndex([f"{OTHER[:300]}{phrase}{OTHER[300:600]}{line}{OTHER[600:]}"])
    (piece,) = find_pieces(text, index)
    assert (piece.start, piece.end, piece.edits) == (600 + len(phrase), 600 + len(phrase) + len(line), 3)


@pytest.mark.parametrize("count", take_some([10, 1, 40], 1))
def test_short_sequences_from_many_places_make_no_piece(count):
    generator = random.Random(count)
    texts = [
        "z".join(FOLDED[at : at + 7] for at in generator.choices(range(12_000), k=count)) for _ in range(200)
    ]
    assert [text for text in texts if find_pieces(text, INDEX)] == []


FAR = TextIndex([FOLDED + "".join(map(chr, range(0x4E00, 0x4E00 + 20_000))) * 100])


def test_in_more_documents_chance_reaches_a_higher_score():
    text = break_runs(FOLDED[500:513], 6)  # 13 characters with 1 edit score 10.5
    near = TextIndex([FOLDED[400:600]])
    assert [(piece.start, piece.edits) for piece in find_pieces(text, near)] == [(100, 1)]
    assert find_pieces(text, FAR) == []


def test_a_part_of_a_text_reaches_a_higher_score_by_chance_than_a_whole_text():
    text = f"{FOLDED[500:508]}z{FOLDED[509:516]}"  # 16 characters with 1 edit score 13.5
    assert [(piece.start, piece.edits) for piece in find_pieces(text, FAR)] == [(500, 1)]
    assert find_pieces(f"zzzz{text}", FAR) == []


def test_a_common_phrase_that_is_most_of_a_text_counts_only_if_it_is_more_than_chance():
    text = f"{FOLDED[500:512]}zqjzqj"  # 12 of 18 characters; 0.6 log2(18 n) is 15.1 for 2,000,000 letters
    assert [(piece.start, piece.end) for piece in find_pieces(text, TextIndex([FOLDED[400:600]]))] == [
        (100, 112)
    ]
    assert find_pieces(text, FAR) == []


IDEOGRAPHS = "".join(random.Random(4).choices([chr(0x4E00 + at) for at in range(1500)], k=3000))


@pytest.mark.parametrize("start", [0, 700, 2900])
def test_texts_in_ideographs_are_found_by_sequences_of_three(start):
    index = TextIndex([IDEOGRAPHS])
    (piece,) = find_pieces(break_runs(IDEOGRAPHS[start : start + 17], 4), index)
    assert (piece.start, piece.end, piece.edits) == (start, start + 17, 3)
    alone = f"{IDEOGRAPHS[start]}z{IDEOGRAPHS[start + 2 : start + 15]}"  # near an end, without other errors
    (piece,) = find_pieces(alone, index)
    assert (piece.start, piece.end, piece.edits) == (start, start + 15, 1)
    # 8 characters with 1 edit score 5.5, but 10 / 1.5 is needed
    short = f"{IDEOGRAPHS[start : start + 4]}z{IDEOGRAPHS[start + 5 : start + 8]}"
    assert find_pieces(short, index) == []


def test_foreign_texts_in_ideographs_are_not_found():
    index, other = TextIndex([IDEOGRAPHS[:1500]]), IDEOGRAPHS[1500:]
    texts = [
        other[at : at + 4] + IDEOGRAPHS[at : at + 4] + other[at + 4 : at + 8] for at in range(0, 1400, 12)
    ]
    assert [text for text in texts if find_pieces(text, index)] == []


def test_of_equally_good_places_the_one_with_the_highest_rate_is_taken():
    passage = FOLDED[2000:2060]
    index = TextIndex([f"{OTHER[:400]}{passage}{OTHER[400:900]}{passage}{OTHER[900:]}"])
    damaged = f"{passage[:30]}z{passage[31:]}"
    (piece,) = find_pieces(damaged, index, rate=lambda piece: piece.start)
    assert (piece.start, piece.places) == (960, 1)
    (piece,) = find_pieces(damaged, index, near=390, rate=lambda piece: piece.start)
    assert (piece.start, piece.places) == (400, 2)


def test_letters_that_a_prefix_shares_by_chance_do_not_decide_between_places():
    passage = FOLDED[2000:2060]
    index = TextIndex([f"{OTHER[:400]}it{passage}{OTHER[400:900]}{passage}{OTHER[900:]}"])
    (piece,) = find_pieces(f"znit{passage}", index, rate=lambda piece: piece.start)
    assert piece.start == 962
    index = TextIndex([f"{OTHER[:400]}nit{passage}{OTHER[400:900]}{passage}{OTHER[900:]}"])
    (piece,) = find_pieces(f"znit{passage}", index, rate=lambda piece: piece.start)
    assert piece.start == 400


@settings(max_examples=count_cases(30))
@given(st.integers(0, 12_000), st.integers(20, 120), st.integers(0, 99))
def test_no_edit_is_left_out_of_the_identity(start, length, seed):
    text = add_noise(FOLDED[start : start + length], 0.15, seed)
    for piece in find_pieces(text, INDEX):
        source = FOLDED[piece.start : piece.end]
        assert piece.edits >= Levenshtein.distance(text[piece.first : piece.last], source)


@pytest.mark.parametrize("end", ["z", "zz", "zzz", "zzzz"])
def test_up_to_three_wrong_characters_at_an_end_belong_to_a_piece_with_other_errors(end):
    passage = FOLDED[500:700]
    damaged = f"{passage[:20]}z{passage[21:180]}z{passage[181:]}"
    size = len(end) if len(end) < 4 else 0
    (piece,) = find_pieces(damaged[: 200 - len(end)] + end, INDEX)
    assert (piece.start, piece.end) == (500, 700 - len(end) + size)
    assert piece.edits == 2 + size
    (piece,) = find_pieces(end + damaged[len(end) :], INDEX)
    assert (piece.start, piece.end, piece.edits) == (500 + len(end) - size, 700, 2 + size)
    (piece,) = find_pieces(passage[: 200 - len(end)] + end, INDEX)  # no errors but these: they are foreign
    assert (piece.end, piece.edits) == (700 - len(end), 0)


def test_the_last_letter_of_a_damaged_text_is_found_after_one_that_was_left_out():
    passage = FOLDED[500:700]
    assert passage[198] != passage[199]
    (piece,) = find_pieces(f"{passage[:180]}z{passage[181:198]}{passage[199]}", INDEX)
    assert (piece.end, piece.edits) == (700, 2)


@pytest.mark.parametrize(
    ("end", "changes"), [("z{1}{2}", 1), ("{0}z{1}{2}", 1), ("z{2}", None), ("zz{2}", None)]
)
def test_an_end_that_is_mostly_equal_belongs_to_a_piece_without_other_errors(end, changes):
    passage = FOLDED[500:700]
    text = passage[:197] + end.format(*passage[197:])
    (piece,) = find_pieces(text, INDEX)
    assert (piece.end, piece.edits) == ((700, changes) if changes else (697, 0))


def test_a_short_foreign_end_does_not_belong_to_the_piece():
    (piece,) = find_pieces(FOLDED[500:700] + "zqxj", INDEX)
    assert (piece.start, piece.end) == (500, 700)


@pytest.mark.parametrize(("gap", "edits"), [(5, 5), (6, 6), (7, 6), (20, 6), (40, 6)])
@pytest.mark.parametrize("after", [30, 200])
def test_words_left_out_do_not_end_a_piece_and_count_as_one_of_six_letters(gap, edits, after):
    index = TextIndex([LETTERS[:530] + IDEOGRAPHS[:gap] + LETTERS[530:]])
    (piece,) = find_pieces(LETTERS[500 : 530 + after], index)
    assert (piece.start, piece.end, piece.edits) == (500, 530 + gap + after, edits)


def test_pieces_with_more_left_out_between_them_stay_apart():
    pieces = find_pieces(LETTERS[500:540] + LETTERS[585:625], TextIndex([LETTERS]))
    assert [(piece.start, piece.end) for piece in pieces] == [(500, 540), (585, 625)]


def test_several_words_are_left_out_of_one_piece():
    parts = [LETTERS[500:520], LETTERS[520:536], LETTERS[536:552], LETTERS[552:580]]
    index = TextIndex([LETTERS[:500] + IDEOGRAPHS[:9].join(parts) + LETTERS[580:]])
    (piece,) = find_pieces("".join(parts), index)
    assert (piece.start, piece.end, piece.edits) == (500, 607, 18)
    parts = [LETTERS[500:540], LETTERS[540:556], LETTERS[556:576]]  # with gaps wider than what follows them
    index = TextIndex([LETTERS[:500] + IDEOGRAPHS[:30].join(parts) + LETTERS[576:]])
    (piece,) = find_pieces("".join(parts), index)
    assert (piece.start, piece.end, piece.edits) == (500, 636, 12)


@pytest.mark.parametrize(("size", "borders"), [(30, [(500, 580)]), (36, [(500, 540), (540, 580)])])
def test_letters_put_in_are_edits_and_split_a_piece_if_they_are_too_many(size, borders):
    text = LETTERS[500:540] + OTHER[:size] + LETTERS[540:580]
    pieces = find_pieces(text, TextIndex([LETTERS]))
    assert [(piece.start, piece.end) for piece in pieces] == borders


@pytest.mark.parametrize(("size", "end"), [(12, 540), (13, 583)])
def test_a_piece_continues_after_a_gap_with_more_letters_than_are_equal_by_chance(size, end):
    # 10 + 0.6 log2 31 = 13.0
    text = LETTERS[500:540] + LETTERS[570 : 570 + size] + "\u4e00" * 60
    (piece,) = find_pieces(text, TextIndex([LETTERS]))
    assert piece.end == end


@pytest.mark.parametrize(("size", "end"), [(8, 540), (9, 579)])
def test_fewer_letters_are_enough_at_the_end_of_the_text(size, end):
    # 6 + 0.6 log2 31 = 9.0
    (piece,) = find_pieces(LETTERS[500:540] + LETTERS[570 : 570 + size], TextIndex([LETTERS]))
    assert piece.end == end


@pytest.mark.parametrize(("size", "end"), [(2, 560), (3, 571)])
def test_three_letters_at_the_end_count_after_a_word_that_was_left_out(size, end):
    (piece,) = find_pieces(LETTERS[500:560] + LETTERS[568 : 568 + size], TextIndex([LETTERS]))
    assert piece.end == end


def test_damaged_ends_of_several_lines_belong_to_the_piece():
    # the line before ends with three letters of the text, and noise follows
    index = TextIndex([f"{LETTERS[:500]}\n{LETTERS[500:600]}"])
    text = f"{LETTERS[497:500]}\u4e00\u4e01{LETTERS[500:560]}"
    (piece,) = find_pieces(change(text, 30), index, borders={3, 4, 5})
    assert (piece.first, piece.start, piece.end) == (0, 497, 560)


def test_a_short_piece_does_not_reach_beyond_a_border():
    index = TextIndex([f"{LETTERS[:500]}\n{LETTERS[500:600]}"])
    text = f"{LETTERS[497:500]}\u4e00\u4e01{LETTERS[500:530]}"
    (piece,) = find_pieces(change(text, 20), index, borders={3, 4, 5})
    assert (piece.first, piece.start, piece.end) == (5, 500, 530)


def test_letters_left_out_add_nothing_to_the_score():
    assert Piece(first=0, last=60, start=0, end=80, edits=6).score == 60 - 1.5 * 6


def test_a_text_may_have_more_gaps_than_calls_may_be_nested():
    generator = random.Random(7)
    document = "".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=66_000))
    passages = [document[at : at + 60] + "0123456789" * 2 for at in range(0, len(document), 60)]
    assert len(passages) > sys.getrecursionlimit()
    (piece,) = find_pieces("".join(passages), TextIndex([document]))
    assert (piece.start, piece.end, piece.edits) == (0, 66_000, 20 * len(passages) - 20)
