"""The tables that readers of gold fill, and the formats that they declare."""

import pytest

from doxel.assessments.campaigns.gold_tables import GoldTables, declare_gold
from doxel.errors import InputError


def test_a_document_is_judged_once_and_keeps_its_first_line():
    gold = GoldTables("g.json", "squad")
    gold.judge("q", "d", 3, "Who?")
    gold.judge("q", "d", 9)
    gold.judge("r", "d", 9, question=7)
    built = gold.build([{"id": "q"}], "", "a note")
    assert built.judged.select("topic", "doc", "file", "line").rows() == [
        ("q", "d", "g.json", 3),
        ("r", "d", "g.json", 9),
    ]
    assert gold.topics == {"q": 3, "r": 9}
    assert (built.questions, built.notes) == ({"q": "Who?"}, ("a note",))
    assert (built.format, built.about) == ("squad", {"squad": '{"id": "q"}'})


def test_gold_without_documents_is_an_error():
    gold = GoldTables("g.json", "squad")
    gold.ask("q", "Who?")
    with pytest.raises(InputError, match="empty file: wanted questions, found none"):
        gold.build()


def test_a_format_without_a_writer_is_only_read():
    entry = declare_gold("squad", "answers", bool, lambda _, name: GoldTables(name, "squad").build())
    with pytest.raises(InputError, match="a format that doxel only reads"):
        entry.write(None)
