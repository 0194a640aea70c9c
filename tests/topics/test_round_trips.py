"""What a format of topics holds comes back from writing and reading."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.files.formats import recognise
from doxel.topics import TOPICS, Topic, Topics
from doxel.topics.formats import FORMATS

texts = (
    st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\t"), min_size=1, max_size=20)
    .map(str.strip)
    .filter(lambda text: text and not set(text) & set("\ufeff\ufffe\uffff"))
)
lines = texts.map(lambda text: " ".join(text.split()))
names = st.sampled_from(["InitialTopicStatement", "image", "year", "note"])


@st.composite
def topics(draw, columns, *, one_line):
    text = lines if one_line else texts
    ids = draw(st.lists(text.filter(lambda one: one.lower() != "id"), min_size=1, max_size=4, unique=True))
    made = []
    for number in ids:
        fields = {name: draw(st.none() | text) for name in columns - {"id", "about"}}
        about = draw(st.dictionaries(names, text, max_size=2)) if "about" in columns else {}
        made.append(Topic(id=number, **(fields | ({"title": draw(text)} if one_line else {})), about=about))
    return Topics.of(made)


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_write_then_read_gives_back_what_the_format_holds(one, data):
    original = data.draw(topics(one.holds["topics"], one_line=one.holds["topics"] == {"id", "title"}))
    again = one.read(one.write(original), "again")
    assert list(again) == list(original)
    assert again.format == one.name
    assert one.losses(original.tables) == []


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("inex2003", Topic("91", kind="CO", title="Internet traffic", keywords="web")),
        ("inex2003", Topic("76", kind="CAS", title="//sec[about(., 'x')]")),
        ("inex2005", Topic("231", kind="CO+S", title="markov chains")),
        ("inex2005", Topic("289", title="emperor", castitle="//article[about(., emperor)]")),
        ("inex2005", Topic("600", title="no kind from 2006 on")),
        ("inex2009", Topic("2009001", title="Nobel prize")),
        ("tsv", Topic("1", title="plain words")),
        ("jsonl", Topic("1", title="plain words", castitle="//p", about={"year": 2009})),
    ],
)
def test_what_is_written_is_recognised(name, topic):
    formats = {one.name: one for one in FORMATS}
    written = formats[name].write(Topics.of([topic]))
    assert recognise(FORMATS, written, file="x", kind="topics").name == name


def test_losses_name_what_a_format_cannot_keep():
    formats = {one.name: one for one in FORMATS}
    given = Topics.of([Topic("1", title="words", castitle="//p[about(., words)]")])
    assert formats["tsv"].losses(given.tables) == ["topics.castitle (1 row)"]
    assert formats["inex2009"].losses(given.tables) == []


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_holds_names_only_columns_that_exist(one):
    assert one.holds["topics"] <= set(TOPICS.schema)


def test_a_title_of_several_lines_is_one_line_in_tsv():
    formats = {one.name: one for one in FORMATS}
    assert formats["tsv"].write(Topics.of([Topic("1", title="two\n  lines")])) == b"1\ttwo lines\n"
