"""``doxel recallbase`` with structure."""

from cli.structured_topics import SEC1, options
from documents.commands import doxel


def test_the_recall_base_has_only_elements_on_target(structured):
    outcome = doxel("recallbase", *options(structured), "--structure", "target=strict,support=strict")
    assert [line.split("\t")[2] for line in outcome.out.splitlines()] == ["path", SEC1]
