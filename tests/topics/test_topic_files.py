"""Topic files of all years: formats, variants, sets of files, and errors."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from checks import convertible
from doxel.errors import InputError
from doxel.files.file_format import recognise_format
from doxel.topics import TOPICS, Topic, Topics, read_topics, write_topics
from doxel.topics.topic_files import TOPIC_FORMATS
from random_share import LONG_LINE, count_cases

# Figures 1 and 2 of Lalmas and Tombros, Evaluating XML Retrieval Effectiveness at INEX:
# a CAS topic of 2003 and a CO+S topic of 2005.
FIGURE_1 = """<inex_topic topic_id="76" query_type="CAS">
<title>
  //article[(./fm//yr = '2000' OR ./fm//yr = '1999') AND about(.,
  '"intelligent transportation system"')]//sec[about(.,'automation
  +vehicle')]
</title>
<description>
  Automated vehicle applications in articles from 1999 or
  2000 about intelligent transportation systems.
</description>
</inex_topic>"""

FIGURE_2 = """<inex_topic topic_id="231" query_type="CO+S" ct_no="7">
  <title>markov chains in graph related algorithms</title>
  <castitle>//article//sec[about(.,+"markov chains" +algorithm +graphs)]
</castitle>
  <narrative>I have just finished my Msc. in <i>mathematics</i>.</narrative>
  <InitialTopicStatement>chains</InitialTopicStatement>
</inex_topic>"""

YEAR_2009 = """<?xml version="1.0"?>
<!DOCTYPE inex-topic-file [
<!ENTITY  lt      "lessthan">
<!ENTITY  gt      "greaterthan">
<!ENTITY  amp     "ampersand">
]>
<inex-topic-file>
<topic id="2009001" ct_no="186">
  <title>R&amp;D</title>
  <castitle>//article[.//yr &gt;= 1999 and .//yr &lt; 2005 and about(., R&amp;D)]</castitle>
  <phrasetitle>"R&amp;D"</phrasetitle>
</topic>
</inex-topic-file>"""


YEAR_2002 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE INEX-Topic SYSTEM "inex-topics.dtd">
<INEX-Topic topic-id="09" query-type="CAS" ct-no="048">
<Title>
  <te>article</te>
  <cw>non-monotonic reasoning</cw> <ce>bdy/sec</ce>
  <cw>1999 2000</cw> <ce>hdr//yr</ce>
  <cw>-calendar</cw> <ce>tig/atl</ce>
  <cw>belief revision, "truth maintenance"</cw>
</Title>
<Description>Articles of 1999 and 2000 on reasoning.</Description>
<Narrative>Not calendars.</Narrative>
<Keywords>logic, belief</Keywords>
</INEX-Topic>"""


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "given"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_topics(path, **options)

    return from_text


def test_a_topic_of_2002_is_read_as_a_query(read):
    topics = read(YEAR_2002)
    assert topics.format == "inex2002"
    (topic,) = topics
    assert (topic.id, topic.kind, topic.ct_no) == ("09", "CAS", "048")
    assert (
        topic.nexi
        == topic.title
        == (
            "//article[about(.//bdy/sec, non-monotonic reasoning) and about(.//hdr//yr, 1999 2000) "
            'and about(.//tig/atl, -calendar) and about(., belief revision "truth maintenance")]'
        )
    )
    assert (topic.narrative, topic.keywords) == ("Not calendars.", "logic, belief")
    assert topic.about["title_2002"][-1] == ["cw", 'belief revision, "truth maintenance"']


def test_a_content_only_topic_of_2002_keeps_its_title_as_written(read):
    title = 'recommender systems, +"collaborative filtering" -movie'
    text = f'<INEX-Topic topic-id="31" query-type="CO"><Title><cw>{title}</cw></Title></INEX-Topic>'
    (topic,) = read(text)
    assert (topic.title, topic.nexi, topic.about) == (title, None, {})


def test_the_pieces_of_a_title_of_2002_survive_writing_and_other_years(read, tmp_path):
    original = list(read(YEAR_2002))
    for first in ("inex2002", "inex2003", "jsonl"):
        write_topics(Topics.of(original), tmp_path / "first", first)
        write_topics(read_topics(tmp_path / "first"), tmp_path / "again", "inex2002")
        assert list(read_topics(tmp_path / "again")) == original
        assert "<te>article</te>" in (tmp_path / "again").read_text()


def test_targets_of_2002_that_cannot_be_one_path_are_noted_with_their_line(read):
    text = YEAR_2002.replace("<te>article</te>", "<te>fm/abs, bdy/sec</te>")
    (note,) = read(text).notes
    assert "line 4: topic 09: the targets fm/abs, bdy/sec are read as //(abs|sec)" in note


def test_a_topic_of_2003_is_read(read):
    topics = read(FIGURE_1)
    assert topics.format == "inex2003"
    (topic,) = topics
    assert (topic.id, topic.kind, topic.castitle) == ("76", "CAS", None)
    assert topic.title.startswith("//article[(./fm//yr = '2000' OR")
    assert topic.title.endswith("about(.,'automation\n  +vehicle')]")  # inner white space is kept
    assert topic.nexi == topic.query == topic.title
    assert topics.table["line"].to_list() == [1]


def test_a_topic_of_2005_is_read(read):
    (topic,) = topics = read(FIGURE_2)
    assert topics.format == "inex2005"
    assert (topic.kind, topic.ct_no) == ("CO+S", "7")
    assert topic.castitle == '//article//sec[about(.,+"markov chains" +algorithm +graphs)]'
    assert topic.nexi == topic.query == topic.castitle
    assert topic.narrative == "I have just finished my Msc. in mathematics."
    assert topic.about == {"InitialTopicStatement": "chains"}


def test_a_topic_of_2009_with_redeclared_entities_is_read(read):
    (topic,) = topics = read(YEAR_2009)
    assert topics.format == "inex2009"
    assert topic.castitle == "//article[.//yr >= 1999 and .//yr < 2005 and about(., R&D)]"
    assert (topic.title, topic.phrasetitle, topic.ct_no) == ("R&D", '"R&D"', "186")


def test_a_file_may_contain_many_topics(read):
    assert read(f"<inex_topics>{FIGURE_1}{FIGURE_2}</inex_topics>").ids == ["76", "231"]


def test_a_topic_is_read_from_an_assessment_file(read):
    quoted = f'<assessments topic="231">{FIGURE_2}<file name="a"/></assessments>'
    assert read(quoted)["231"].title == "markov chains in graph related algorithms"


@pytest.mark.parametrize(
    ("line", "topic"),
    [
        ('{"qid": 7, "question": "Why?"}', ("7", "Why?")),
        ('{"topic": "a", "query": "Why?"}', ("a", "Why?")),
        ('{"user_input": "Why?"}', ("Why?", "Why?")),
        ('{"topic": "8", "title": "Why?"}', ("8", "Why?")),
        ('{"id": "1", "question": "Why?", "level": "easy"}', ("1", "Why?")),
        ('{"id": "1", "topic": "bridges", "text": "Why?"}', ("1", "Why?")),
    ],
)
def test_other_names_of_ids_and_questions_are_read(read, line, topic):
    (read_topic,) = read(line)
    assert (read_topic.id, read_topic.title) == topic


@pytest.mark.parametrize(
    "line",
    [
        '{"question": "Why?", "content": "Because.", "source": "a.txt"}',
        '{"topic": "1", "doc": "a", "start": 0, "end": 5}',
        '{"topic": "1", "text": "a quotation"}',
    ],
)
def test_lines_of_results_and_gold_are_not_topics(read, line):
    with pytest.raises(InputError, match="not a known format of topics"):
        read(line)


def test_tsv_and_jsonl_files_are_read(read):
    topics = read("id\ttext\n1\tfirst query\n2\tsecond query\n")
    assert (topics.format, [topic.title for topic in topics]) == ("tsv", ["first query", "second query"])
    topics = read(
        '{"id": 7, "text": "seven", "castitle": "//p", "year": 2009}\n{"id": "8", "title": "eight"}\n'
    )
    assert topics.format == "jsonl"
    assert list(topics) == [
        Topic("7", title="seven", castitle="//p", about={"year": 2009}),
        Topic("8", title="eight"),
    ]


@pytest.mark.parametrize(
    "text", [YEAR_2002, FIGURE_1, FIGURE_2, YEAR_2009, "1\ta b\n2\tc\n", '{"id": "1", "text": "a"}\n']
)
@pytest.mark.parametrize(
    "respell",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text + "\n",
    ],
)
def test_line_ends_and_byte_order_marks_do_not_matter(read, text, respell):
    assert list(read(respell(text))) == list(read(text))


def test_a_folder_is_read_as_one_set(tmp_path):
    (tmp_path / "76.xml").write_text(FIGURE_1)
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "231.xml").write_text(FIGURE_2)
    (tmp_path / "topic.dtd").write_text("<!ELEMENT inex_topic ANY>")
    topics = read_topics(tmp_path)
    assert sorted(topics.ids) == ["231", "76"]
    assert topics.format is None
    assert "topic.dtd" in topics.notes[0]


def test_a_repeated_id_is_refused_with_both_places(tmp_path):
    (tmp_path / "a.xml").write_text(FIGURE_1)
    (tmp_path / "b.xml").write_text(f"<all>\n{FIGURE_2}\n{FIGURE_1}</all>")
    with pytest.raises(InputError) as caught:
        read_topics(tmp_path)
    assert caught.value.file.endswith("b.xml")
    assert caught.value.line == 9
    assert caught.value.found.endswith("a.xml, line 1")
    assert "'76'" in caught.value.problem


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        (FIGURE_2.replace(' topic_id="231"', ""), 1, "an id (topic_id)"),
        (FIGURE_2.replace("<narrative>", "<title>second</title>\n<narrative>"), 1, "one"),
        (FIGURE_1[:150], 4, "one complete root element"),
        (YEAR_2002.replace(' topic-id="09"', ""), 3, "an id (topic_id)"),
        (YEAR_2002.replace("<te>article</te>", "<ta>article</ta>"), 5, "<te> or <cw> or <ce>"),
        (YEAR_2002.replace("<te>article</te>", "<te>article[1]</te>"), 4, "paths of elements"),
        (YEAR_2002.replace("<te>article</te>", "<ce>article</ce>"), 4, "words (cw) before"),
        (
            YEAR_2009.replace('<topic id="2009001"', '<topc id="2009001"').replace("</topic>", "</topc>"),
            8,
            "<topic>",
        ),
        (f"<all>\n<topic/>{FIGURE_1}</all>", 2, "<inex_topic>"),
        ("1\tone\n2 two\n", 2, "an id, a tab and a text"),
        ("1\tone\n2\t \n", 2, "an id, a tab and a text"),
        ("1\tone\n2\ttwo\tthree\n", 2, "an id, a tab and a text"),
        ('{"id": "1"}\n{"text": "two"}\n', 2, 'an "id"'),
        ('{"id": "1"}\n{"id": ["2"]}\n', 2, "a string that is not empty"),
        ('{"id": "1"}\n{"id": "2", "text": 5}\n', 2, "a string"),
        ('{"id": "1"}\n{"id": "2", "text": "a", "title": "b"}\n', 2, "a text or a title"),
        ('{"id": "1"}\n{"id": "2",\n', 2, "a JSON object"),
        ('{"id": "1"}\n{"id": "\\ud800"}\n', 2, "a JSON object"),
        (b"1\tcaf\xe9\n", 1, "UTF-8 text"),
    ],
)
def test_bad_topics_are_refused_with_their_line(read, text, line, wanted):
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.line == line
    assert wanted in caught.value.wanted


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file_is_refused(read, text):
    with pytest.raises(InputError, match="empty file"):
        read(text)


def test_an_unknown_format_is_refused_with_the_known_ones(read):
    names = ", ".join(file_format.name for file_format in TOPIC_FORMATS)
    with pytest.raises(InputError, match=f"one of {names}, found"):
        read("just words\n")
    with pytest.raises(InputError, match="unknown format of topics"):
        read("1\tone\n", format="csv")


@pytest.mark.long_line
@pytest.mark.parametrize("beginning", ["1\t", '{"id": "', "words "])
def test_a_line_of_many_megabytes_is_refused_and_not_quoted(read, beginning):
    with pytest.raises(InputError) as caught:
        read(beginning.encode() + b"x" * LONG_LINE)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("tsv", Topic("1")),
        ("tsv", Topic("a\tb", title="words")),
        ("inex2005", Topic("1", title="\x00")),
        ("inex2002", Topic("1", kind="CAS", title="//sec[about(., trees)]")),
        ("inex2002", Topic("1", title="trees", about={"title_2002": "[no JSON"})),
        ("inex2002", Topic("1", title="trees", about={"title_2002": [["xx", "trees"]]})),
        ("inex2009", Topic("1", title="words", about={"no name": "x"})),
    ],
)
def test_topics_that_a_format_cannot_write_are_refused(tmp_path, name, topic):
    with pytest.raises(InputError):
        write_topics(Topics.of([topic]), tmp_path / "out", name)
    assert not (tmp_path / "out").exists()


def test_written_topics_are_read_again_compressed_or_not(tmp_path):
    topics = Topics.of([Topic("1", title="one"), Topic("2", title="two")])
    for name in ("out.xml", "out.xml.gz", "out.xml.xz"):
        write_topics(topics, tmp_path / name, "inex2009")
        assert list(read_topics(tmp_path / name)) == list(topics)


@pytest.mark.parametrize("root", ["inex-topic-file", "inex_topics"])
def test_a_file_without_topics_is_refused(tmp_path, root):
    path = tmp_path / "topics.xml"
    path.write_text(f"<{root}/>" if root == "inex-topic-file" else f"<{root}><!-- <inex_topic --></{root}>")
    with pytest.raises(
        InputError, match=r"topics\.xml, line 1: a file without topics: wanted <.*topic>, found none"
    ):
        read_topics(path)


GENERAL_FORMATS = [file_format for file_format in TOPIC_FORMATS if not file_format.campaign]
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


@pytest.mark.parametrize("file_format", GENERAL_FORMATS, ids=lambda file_format: file_format.name)
@settings(max_examples=count_cases(80), deadline=None)
@given(data=st.data())
def test_reading_written_topics_returns_everything_the_format_stores(file_format, data):
    columns = file_format.holds["topics"]
    original = data.draw(topics(columns, one_line=columns == {"id", "title"}))
    if file_format.name == "trec" and any(re.fullmatch("0+[0-9]+", topic.id) for topic in original):
        return  # such a number is not written: it would be read without its zeros
    again = file_format.read(file_format.write(original), "again")
    assert list(again) == list(original)
    assert again.format == file_format.name
    assert file_format.losses(original.tables) == []


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("inex2002", Topic("31", kind="CO", title="recommender systems", keywords="web")),
        ("inex2003", Topic("91", kind="CO", title="Internet traffic", keywords="web")),
        ("inex2003", Topic("76", kind="CAS", title="//sec[about(., 'x')]")),
        ("inex2005", Topic("231", kind="CO+S", title="markov chains")),
        ("inex2005", Topic("289", title="emperor", castitle="//article[about(., emperor)]")),
        ("inex2005", Topic("600", title="no kind from 2006 on")),
        ("inex2009", Topic("2009001", title="Nobel prize")),
        ("trec", Topic("301", title="plain words", narrative="All of them.")),
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


EMPTY = re.compile(r"<phrasetitle\s*/>")


@pytest.fixture(scope="module")
def path(shared_data):
    return shared_data / "inex-adhoc-2009-2010" / "inex-2009-topics.xml"


def test_all_topics_are_read_with_all_fields(path):
    topics = read_topics(path)
    assert topics.ids == [str(number) for number in range(2009001, 2009116)]
    for field in ("title", "castitle", "description", "narrative", "ct_no"):
        assert topics.table[field].null_count() == 0
    assert topics.table["phrasetitle"].null_count() == len(EMPTY.findall(path.read_text())) == 17


def test_redeclared_entities_keep_their_meaning(path):
    """The file's internal DTD declares &amp; as the word 'ampersand'; in XML it is always &."""
    assert b'<!ENTITY  amp     "ampersand">' in path.read_bytes()
    narratives = read_topics(path).table["narrative"]
    assert narratives.str.contains("history of Java & on different versions", literal=True).sum() == 1
    assert not narratives.str.contains("ampersand", literal=True).any()


def test_castitles_agree_with_a_plain_reading_of_the_file(path):
    text = path.read_text().replace("\r\n", "\n")
    castitles = [part.split("</castitle>")[0].strip() for part in text.split("<castitle>")[1:]]
    plain = [etree.fromstring(f"<x>{castitle}</x>").text for castitle in castitles]
    assert read_topics(path).table["castitle"].to_list() == plain


@pytest.mark.parametrize("name", ["inex2009", "inex2005", "jsonl"])
def test_nothing_is_lost_in_writing(path, tmp_path, name):
    file_format = next(each for each in TOPIC_FORMATS if each.name == name)
    topics = read_topics(path)
    (tmp_path / "out").write_bytes(file_format.write(topics))
    assert file_format.losses(topics.tables) == []
    assert list(read_topics(tmp_path / "out")) == list(topics)


@pytest.mark.parametrize("to", ["topics:jsonl", "topics:inex2005"])
def test_topics_are_converted_and_back_without_loss(tmp_path, to):
    outcome, target = convertible.convert(tmp_path, convertible.TOPICS, to)
    assert outcome.status == 0
    outcome, back = convertible.convert(tmp_path, target.read_bytes(), "inex2009", name="there")
    assert outcome.status == 0
    assert list(read_topics(back)) == list(read_topics(tmp_path / "in"))


def test_the_losses_of_topics_are_listed_exactly(tmp_path):
    outcome, out = convertible.convert(tmp_path, convertible.TOPICS, "tsv")
    assert (outcome.status, out.exists()) == (2, False)
    losses = "topics.castitle (1 row), topics.description (1 row), topics.ct_no (1 row)"
    assert outcome.err.endswith(f"wanted --lossy, to leave out the following, found {losses}\n")
    outcome, out = convertible.convert(tmp_path, convertible.TOPICS, "tsv", "--lossy")
    assert (outcome.status, out.read_text()) == (0, "1\ttrees\n2\tgraphs\n")


@pytest.mark.parametrize("target", [entry.name for entry in GENERAL_FORMATS])
@pytest.mark.parametrize("here", [entry.name for entry in GENERAL_FORMATS])
def test_plain_topics_fit_every_format(tmp_path, here, target):
    _, out = convertible.convert(tmp_path, "1\ttrees\n2\tgraphs\n", f"topics:{here}", name="plain")
    outcome, out = convertible.convert(tmp_path, out.read_bytes(), f"topics:{target}")
    assert outcome.status == 0
    assert [(entry.id, entry.title) for entry in read_topics(out)] == [("1", "trees"), ("2", "graphs")]
