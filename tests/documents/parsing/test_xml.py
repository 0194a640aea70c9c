"""Text of XML documents, compared with that of lxml."""

from hypothesis import given, settings

from documents.plain_walk import parse
from documents.random_xml import documents
from doxel.documents.parsing.xml import extract_text
from doxel.markup import XmlParser
from random_share import count_cases


@given(documents())
@settings(max_examples=count_cases(200), deadline=None)
def test_the_parser_agrees_with_lxml(source):
    expected = parse(source)
    root = XmlParser().parse(source, "random.xml")
    assert extract_text(root).decode() == expected.xpath("string()")
    assert [node.tag for node in root.iter()] == [node.tag for node in expected.iter()]
