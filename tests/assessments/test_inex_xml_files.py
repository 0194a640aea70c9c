"""The XML files of assessments: topics, documents, metadata, and lines."""

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


YEAR_2006 = """<assessments pool="335" topic="289" version="2" whitespace-text-node="keep">
 <file collection="wikien" name="part-1/1234">
   <element path="/article[1]" exhaustivity="2" size="2310" rsize="300"/>
   <passage start="/article[1]/body[1]/p[2]" size="300" end="/article[1]/body[1]/p[3]"/>
   <best-entry-point path="/article[1]/body[1]/p[2]/text()[1].0"/>
 </file>
 <file collection="wikien" name="part-1/99"></file>
</assessments>"""


def test_a_file_may_contain_several_topics(read):
    second = YEAR_2006.replace('topic="289"', 'topic="290"')
    assessments = read(f"<all>{YEAR_2006}{second}</all>")
    assert assessments.topics == ["289", "290"]
    assert assessments.judged.height == 4


def test_a_file_that_counts_text_nodes_in_two_ways_is_rejected(read):
    other = YEAR_2006.replace('topic="289"', 'topic="290"').replace("keep", "strip")
    with pytest.raises(InputError, match="whitespace-text-node"):
        read(f"<all>{YEAR_2006}{other}</all>")


def test_line_numbers_above_65535_are_right(read):
    """The XML library does not store line numbers of elements above 65,535, only those of texts."""
    files = "".join(f'<file collection="c" name="d{number}"/>\n' for number in range(66_000))
    wrong = '<file collection="c" name="last">\n\n<passage start="nowhere" end="/a[1]"/>\n</file>\n'
    with pytest.raises(InputError) as caught:
        read(f'<assessments topic="1" version="2">\n{files}{wrong}</assessments>\n')
    assert caught.value.line == 1 + 66_000 + 3
    again = '<file collection="c" name="d7">\n<passage start="/a[1]" end="/a[1]"/></file>\n'
    with pytest.raises(InputError, match="document d7 judged a second time") as caught:
        read(f'<assessments topic="1" version="2">\n{files}{again}</assessments>\n')
    assert caught.value.line == 1 + 66_000 + 1
    assert caught.value.found.endswith("line 9")
