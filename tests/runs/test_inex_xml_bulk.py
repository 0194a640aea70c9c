"""The bulk reader of INEX XML: files in regular layout, cut into pieces of any size."""

from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.runs.inex_xml_bulk import cut_at_topics, read_pieces
from doxel.runs.run_files import find_run_format
from random_share import count_cases
from runs.random_runs import runs

XML = find_run_format("inex-xml")
RESULT = "<result><file>d</file><path>/a[1]</path><rank>1</rank></result>"


def document(results=RESULT, attributes='run-id="r" task="Focused"', header=""):
    topic = f'<topic topic-id="1">{results}</topic>'
    return f"<inex-submission {attributes}>{header}{topic}</inex-submission>".encode()


@given(run=runs("inex-xml"), size=st.integers(1, 400), data=st.data())
@settings(max_examples=count_cases(100), deadline=None)
def test_pieces_of_any_size_give_the_same_results(run, size, data):
    written = XML.write(run)
    expected = XML.read(written, "r.xml").results
    content = read_pieces(cut_at_topics(written, size).pieces, entry_points=False)
    if content is not None:
        assert content[0].select("topic", "doc", "line").equals(expected.select("topic", "doc", "line"))
    # A comment anywhere makes the file irregular, and must change nothing else.
    tags = (b"<result>", b"<rank>", b"</topic>")
    offsets = [offset for offset in range(len(written)) if written.startswith(tags, offset)]
    offset = data.draw(st.sampled_from(offsets))
    irregular = written[:offset] + b"<!-- <topic topic-id='x'> & <result> -->" + written[offset:]
    assert XML.read(irregular, "r.xml").results.equals(expected)


def test_regular_files_are_read_in_bulk():
    header = "<topic-fields title='yes'/><description>d</description>"
    for results in (RESULT, RESULT * 3, RESULT.replace("<rank>1</rank>", "<rsv>1</rsv><rank>7</rank>")):
        cut = cut_at_topics(document(results, header=header))
        assert read_pieces(cut.pieces, entry_points=False) is not None
