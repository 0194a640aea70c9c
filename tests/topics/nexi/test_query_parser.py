"""Parsing of NEXI queries, the dialect of 2003, and the position of errors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import QueryError
from doxel.topics import nexi, read_topics
from doxel.topics.nexi.query_parser import MAX_BRACKETS
from doxel.topics.nexi.query_tree import (
    About,
    And,
    Keywords,
    Or,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)
from topics.query_notation import path, words

# Figure 1 of the report on INEX 2002-2006: a CAS topic of 2003.
FIGURE_2003 = """
  //article[(./fm//yr = '2000' OR ./fm//yr = '1999') AND about(.,
  '"intelligent transportation system"')]//sec[about(.,'automation
  +vehicle')]
"""


@settings(deadline=None)
@given(st.text(st.sampled_from("/.*@()[]|,<>=+-\"' aboutnrsec12\n")))
def test_any_text_is_parsed_or_refused_at_a_character(text):
    try:
        query = nexi.parse(text)
    except QueryError as error:
        refused = error
    else:
        assert nexi.parse(nexi.print(query)) == query
        return
    assert 0 <= refused.position <= len(text)
    assert refused.wanted


def test_all_real_queries_of_2009_are_parsed(shared_data):
    topics = read_topics(shared_data / "inex-adhoc-2009-2010" / "inex-2009-topics.xml")
    parsed = [nexi.parse(topic.castitle) for topic in topics]
    assert len(parsed) == 115
    assert all(isinstance(query, Query) for query in parsed)
    assert [nexi.parse(nexi.print(query)) for query in parsed] == parsed
    # apart from white space, brackets and the case of and/or, the canonical form is the original text
    for topic, query in zip(topics, parsed, strict=True):
        original, canonical = ("".join(text.split()).lower() for text in (topic.castitle, nexi.print(query)))
        assert canonical.replace("(", "").replace(")", "") == original.replace("(", "").replace(")", "")


def test_the_titles_of_2009_are_queries_without_structure(shared_data):
    topics = read_topics(shared_data / "inex-adhoc-2009-2010" / "inex-2009-topics.xml")
    assert all(isinstance(nexi.parse(topic.title), Keywords) for topic in topics)


def test_the_dialect_of_2003_is_parsed_to_the_same_tree():
    year = path("fm", "yr", child=("fm",))
    assert nexi.parse(FIGURE_2003) == Query(
        (
            QueryPart(
                path("article"),
                And(
                    (
                        Or((ValueComparison(year, "=", 2000.0), ValueComparison(year, "=", 1999.0))),
                        About(
                            QueryPath(), (Term(("intelligent", "transportation", "system"), is_phrase=True),)
                        ),
                    )
                ),
            ),
            QueryPart(path("sec"), About(QueryPath(), (Term(("automation",)), Term(("vehicle",), "+")))),
        )
    )
    assert nexi.print(nexi.parse(FIGURE_2003)) == (
        "//article[(./fm//yr = 2000 or ./fm//yr = 1999) and "
        'about(., "intelligent transportation system")]//sec[about(., automation +vehicle)]'
    )


def test_remarks_point_out_the_dialect_of_2003():
    remarks = " ".join(nexi.read(FIGURE_2003).remarks)
    assert "child steps" in remarks
    assert "terms in single quotes" in remarks
    assert "values in single quotes" in remarks
    assert nexi.read("//sec[about(., trees)]").remarks == ()


def test_a_single_quote_is_a_letter_unless_it_is_at_both_ends():
    assert nexi.parse("//a[about(., Kali's child)]").parts[0].condition.terms == words("Kali's", "child")
    assert nexi.parse("//a[about(., 'Kali's child')]").parts[0].condition.terms == words("Kali's", "child")
    assert nexi.parse("//a[about(., 'tis true)]").parts[0].condition.terms == words("'tis", "true")


def test_a_string_that_is_not_a_number_remains_a_string():
    condition = nexi.parse("//article[.//au = 'Ada Lovelace']").parts[0].condition
    assert condition == ValueComparison(path("au"), "=", "Ada Lovelace")


@pytest.mark.parametrize("operator", ["<", "<=", "=", ">", ">="])
@pytest.mark.parametrize("space", ["", " "])
def test_comparisons_are_parsed(operator, space):
    query = nexi.parse(f"//sec[.//cell{space}{operator}{space}1.5]")
    assert query.parts[0].condition == ValueComparison(path("cell"), operator, 1.5)


def test_attributes_are_parsed():
    query = nexi.parse("//article[.//@year > 1998 and about(.//fig//@alt, a tree)]//sec[./@id = 7]")
    year, alt = query.parts[0].condition.parts
    assert year == ValueComparison(QueryPath((PathStep(("year",), is_attribute=True),)), ">", 1998.0)
    assert alt.path == QueryPath((PathStep(("fig",)), PathStep(("alt",), is_attribute=True)))
    assert query.parts[1].condition.path == QueryPath((PathStep(("id",), is_child=True, is_attribute=True),))


def test_and_binds_tighter_than_or_with_a_remark():
    text = "//a[about(., x) or about(., y) and about(., z)]"
    x, y, z = (About(QueryPath(), words(word)) for word in "xyz")
    assert nexi.parse(text).parts[0].condition == Or((x, And((y, z))))
    assert nexi.print(nexi.parse(text)) == "//a[about(., x) or (about(., y) and about(., z))]"
    assert len(nexi.read(text).remarks) == 1
    assert nexi.read("//a[about(., x) or (about(., y) and about(., z))]").remarks == ()


def test_signs_are_signs_only_at_the_start_of_a_term():
    terms = nexi.parse('-"natural disaster" bisphenol-A C++ +D-Day').terms
    assert terms == (
        Term(("natural", "disaster"), "-", is_phrase=True),
        *words("bisphenol-A", "C++"),
        Term(("D-Day",), "+"),
    )


def test_commas_separate_the_terms_of_a_title_and_leave_phrases_and_signs():
    title = 'trees, "random walk, lazy",+graph ,-"binary tree"'
    assert nexi.parse(title).terms == (
        Term(("trees",)),
        Term(("random", "walk", "lazy"), is_phrase=True),
        Term(("graph",), "+"),
        Term(("binary", "tree"), "-", is_phrase=True),
    )
    assert nexi.print(nexi.parse(title)) == 'trees "random walk lazy" +graph -"binary tree"'
    assert [remark for remark in nexi.read(title).remarks if "commas" in remark]


def test_commas_are_allowed_in_single_quotes_as_in_2003_but_not_in_nexi():
    query = nexi.read("//sec[about(., 'trees, \"random walk\"')]")
    assert query.query.parts[0].condition.terms == (
        Term(("trees",)),
        Term(("random", "walk"), is_phrase=True),
    )
    assert any("commas" in remark for remark in query.remarks)
    with pytest.raises(QueryError) as refused:
        nexi.parse("//sec[about(., trees, graphs)]")
    assert refused.value.position == 20


def test_and_and_or_are_words_inside_about():
    assert nexi.parse("//a[about(., female OR woman)]").parts[0].condition.terms == words(
        "female", "OR", "woman"
    )


def test_the_target_is_the_whole_path():
    query = nexi.parse("//painter//figure[about(.//caption, self-portrait)]//(a|b)")
    assert [step.names for step in query.target.steps] == [("painter",), ("figure",), ("a", "b")]


@pytest.mark.parametrize(
    ("text", "position", "wanted"),
    [
        ("", 0, "words"),
        ("  ", 0, "words"),
        ("//sec", 5, "a condition"),
        ("//sec[", 6, "about"),
        ("//sec[]", 6, "about"),
        ("//sec[about(., x)", 17, "]"),
        ("//sec[about(., x]", 16, ")"),
        ("//sec[about(., x, y)]", 16, ")"),
        ("//sec[about(., x)]]", 18, "the end"),
        ("//sec[about(., )]", 15, "a word"),
        ("//sec[about(, x)]", 12, "the element itself"),
        ("//sec[about(p, x)]", 12, "the element itself"),
        ("//sec[about(. x)]", 14, "a comma"),
        ("//sec[about(., x) und about(., y)]", 18, "and, or"),
        ("//sec[(about(., x)]", 18, ")"),
        ("//sec[.//yr > x]", 14, "a number"),
        ("//sec[.//yr ! 1]", 12, "a path"),
        ("//sec[.//yr]", 11, "< <= = > >="),
        ("//sec[.//yr = '']", 14, "between the quotes"),
        ('//sec[about(., "x y)]', 15, "a second"),
        ('//sec[about(., "")]', 15, "between the quotes"),
        ("//[about(., x)]", 2, "the name of an element"),
        ("//(p|)[about(., x)]", 5, "the name of an element"),
        ("//(p sec)[about(., x)]", 5, "| or )"),
        ("//@[about(., x)]", 3, "an attribute"),
        ("//a//[about(., x)]", 5, "the name of an element"),
        ("//a[about(., x)]sec", 16, "a path"),
        ("sec[about(., x)]", 3, "begins with //"),
        ("trees (graphs)", 6, "begins with //"),
        (", ,", 0, "a word"),
        ("trees - graphs", 6, "directly after the -"),
        ('trees "graphs', 6, "a second"),
    ],
)
def test_an_error_points_at_the_character(text, position, wanted):
    with pytest.raises(QueryError) as refused:
        nexi.parse(text)
    assert refused.value.position == position
    assert wanted in refused.value.wanted
    assert str(refused.value).splitlines()[-1].rstrip("^").isspace() or position == 0
    assert f"character {position + 1}" in str(refused.value)


def test_the_caret_is_below_the_character():
    text = "//sec[about(., " + "word " * 100 + "] and more"
    with pytest.raises(QueryError) as refused:
        nexi.parse(text)
    excerpt, caret = refused.value.pointer.split("\n")
    assert excerpt[caret.index("^")] == "]"
    assert len(excerpt) < 90


def test_very_deep_nesting_is_refused():
    deep = MAX_BRACKETS + 1
    with pytest.raises(QueryError, match="brackets within brackets"):
        nexi.parse("//a[" + "(" * 100_000)
    with pytest.raises(QueryError, match="brackets within brackets"):
        nexi.parse("//a[" + "(" * deep + "about(., x)" + ")" * deep + "]")
    nexi.parse("//a[" + "(" * MAX_BRACKETS + "about(., x)" + ")" * MAX_BRACKETS + "]")


def test_ten_thousand_terms_are_parsed():
    terms = [f"word{number}" for number in range(10_000)]
    assert len(nexi.parse(" ".join(terms)).terms) == 10_000
    assert len(nexi.parse(f"//a[about(., {' '.join(terms)})]").parts[0].condition.terms) == 10_000
    condition = " or ".join(f"about(., {term})" for term in terms)
    assert len(nexi.parse(f"//a[{condition}]").parts[0].condition.parts) == 10_000


def test_a_number_too_large_for_a_float_is_still_a_number():
    query = nexi.parse("//a[.//b < 1e999]")
    assert nexi.parse(nexi.print(query)) == query
