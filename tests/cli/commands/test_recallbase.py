"""``doxel recallbase``: with structure, and counted by tag."""

import json

from cli.structured_topics import SEC1, options
from documents.commands import doxel
from doxel.recallbases.recall_base_table import TAG_SHARES


def test_the_recall_base_has_only_elements_on_target(structured):
    outcome = doxel("recallbase", *options(structured), "--structure", "target=strict,support=strict")
    assert [line.split("\t")[2] for line in outcome.out.splitlines()] == ["path", SEC1]


def test_elements_are_counted_by_tag_with_the_share_of_links(demo):
    data = ("-c", demo.collection, "-a", demo.assessments["qrels"])
    outcome = doxel("recallbase", *data, "--by-tag", "-f", "json")
    assert outcome.status == 0
    counted = json.loads(outcome.out)
    lines = doxel("recallbase", *data, "-f", "tsv").out.splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    full = [
        path.rpartition("/")[2].partition("[")[0] for _, _, path, size, rsize, *_ in rows if size == rsize
    ]
    totals = {total.pop("tags"): total for total in counted["totals"]}
    assert totals["all"] == {"elements": len(rows), "full": len(full), "share_of_full": 1.0}
    assert totals["links"]["full"] == full.count("link") > 0
    assert totals["links"]["share_of_full"] == full.count("link") / len(full)
    assert sum(tag["elements"] for tag in counted["tags"]) == len(rows)
    table = doxel("recallbase", *data, "--by-tag", "-f", "tsv").out.splitlines()
    assert table[0].split("\t") == list(TAG_SHARES.schema)
    assert len(table) == 1 + len(counted["tags"])
    output = doxel("recallbase", *data, "--by-tag", "-f", "table").out
    assert "Links and others" in output


def test_a_recall_base_without_highlights_has_no_shares(demo):
    outcome = doxel("recallbase", "-a", demo.assessments["inex2003"], "--by-tag", "-f", "table")
    assert outcome.status == 2
    assert "wanted assessments with highlights" in outcome.err


def test_a_topic_that_was_not_assessed_is_an_error(demo):
    data = ("-c", demo.collection, "-a", demo.assessments["qrels"])
    outcome = doxel("recallbase", *data, "--topic", "1", "--topic", "99")
    assert (outcome.status, outcome.out) == (2, "")
    assert "doxel: --topic: wanted an assessed topic such as 1, 2, 3, 4, 5, ..., found '99'" in outcome.err
