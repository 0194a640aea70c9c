"""The figures of BioASQ's scorer, on answers of a few snippets.

The numbers are those that the program printed for such files (measures.md, section 16), or follow from its
rules by hand as the comments show.  tests/golden/test_living_campaigns.py compares whole outputs.
"""

import math

import pytest

import doxel
from doxel.evaluation.compat.campaigns.bioasq_figures import BIOASQ, Snippet, score_questions
from runs.campaigns.bioasq_files import encode, question, snippet

GOLD = question("q", snippet(11, 100, 199), documents=[11])
JUNK = [snippet(11, start, start + 10) for start in range(1000, 1180, 20)]


def score(answer, gold=GOLD, edition=9):
    return score_questions([gold], [] if answer is None else [answer], edition)[1]


def test_junk_of_a_gold_document_raises_average_precision_above_1():
    overall = score(question("q", snippet(11, 100, 199), *JUNK, documents=[11]))
    assert overall["snip_P"] == 100 / 199  # nine snippets of 11 characters beside 100
    assert overall["snip_AP"] == 7.0138673124613256  # printed by the program
    assert score(question("q", snippet(11, 100, 199), *JUNK, documents=[11]), edition=3)["snip_AP"] == (
        pytest.approx(0.70138673124613256, rel=1e-15)
    )


def test_snippets_that_share_a_character_are_merged_into_the_earliest():
    parts = [snippet(11, 100, 120), snippet(11, 150, 199), snippet(11, 120, 150)]
    assert score(question("q", *parts))["snip_AP"] == 1  # one snippet, from 100 to 199
    touching = [snippet(11, 100, 149), snippet(11, 150, 199)]
    for pair in (touching, touching[::-1]):
        assert score(question("q", *pair))["snip_AP"] == 2  # no common character: two precisions of 1


@pytest.mark.parametrize(
    ("answer", "gold", "shared"),
    [
        ("sections.0", "abstract", 10),
        ("abstract", "sections.0", 0),
        ("x.title", "title", 10),
        ("title", "abstract", 0),
    ],
)
def test_sections_match_by_the_names_behind_their_first_dot(answer, gold, shared):
    outcome = score(question("q", snippet(1, 0, 9, answer)), question("q", snippet(1, 0, 9, gold)))
    assert outcome["snip_P"] == shared / 10


def test_overlap_counts_both_ends():
    here, there = (Snippet("d", "abstract", "abstract", first, last) for first, last in ((0, 9), (9, 20)))
    assert (here.size, here.overlap(there), there.overlap(here)) == (10, 1, 1)


def test_an_end_before_its_begin_counts_as_in_the_program():
    """A snippet from offset 50 of the title to 20 of the abstract has 20 - 50 + 1 = -29 characters."""
    inverted, long = (Snippet("d", "title", "abstract", first, last) for first, last in ((50, 20), (0, 100)))
    assert (inverted.size, inverted.overlap(long), inverted.overlap(inverted)) == (-29, -29, 0)
    crossing = {"endSection": "abstract"}
    gold = question("q", snippet(1, 0, 100, "title") | crossing)
    answer = question("q", snippet(1, 50, 20, "title") | crossing)
    overall = score(answer, gold)
    assert (overall["snip_P"], overall["snip_R"]) == (1, -29 / 101)
    assert overall["snip_AP"] == 1
    both = question("q", snippet(1, 50, 20, "title") | crossing, snippet(1, 200, 228, "abstract"))
    assert score(both, question("q"), edition=8)["snip_AP"] == 0  # 0/0 over 0 gold snippets: no number
    late = score(question("q", snippet(1, 500, 599), snippet(1, 50, 20, "title") | crossing), gold)
    assert (late["snip_AP"], late["snip_GMAP"]) == (-29 / 71, 0)  # no logarithm of a negative number


def test_a_snippet_without_an_end_section_matches_only_such_gold():
    bare = {key: value for key, value in snippet(1, 0, 9).items() if key != "endSection"}
    assert score(question("q", bare), question("q", snippet(1, 0, 9)))["snip_P"] == 0
    assert score(question("q", bare), question("q", bare))["snip_P"] == 1


def test_an_article_under_another_address_counts_only_in_precision_and_recall():
    other = snippet(11, 100, 199) | {"document": "https://pubmed.ncbi.nlm.nih.gov/11"}
    outcome = score(question("q", other))
    assert (outcome["snip_P"], outcome["snip_R"], outcome["snip_AP"]) == (1, 1, 0)


def test_unanswered_questions_are_left_out_of_every_mean():
    gold = [GOLD, question("other", snippet(5, 0, 9), documents=[5])]
    topics, overall = score_questions(gold, [question("q", snippet(11, 100, 199), documents=[11])], 9)
    assert overall["snip_AP"] == overall["doc_AP"] == 1
    assert math.isnan(topics["other"]["snip_AP"])


@pytest.mark.parametrize(("edition", "mean"), [(2, 0.5), (3, 0.05), (8, 0.5), (9, 1.0)])
def test_questions_without_gold_count_as_0_before_edition_9(edition, mean):
    gold = [GOLD, question("bare", documents=[1])]
    answers = [question("q", snippet(11, 100, 199), documents=[11]), question("bare", snippet(1, 0, 5))]
    assert score_questions(gold, answers, edition)[1]["snip_AP"] == mean


def test_without_any_question_two_means_are_0_and_the_others_no_numbers():
    overall = score(None)
    assert [name for name, value in overall.items() if value == 0] == ["doc_P", "doc_R", "snip_GMAP"]
    assert sum(map(math.isnan, overall.values())) == 7


def test_eleven_right_documents_have_an_average_precision_above_1():
    documents = list(range(11))
    assert score(question("q", documents=documents), question("q", documents=documents))["doc_AP"] == 1.1


def test_spans_in_python_are_scored_as_their_file_would_be(tmp_path):
    (tmp_path / "gold.json").write_bytes(encode(GOLD))
    run = [{"topic": "q", "doc": "11/abstract", "start": 100, "end": 199}]
    means = doxel.evaluate(run, tmp_path / "gold.json", "snip_P, snip_AP, doc_R", compat="bioasq").means
    assert dict(means.select("measure", "score").iter_rows()) == {"snip_P": 1.0, "snip_AP": 1.0, "doc_R": 1.0}


def test_every_set_has_the_same_figures():
    assert list(BIOASQ.sets) == ["bioasq2", "bioasq3", "bioasq5", "bioasq8", "bioasq9"]
    assert all(len(figures) == 10 for figures in BIOASQ.sets.values())
