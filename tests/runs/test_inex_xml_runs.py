"""Runs in INEX XML: headers and results of every year, in any order and layout."""

import random

import pytest

from doxel.errors import InputError
from doxel.runs import RESULTS, Run, read_run
from doxel.runs.run import INEX_TASK_NAMES, find_task
from doxel.runs.run_files import find_run_format
from runs.small_runs import RANKED, run_of

XML = find_run_format("inex-xml")
RESULT = "<result><file>d</file><path>/a[1]</path><rank>1</rank></result>"


def document(results=RESULT, attributes='run-id="r" task="Focused"', header=""):
    topic = f'<topic topic-id="1">{results}</topic>'
    return f"<inex-submission {attributes}>{header}{topic}</inex-submission>".encode()


def read(*arguments, **options):
    return XML.read(document(*arguments, **options), "r.xml")


def rows(run, *columns):
    return run.results.select(columns).rows()


def test_a_run_of_2007_is_read_completely():
    run = XML.read(
        b"""<?xml version="1.0"?>
<!DOCTYPE inex-submission SYSTEM "inex-submission.dtd">
<inex-submission participant-id="12" run-id="Aggr_06" task="Focused" query="automatic" result-type="element">
  <topic-fields title="yes" castitle="no" description="no" narrative="no"/>
  <description>Vector space model,
    with &amp; without stems.</description>
  <collections><collection>wikipedia</collection><collection>ieee</collection></collections>
  <topic topic-id="414">
    <result>
      <file>9996</file>
      <path>/article[1]/body[1]/section[2]</path>
      <rank>1</rank>
      <rsv>0.75</rsv>
    </result>
    <result><rsv>0.5</rsv><rank>2</rank><path>/article/name</path><file>1234</file></result>
  </topic>
  <topic topic-id="415"/>
</inex-submission>
""",
        "2007.xml",
    )
    assert (run.id, run.task, run.format, run.file) == ("Aggr_06", "focused", "inex-xml", "2007.xml")
    assert run.about == {
        "participant-id": "12",
        "task": "Focused",
        "query": "automatic",
        "result-type": "element",
        "topic-fields": "title=yes castitle=no description=no narrative=no",
        "description": "Vector space model,\n    with & without stems.",
        "collections": "wikipedia, ieee",
        "empty-topics": "415",
    }
    assert run.results.drop("text").rows() == [
        ("414", "9996", 1, 0.75, "/article[1]/body[1]/section[2]", None, None, None, 9),
        ("414", "1234", 2, 0.5, "/article/name", None, None, None, 15),
    ]
    assert run.notes == ()


def test_results_may_be_passages_or_offsets():
    run = read(
        '<result><file>a</file><passage start="/a[1]/p[1]/text()[1].5" end="/a[1]/p[2]"/>'
        "<rsv>3</rsv></result>"
        '<result><file>b</file><fol offset="17" length="3"/><rsv>2</rsv></result>'
        '<result><file>c</file><fol length="3" offset="X"/><rsv>1</rsv></result>'
    )
    assert rows(run, "doc", "path", "path_end", "start", "end") == [
        ("a", "/a[1]/p[1]/text()[1].5", "/a[1]/p[2]", None, None),
        ("b", None, None, 17, 20),
        ("c", None, None, -1, -1),
    ]


def test_a_result_may_have_only_a_rank_or_only_an_rsv():
    run = read(
        "<result><file>a</file><path>/a</path><rank>0</rank></result>"
        "<result><file>b</file><path>/a</path><rsv>-1.5</rsv></result>"
    )
    assert rows(run, "rank", "rsv") == [(0, None), (None, -1.5)]


def test_an_offset_without_a_length_is_an_entry_point_if_the_task_allows_it():
    result = '<result><file>a</file><fol offset="17"/><rank>1</rank></result>'
    for attributes in ('run-id="r"', 'task="BestInContext"'):
        assert rows(read(result, attributes), "start", "end") == [(17, None)]
    with pytest.raises(
        InputError, match="line 1: a result: wanted <fol> with the attribute length, found offset"
    ):
        read(result)


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("CO.Thorough", "thorough"),
        ("CO.Focussed", "focused"),
        ("COS.Focussed", "focused"),
        ("COS.FetchBrowse", "fetch-and-browse"),
        ("CO", "thorough"),
        ("VCAS", "thorough"),
        ("VVCAS", "thorough"),
        ("SSCAS", "thorough"),
        ("Thorough", "thorough"),
        ("focused", "focused"),
        ("AllInContext", "relevant-in-context"),
        ("RelevantInContext ", "relevant-in-context"),
        ("Relevant in Context", "relevant-in-context"),
        ("BESTINCONTEXT", "best-in-context"),
        ("fetch_and_browse", "fetch-and-browse"),
    ],
)
def test_tasks_are_recognised_by_the_names_of_every_year(name, task):
    assert find_task(name) == task
    run = read(attributes=f'run-id="r" task="{name}"')
    assert (run.task, run.about["task"]) == (task, name.strip())


def test_an_unknown_task_is_rejected_with_a_list_of_the_tasks():
    with pytest.raises(InputError) as caught:
        read(attributes='run-id="r" task="LinkTheWiki"')
    assert caught.value.found == "'LinkTheWiki'"
    assert all(name in caught.value.wanted for name in (*INEX_TASK_NAMES.values(), "CO.", "VVCAS"))
    assert caught.value.line == 1


def test_the_original_task_name_is_written_if_it_still_means_the_same_task():
    results = RESULTS.from_rows([{"topic": "1", "doc": "d", "rank": 1, "path": "/a"}])
    for about, task, written in [
        ({"task": "CO.Focussed"}, "focused", b'task="CO.Focussed"'),
        ({"task": "CO.Focussed"}, "thorough", b'task="Thorough"'),
        ({}, "relevant-in-context", b'task="RelevantInContext"'),
    ]:
        assert written in XML.write(Run("r", results, task=task, about=about))


def test_unknown_parts_of_the_header_are_listed_in_a_note():
    run = read(
        attributes='run-id="r" format="FOL" xmlns:xsi="urn:x" xsi:noNamespaceSchemaLocation="a.xsd"',
        header="<details><cpu/></details><details/>",
    )
    assert run.notes == ("left out of the header: attribute format (1), element details (2)",)


def test_a_run_without_an_id_is_named_after_its_file(tmp_path):
    path = tmp_path / "mine.v2.xml"
    path.write_bytes(document(attributes='participant-id="1"'))
    assert read_run(path).id == "mine"


@pytest.mark.parametrize(
    ("results", "wanted", "found"),
    [
        (RESULT.replace("<file>d</file>", ""), "file, one of path, passage and fol", "<path>, <rank>"),
        (RESULT.replace("<file>d</file>", "<file/>"), "file, one of path", "<file>, <path>, <rank>"),
        (RESULT.replace("<path>/a[1]</path>", ""), "one of path, passage and fol", "<file>, <rank>"),
        (RESULT.replace("<rank>1</rank>", ""), "then rank or rsv or both", "<file>, <path>"),
        (RESULT.replace("<path>", "<path>/b</path>\n<path>"), "one <path>", "a second <path>"),
        (
            RESULT.replace("<path>", '<fol offset="1" length="2"/><path>'),
            "one of path, passage and fol",
            "<fol>",
        ),
        (RESULT.replace("rank>", "rnk>"), "then rank or rsv", "<rnk>"),
        (RESULT.replace(">1<", ">one<"), "a whole number", "'one'"),
        (RESULT.replace("<rank>1</rank>", "<rank/>"), "a whole number", "''"),
        (RESULT.replace("<rank>1</rank>", "<rsv>NaN</rsv>"), "a number", "'NaN'"),
        (RESULT.replace("/a[1]", "a[1]"), "steps such as /article[1]/p[2]", "'a[1]'"),
        (RESULT.replace("/a[1]", "/a[0]"), "positions from 1", "'/a[0]'"),
        (RESULT.replace("<path>/a[1]</path>", '<passage start="/a[1]"/>'), "the attribute end", "start"),
        (RESULT.replace("<path>/a[1]</path>", '<passage start="/a" end="b"/>'), "a path such as", "'b'"),
        (RESULT.replace("<path>/a[1]</path>", '<fol offset="5" length="-1"/>'), "0 or more", "'-1'"),
        (RESULT.replace("<path>/a[1]</path>", '<fol offset="-2" length="1"/>'), "0 or more", "'-2'"),
        ("<run/>", "<result>", "<run>"),
    ],
)
def test_a_bad_result_is_reported_with_its_line(results, wanted, found):
    with pytest.raises(InputError) as caught:
        read(f"\n{RESULT}\n\n{results}")
    assert wanted in caught.value.wanted
    assert found in caught.value.found
    assert caught.value.line == (5 if "\n" in results else 4)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (document("").replace(b'<topic topic-id="1"></topic>', b""), "a run without results"),
        (document(""), "a run without results"),
        (
            document().replace(b' topic-id="1"', b""),
            "a topic: wanted the attribute topic-id, found no attributes",
        ),
        (
            document().replace(b"</inex-submission>", RESULT.encode() + b"</inex-submission>"),
            "outside of topics",
        ),
        (document()[:-10], "not well-formed XML"),
        (document().replace(b"</topic>", b"</topics>"), "matching tags"),
        (document(RESULT.replace(">d<", ">&d;<")), "Entity 'd' not defined"),
        (b"<run>" + document() + b"</run>", "wanted <inex-submission>, found <run>"),
        (document().replace(b">d<", b">\xe9<"), "not well-formed XML"),
    ],
)
def test_a_bad_file_is_rejected(data, match):
    with pytest.raises(InputError, match=match):
        XML.read(data, "bad.xml")


def test_encodings_entities_comments_and_cdata_are_understood():
    text = document(RESULT.replace(">d<", ">caf\xe9<")).decode()
    for data in (
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        b'<?xml version="1.0" encoding="ISO-8859-1"?>\n' + text.encode("latin-1"),
        f'<?xml version="1.0" encoding="UTF-16"?>{text}'.encode("utf-16"),
        b'<!DOCTYPE inex-submission [<!ENTITY d "caf\xc3\xa9">]>' + text.replace("caf\xe9", "&d;").encode(),
        text.replace("caf\xe9", "<![CDATA[caf]]>&#233;").encode(),
        text.replace("caf\xe9", "\n caf<!-- <topic topic-id='2'> -->\xe9\t").encode(),
    ):
        assert XML.recognises(data)
        assert rows(XML.read(data, "r.xml"), "topic", "doc", "path", "rank") == [("1", "caf\xe9", "/a[1]", 1)]


def test_default_attributes_of_the_doctype_apply_to_all_topics():
    doctype = b'<!DOCTYPE inex-submission [<!ATTLIST fol length CDATA "3">]>'
    result = '<result><file>d</file><fol offset="5"/><rank>1</rank></result>'
    data = doctype + document(result, 'task="BestInContext"')
    assert rows(XML.read(data, "r.xml"), "start", "end") == [(5, 8)]


def test_external_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    entity = f'<!DOCTYPE inex-submission [<!ENTITY d SYSTEM "{secret.as_uri()}">]>'
    data = entity.encode() + document(RESULT.replace(">d<", ">&d;<"))
    with pytest.raises(InputError):
        XML.read(data, "r.xml")


def test_two_results_whose_faults_cancel_out_are_still_rejected():
    # There are as many files and paths as results, but the first has two files and the second two paths.
    first = "<result><file>a</file><file>b</file><rank>1</rank></result>"
    second = "<result><path>/a</path><path>/b</path><rank>1</rank></result>"
    with pytest.raises(InputError, match="one <file>, found a second <file>"):
        read(first + second)


@pytest.mark.parametrize("layout", ["spread", "compact"])
def test_line_numbers_above_65535_are_right(layout):
    # The XML library stores the lines of elements in 16 bits, and derives larger ones from the texts inside.
    generator = random.Random(5)
    results = []
    for number in range(14_000):
        parts = [f"<file>d{number}</file>", "<path>/a[1]</path>", "<rank>1</rank>"]
        generator.shuffle(parts)
        between = "\n  " if layout == "spread" else ""
        results.append(f"<result>{between}{between.join(parts)}{between}</result>\n\n")
    topics = "".join(f'<topic topic-id="{n}">{"".join(results[n::7])}</topic>\n' for n in range(7))
    data = f'<inex-submission run-id="r">\n{topics}</inex-submission>'.encode()
    lines = [number for number, line in enumerate(data.split(b"\n"), 1) if b"<result>" in line]
    assert (lines[-1] > 65_535) == (layout == "spread")
    assert XML.read(data, "r.xml").results["line"].to_list() == lines
    irregular = data.replace(b"</topic>", b"<!-- --></topic>", 1)
    assert XML.read(irregular, "r.xml").results["line"].to_list() == lines


def test_entry_points_cannot_be_written_into_a_run_of_another_task():
    data = find_run_format("inex-xml").write(run_of({**RANKED, "start": 5}, task="best-in-context"))
    assert b'<fol offset="5"/>' in data
    with pytest.raises(InputError, match="in a focused run"):
        find_run_format("inex-xml").write(run_of({**RANKED, "start": 5}, task="focused"))


def test_headers_that_xml_cannot_hold_are_rejected():
    for about, match in [
        ({"colour": "blue"}, "wanted only participant-id, .*, found colour"),
        ({"topic-fields": "title"}, "pairs such as title=yes"),
        ({"description": "\x00"}, "text that XML allows"),
    ]:
        with pytest.raises(InputError, match=match):
            find_run_format("inex-xml").write(run_of({**RANKED, "path": "/a"}, about=about))
