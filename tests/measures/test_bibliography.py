"""Every measure's reference leads to sources, and these are sound BibTeX."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from doxel.evaluation.compat.campaigns.campaign_scorers import CAMPAIGN_SCORERS
from doxel.measures import MEASURES
from doxel.measures.bibliography import (
    BIBLIOGRAPHY,
    describe_software,
    find_sources,
    format_bibtex,
    list_sources,
)
from measures.bibtex_checker import BibtexError, read_bibtex

HANDBOOK = "".join(
    path.read_text("utf-8")
    for path in files("doxel").joinpath("data/handbook").iterdir()
    if path.suffix == ".xml"
)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_part_of_a_reference_leads_to_a_source(measure):
    reference = measure.declaration.reference
    parts = re.split(r"; ", reference)
    unresolved = [part for part in parts if not find_sources(part)]
    assert unresolved == [], f"{measure}: name these in doxel.measures.bibliography"


def test_the_whole_table_is_sound_bibtex():
    entries = read_bibtex(format_bibtex([describe_software(), *BIBLIOGRAPHY]))
    assert list(entries) == ["doxel", *(entry.key for entry in BIBLIOGRAPHY)]
    assert entries["govert2006"]["author"].startswith('G{\\"o}vert, Norbert')


@pytest.mark.parametrize(
    "broken",
    [
        "@article{a,\n  title = {x},\n}\n",
        "@misc{a,\n  author = {x}\n",
        "% nxCG@10\n",
        "@misc{a,\n author = {é}\n}",
    ],
    ids=["no author", "open", "an at sign outside", "not ASCII"],
)
def test_the_reader_of_these_tests_refuses_what_bibtex_refuses(broken):
    with pytest.raises(BibtexError):
        read_bibtex(broken)


def test_every_campaign_has_a_source():
    campaigns = {scorer.name: find_sources(f"campaign {scorer.name}") for scorer in CAMPAIGN_SCORERS}
    assert [name for name, entries in campaigns.items() if len(entries) != 1] == []


def test_no_phrase_cites_two_different_papers_by_accident():
    phrases = [phrase for entry in BIBLIOGRAPHY for phrase in entry.cited_as]
    assert len(phrases) == len(set(phrases))
    assert all(len(phrase) > 6 for phrase in phrases)


def test_facts_agree_with_the_references_of_the_handbook():
    # "ACM Transactions on Information Systems 24(4), 503–542." of the handbook, by the entry with its key
    by_key = dict(re.findall(r'<reference id="(\w+)">(.*?)</reference>', HANDBOOK))
    shared = [entry for entry in BIBLIOGRAPHY if entry.key in by_key]
    assert len(shared) >= 10
    for entry in shared:
        listed = by_key[entry.key]
        assert f"({entry.fields['year']})" in listed
        first = entry.fields["author"].partition(",")[0]
        assert first in listed
        words = re.sub(r"[{}]", "", entry.fields["title"]).lower()
        assert words in listed.lower()
        if "journal" in entry.fields and "volume" in entry.fields:
            assert f"{entry.fields['volume']}({entry.fields['number']})" in listed
        pages = entry.fields.get("pages", "").replace("--", "–")
        assert pages in listed or "–" not in listed


def test_a_source_reads_as_a_line_of_references():
    kazai, trec_eval = (next(e for e in BIBLIOGRAPHY if e.key == key) for key in ("kazai2006", "treceval"))
    assert kazai.sentence == (
        "Kazai, Gabriella; Lalmas, Mounia: eXtended Cumulated Gain Measures for the Evaluation of "
        "Content-oriented XML Retrieval. ACM Transactions on Information Systems 24(4), pages 503–542, 2006."
    )
    assert trec_eval.sentence.startswith("Buckley, Chris: trec_eval: the Evaluation Program of TREC.")


def test_sources_come_in_the_order_of_the_reference_and_once():
    assert [entry.key for entry in find_sources("source 000; Pehcevski and Thom: HiXEval")] == [
        "pehcevski2007",
        "pehcevski2006",
    ]
    assert find_sources("a talk at lunch") == []
    keys = [entry.key for entry in list_sources([*MEASURES, *MEASURES])]
    assert len(keys) == len(set(keys))
