"""The results of queries with and without structure, and their order."""

import pytest

from doxel.search import SearchOptions
from doxel.search.topic_search import search_query
from doxel.topics.nexi.query_matching import find_conforming_elements
from doxel.topics.nexi.query_parser import parse
from doxel.topics.query_structure import Structure

STRICT = Structure("strict", "strict")


def search_paths(index, query, *, structure=None, **options):
    """Return the results of a query as ``document:path``, without [1]; elements may have any size."""
    settings = {"task": "thorough", "smallest": 1, "size_prior": 0.0, **options}
    if structure is not None:
        settings["structure"] = structure
    rows = search_query(index, parse(query), SearchOptions(**settings)).rows
    names = [index.documents[int(index.forest.document[row])] for row in rows]
    paths = [index.forest.path(int(row)).replace("[1]", "") for row in rows]
    return [f"{name}:{path}" for name, path in zip(names, paths, strict=True)]


def test_words_find_the_elements_that_contain_them(zoo):
    assert set(search_paths(zoo, "flint")) == {
        "stones:/book",
        "stones:/book/sec",
        "stones:/book/sec/st",
        "stones:/book/sec/p",
    }


def test_words_are_stemmed_and_accents_do_not_matter(zoo):
    assert search_paths(zoo, "Flínts") == search_paths(zoo, "flint")


def test_a_phrase_scores_higher_than_its_separate_words(zoo):
    old_ponds, grow_old = "birds:/book/sec/p[2]", "fish:/book/sec[2]/p"
    phrased = search_paths(zoo, '//p[about(., "old ponds")]')
    assert phrased[0] == old_ponds
    assert grow_old in phrased  # its words still count


def test_important_words_score_higher(zoo):
    assert search_paths(zoo, "//p[about(., +heron pike)]")[0] == "birds:/book/sec/p[2]"
    assert search_paths(zoo, "//p[about(., heron +pike)]")[0].startswith("fish:")


def test_unwanted_words_lower_the_score(zoo):
    with_pike = search_paths(zoo, "//p[about(., duck)]")
    without = search_paths(zoo, "//p[about(., duck -pike)]")
    assert "fish:/book/sec/p" in with_pike
    assert "fish:/book/sec/p" not in without


def test_a_strict_target_excludes_everything_else(zoo):
    assert set(search_paths(zoo, "//sec[about(., pond)]")) == {
        "birds:/book/sec",
        "fish:/book/sec",
        "fish:/book/sec[2]",
    }


def test_a_vague_target_excludes_nothing_but_prefers_named_elements(zoo):
    vague = search_paths(zoo, "//sec[about(., flint)]", structure=Structure())
    assert {"stones:/book/sec", "stones:/book/sec/p", "stones:/book"} <= set(vague)
    strict = search_paths(zoo, "//sec[about(., flint)]")
    assert vague.index(strict[0]) <= vague.index("stones:/book")


def test_about_with_a_path_scores_the_elements_of_the_path(zoo):
    assert search_paths(zoo, "//sec[about(.//st, duck)]", structure=STRICT) == ["birds:/book/sec"]
    vague = search_paths(zoo, "//sec[about(.//st, duck)]")
    assert vague[0] == "birds:/book/sec"
    assert "fish:/book/sec" in vague  # it contains "duck", but not in its heading


def test_and_requires_both_parts_and_or_requires_one(zoo):
    both = search_paths(zoo, "//p[about(., duck) and about(., pike)]", structure=STRICT)
    either = search_paths(zoo, "//p[about(., duck) or about(., pike)]", structure=STRICT)
    assert both == ["fish:/book/sec/p"]
    assert set(either) == {"birds:/book/sec/p", "fish:/book/sec/p", "fish:/book/sec/p[2]"}
    assert search_paths(zoo, "//p[about(., duck) and about(., pike)]")[0] == both[0]


@pytest.mark.parametrize(
    ("comparison", "books"),
    [
        (".//year >= 2000", {"fish"}),
        (".//year < 2000", {"birds"}),
        (".//year = 2005", {"fish"}),
        (".//year <= 2005", {"birds", "fish"}),
        (".//year > 2005", set()),  # "about 2010" is not a number
        (".//@year > 2000", {"fish"}),
        (".//year = '2005'", {"fish"}),
    ],
)
def test_comparisons_must_hold_with_strict_support(zoo, comparison, books):
    query = f"//book[{comparison}]//p[about(., duck pond fish flint)]"
    assert {path.partition(":")[0] for path in search_paths(zoo, query, structure=STRICT)} == books


def test_a_comparison_alone_is_a_query(zoo):
    assert search_paths(zoo, "//book[.//year >= 2000]", structure=STRICT) == ["fish:/book"]


def test_words_of_attributes_are_searched(zoo):
    query = "//sec[about(.//@kind, water) and about(., pond)]"
    assert set(search_paths(zoo, query, structure=STRICT)) == {"birds:/book/sec", "fish:/book/sec"}


def test_conditions_on_ancestors_count(zoo):
    inside_fish = search_paths(zoo, "//book[about(.//title, fish)]//p[about(., duck)]")
    inside_birds = search_paths(zoo, "//book[about(.//title, birds)]//p[about(., duck)]")
    assert inside_fish[0] == "fish:/book/sec/p"
    assert inside_birds[0] == "birds:/book/sec/p"


@pytest.mark.parametrize("target", ["strict", "vague"])
@pytest.mark.parametrize("support", ["strict", "vague"])
@pytest.mark.parametrize(
    "query",
    [
        "//sec[about(., duck pond)]",
        "//book[.//year >= 2000]//(p|st)[about(., pond pike)]",
        "//book[about(.//st, duck) or .//@year > 2000]//sec[about(.//p, pond) and about(.//@kind, water)]",
        "//book[about(.//title, fish)]//sec//p",
        "//book//*[about(.//p, duck)]",
        "//sec[about(./p, carp) and about(./st, carp)]",
    ],
)
def test_all_results_match_the_structure(zoo, query, target, support):
    parsed_query = parse(query)
    options = SearchOptions(task="thorough", smallest=1, structure=Structure(target, support))
    rows = search_query(zoo, parsed_query, options).rows
    is_allowed = find_conforming_elements(
        parsed_query, zoo.collection, zoo.numbers, target=target, support=support
    )
    assert len(rows) > 0
    assert is_allowed[rows].all()


def test_a_target_without_a_condition_is_scored_with_the_words_of_the_others(zoo):
    answers = search_paths(zoo, "//book[about(., carp)]//p", structure=STRICT)
    assert answers[0] == "fish:/book/sec[2]/p"
    assert {path.partition(":")[0] for path in answers} == {"fish"}


def test_child_steps_of_the_older_dialect_are_understood(zoo):
    assert search_paths(zoo, "//sec[about(./st, carp)]", structure=STRICT) == ["fish:/book/sec[2]"]


def test_small_elements_are_left_out_unless_they_are_named(zoo):
    assert "stones:/book/sec/st" not in search_paths(zoo, "flint", smallest=50)
    assert search_paths(zoo, "//st[about(., flint)]", smallest=50) == ["stones:/book/sec/st"]


def test_the_size_prior_moves_large_elements(zoo):
    assert search_paths(zoo, "flint", size_prior=1.0)[0] == "stones:/book"
    assert search_paths(zoo, "flint", size_prior=-1.0)[0] == "stones:/book/sec/st"


def test_a_word_that_the_engine_splits_is_a_phrase(zoo):
    assert search_paths(zoo, "//p[about(., old-ponds)]")[0] == "birds:/book/sec/p[2]"


def test_a_query_may_have_ten_thousand_words(zoo):
    query = " ".join(f"word{number}" for number in range(9_999)) + " flint"
    assert search_paths(zoo, query) == search_paths(zoo, "flint")
