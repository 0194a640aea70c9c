"""The XML of 2002 to 2007: structure, defaults, spellings, and errors."""

import pytest

from doxel.assessments import read_assessments
from doxel.errors import InputError


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "pool-1.xml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_assessments(path, **options)

    return from_text


YEAR_2002 = """<assessments topic="1">
 <file file="an/1995/a1004">
  <path path="/article[1]" relevance="3" coverage="L"/>
  <path path="/article[1]/bdy[1]/sec[2]" relevance="3" coverage="E"/>
  <path path="/article[1]/bm[1]" relevance="0" coverage="N"/>
 </file>
</assessments>"""

# As written by the campaign's export script: single quotes, a reference to its DTD, no default values.
YEAR_2004 = """<?xml version="1.0"?>
<!DOCTYPE assessments SYSTEM "../../assessments.dtd">
<assessments pool='104' topic='162'>
\t\t<file file='co/2000/r7108'>
\t\t\t<path path='/article[1]' exhaustiveness='3' specificity='1' inferred='true'/>
\t\t\t<path path='/article[1]/bdy[1]' exhaustiveness='0' specificity='2' inconsistant='true' inpool='true'/>
\t\t\t<path path='/article[1]/bdy[1]/sec[1]'/>
\t\t</file>
</assessments>"""

YEAR_2005 = """<assessments pool="202" topic="203" version="2">
<!-- Topic definition -->
<inex_topic topic_id="203" query_type="CO+S" ct_no="16"><title>code signing</title></inex_topic>
 <file collection="ieee" name="so/2000/s4038">
   <passage start="/article[1]/bdy[1]/p[2]" end="/article[1]/bdy[1]/p[3]/text()[2].17" size="412"/>
   <!-- WARNING: passage overlap - merging -->
   <element path="/article[1]" exhaustivity="2" size="21000" rsize="412"/>
   <element path="/article[1]/bdy[1]/sec[1]/p[2]/b[1]" exhaustivity="?" specificity="0.5"/>
 </file>
 <file collection="ieee" name="so/2000/s4099"/>
</assessments>"""

YEAR_2006 = """<assessments pool="335" topic="289" version="2" whitespace-text-node="keep">
 <file collection="wikien" name="part-1/1234">
   <element path="/article[1]" exhaustivity="2" size="2310" rsize="300"/>
   <passage start="/article[1]/body[1]/p[2]" size="300" end="/article[1]/body[1]/p[3]"/>
   <best-entry-point path="/article[1]/body[1]/p[2]/text()[1].0"/>
 </file>
 <file collection="wikien" name="part-1/99"></file>
</assessments>"""


def test_grades_of_2002_are_read(read):
    assessments = read(YEAR_2002)
    assert (assessments.scale, assessments.format, assessments.topics) == ("2002", "inex2002", ["1"])
    assert assessments.elements.select("doc", "path", "relevance", "coverage", "line").rows() == [
        ("an/1995/a1004", "/article[1]", "3", "L", 3),
        ("an/1995/a1004", "/article[1]/bdy[1]/sec[2]", "3", "E", 4),
        ("an/1995/a1004", "/article[1]/bm[1]", "0", "N", 5),
    ]


def test_a_year_is_recognised_by_attributes_not_by_document_names(read):
    assessments = read(YEAR_2004.replace("co/2000/r7108", "coverage"))
    assert (assessments.format, assessments.judged["doc"].to_list()) == ("inex2003", ["coverage"])


def test_grades_of_2003_are_read_with_the_defaults_of_the_dtd(read):
    assessments = read(YEAR_2004)
    assert (assessments.scale, assessments.format) == ("2003", "inex2003")
    assert assessments.judged.select("topic", "doc", "pool", "line").rows() == [
        ("162", "co/2000/r7108", "104", 4)
    ]
    columns = ("exhaustivity", "specificity", "inpool", "inferred", "inconsistent", "line")
    assert assessments.elements.select(columns).rows() == [
        ("3", "1", False, True, False, 5),
        ("0", "2", True, False, True, 6),  # a contradiction, which is kept
        ("U", "U", False, False, False, 7),
    ]


def test_highlights_and_grades_of_2005_are_read(read):
    assessments = read(YEAR_2005)
    assert (assessments.scale, assessments.format, assessments.about) == (
        "2005",
        "inex2005",
        {"version": "2"},
    )
    assert assessments.judged.select("doc", "collection").rows() == [
        ("so/2000/s4038", "ieee"),
        ("so/2000/s4099", "ieee"),
    ]
    assert assessments.highlights.select("doc", "path", "path_end", "size", "start").rows() == [
        (
            "so/2000/s4038",
            "/article[1]/bdy[1]/p[2]",
            "/article[1]/bdy[1]/p[3]/text()[2].17",
            412,
            None,
        )
    ]
    assert assessments.elements.select("exhaustivity", "size", "rsize", "share").rows() == [
        ("2", 21000, 412, None),
        ("?", None, None, 0.5),
    ]


def test_children_of_2006_may_be_in_any_order(read):
    assessments = read(YEAR_2006)
    assert (assessments.scale, assessments.format) == ("2006", "inex2006")
    assert assessments.about["whitespace-text-node"] == "keep"
    assert assessments.judged["doc"].to_list() == ["part-1/1234", "part-1/99"]
    assert assessments.highlights.height == assessments.elements.height == 1
    assert assessments.beps.select("doc", "path", "position").rows() == [
        ("part-1/1234", "/article[1]/body[1]/p[2]/text()[1].0", None)
    ]


@pytest.mark.parametrize(
    "text", [YEAR_2002, YEAR_2004, YEAR_2005, YEAR_2006], ids=["2002", "2004", "2005", "2006"]
)
@pytest.mark.parametrize(
    "spelt",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("<file ", "<file\n   ").replace("'", '"').encode(),
        lambda text: (
            b'<?xml version="1.0" encoding="UTF-16"?>'.decode().encode("utf-16")
            + text[text.index("<assessments") :].encode("utf-16-le")
        ),
    ],
    ids=["CRLF", "BOM", "layout", "UTF-16"],
)
def test_encoding_and_layout_do_not_matter(read, text, spelt):
    plain, other = read(text), read(spelt(text))
    assert other.format == plain.format
    for name in ("judged", "highlights", "elements", "beps"):
        assert getattr(other, name).drop("line").equals(getattr(plain, name).drop("line"))


@pytest.mark.parametrize(
    ("text", "line", "wanted", "found"),
    [
        (
            YEAR_2002.replace('relevance="3" coverage="E"', 'relevance="4" coverage="E"'),
            4,
            "0, 1, 2, 3",
            "'4'",
        ),
        (YEAR_2002.replace('coverage="N"', 'coverage="X"'), 5, "N, L, S, E", "'X'"),
        (YEAR_2002.replace(' relevance="0"', ""), 5, "0, 1, 2, 3", "none"),
        (YEAR_2004.replace("exhaustiveness='3'", "exhaustiveness='5'"), 5, "0, 1, 2, 3, U", "'5'"),
        (YEAR_2004.replace("specificity='2'", "specificity='0.5'"), 6, "0, 1, 2, 3, U", "'0.5'"),
        (YEAR_2004.replace("inpool='true'", "inpool='perhaps'"), 6, "true or false", "'perhaps'"),
        (YEAR_2004.replace("/sec[1]", "/sec[0]"), 7, "positions from 1", "'/article[1]/bdy[1]/sec[0]'"),
        (YEAR_2005.replace('exhaustivity="?"', 'exhaustivity="3"'), 8, "0, 1, 2 or ?", "'3'"),
        (YEAR_2005.replace('specificity="0.5"', 'specificity="1.5"'), 8, "a share from 0 to 1", "'1.5'"),
        (YEAR_2005.replace(' specificity="0.5"', ""), 8, "size and rsize, or specificity", "none"),
        (YEAR_2005.replace('rsize="412"', 'rsize="-1"'), 7, "a whole number", "'-1'"),
        (YEAR_2005.replace("text()[2].17", "text()[2].x"), 5, "text()[1].17", ".x'"),
        (YEAR_2006.replace(' end="/article[1]/body[1]/p[3]"', ""), 4, "a path such as", "none"),
        (YEAR_2006.replace("/text()[1].0", "/text()[0].0"), 5, "a path such as", "text()[0]"),
        (YEAR_2006.replace(' name="part-1/99"', ""), 7, "the attribute name or file", "collection"),
        (YEAR_2006.replace(' topic="289"', ""), 1, "the attribute topic", "pool, version"),
        (
            YEAR_2006.replace("<passage", "<pasage"),
            4,
            "<best-entry-point> or <element> or <passage>",
            "<pasage>",
        ),
        (YEAR_2004.replace("<file", "<fil").replace("</file", "</fil"), 4, "<file>", "<fil>"),
    ],
)
def test_bad_values_are_reported_with_their_line(read, text, line, wanted, found):
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.file.endswith("pool-1.xml")
    assert caught.value.line == line
    assert wanted in caught.value.wanted
    assert found in caught.value.found


@pytest.mark.parametrize(
    "text", [YEAR_2002, YEAR_2004, YEAR_2005, YEAR_2006], ids=["2002", "2004", "2005", "2006"]
)
def test_a_truncated_file_is_rejected(read, text):
    with pytest.raises(InputError) as caught:
        read(text[: len(text) * 3 // 4])
    assert caught.value.line is not None


def test_a_file_of_another_year_than_the_given_format_is_rejected(read):
    with pytest.raises(InputError, match="wanted <element> or <passage>, found <path>"):
        read(YEAR_2004, format="inex2005")


def test_unknown_attributes_are_reported(read):
    assessments = read(YEAR_2005.replace('17" size="412"/>', '17" size="412" colour="yellow"/>'))
    assert len(assessments.notes) == 1
    assert "<passage>" in assessments.notes[0]
    assert "colour" in assessments.notes[0]
    assert read(YEAR_2005).notes == ()
