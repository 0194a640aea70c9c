"""Topics that are written and read again keep everything that their format stores."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.files.file_format import recognise_format
from doxel.topics import TOPICS, Topic, Topics
from doxel.topics.topic_files import TOPIC_FORMATS

FORMATS_BY_NAME = {file_format.name: file_format for file_format in TOPIC_FORMATS}
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
    ids = draw(st.lists(text.filter(lambda word: word.lower() != "id"), min_size=1, max_size=4, unique=True))
    drawn = []
    for number in ids:
        fields = {name: draw(st.none() | text) for name in columns - {"id", "about"}}
        about = draw(st.dictionaries(names, text, max_size=2)) if "about" in columns else {}
        drawn.append(Topic(id=number, **(fields | ({"title": draw(text)} if one_line else {})), about=about))
    return Topics.of(drawn)


@pytest.mark.parametrize("file_format", TOPIC_FORMATS, ids=lambda file_format: file_format.name)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_reading_written_topics_returns_everything_the_format_stores(file_format, data):
    columns = file_format.holds["topics"]
    original = data.draw(topics(columns, one_line=columns == {"id", "title"}))
    again = file_format.read(file_format.write(original), "again")
    assert list(again) == list(original)
    assert again.format == file_format.name
    assert file_format.losses(original.tables) == []


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
def test_the_format_of_written_topics_is_recognised(name, topic):
    data = FORMATS_BY_NAME[name].write(Topics.of([topic]))
    assert recognise_format(TOPIC_FORMATS, data, file="x", kind="topics").name == name


def test_losses_name_the_columns_that_a_format_cannot_store():
    original = Topics.of([Topic("1", title="words", castitle="//p[about(., words)]")])
    assert FORMATS_BY_NAME["tsv"].losses(original.tables) == ["topics.castitle (1 row)"]
    assert FORMATS_BY_NAME["inex2009"].losses(original.tables) == []


@pytest.mark.parametrize("file_format", TOPIC_FORMATS, ids=lambda file_format: file_format.name)
def test_formats_declare_only_columns_that_exist(file_format):
    assert file_format.holds["topics"] <= set(TOPICS.schema)


def test_a_title_of_several_lines_is_one_line_in_tsv():
    assert FORMATS_BY_NAME["tsv"].write(Topics.of([Topic("1", title="two\n  lines")])) == b"1\ttwo lines\n"
