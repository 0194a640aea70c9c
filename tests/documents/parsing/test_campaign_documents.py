"""Documents in the shapes of campaigns are ingested with the elements that gold refers to."""

import json

import pytest

from documents.commands import doxel
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.documents.parsing.campaign_documents import has_campaign_root, iterate_campaign_documents

ARTICLE = {"pmid": 11, "title": "On valves", "abstract": "Valves fail.", "sections": ["First.", "Second."]}
CONVERSATION = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1 May",
        "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."}],
        "session_3": [{"speaker": "Bob", "dia_id": "D3:2", "text": "Again."}],
    },
}
PAPER = {
    "title": "A paper",
    "abstract": "Short.",
    "full_text": [{"section_name": "Intro", "paragraphs": ["One.", "Two."]}],
    "qas": [],
}
NOTES = """<?xml version="1.0"?>
<annotations><case id="7"><note_excerpt_sentences><sentence id="1"> He fell. </sentence>
<sentence id="3">He rose.</sentence></note_excerpt_sentences></case></annotations>
"""
PUBMED = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2024//EN" "pubmed_240101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID Version="1">11</PMID><Article><ArticleTitle>On <i>p53</i> &amp; co.
</ArticleTitle><Abstract><AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Valves fail.</AbstractText>
<AbstractText Label="RESULTS">Often, at 5&lt;6.</AbstractText><CopyrightInformation>(c)</CopyrightInformation>
</Abstract></Article><CommentsCorrectionsList><CommentsCorrections><PMID>99</PMID></CommentsCorrections>
</CommentsCorrectionsList></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>12</PMID><Article><ArticleTitle>Plain</ArticleTitle>
<Abstract><AbstractText>One text.</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>13</PMID><Article><ArticleTitle>No abstract</ArticleTitle></Article>
</MedlineCitation></PubmedArticle>
</PubmedArticleSet>
"""
SQUAD = {"data": [{"title": "T", "paragraphs": [{"context": "A\x0c\u00e9\U0001f642", "qas": [{"id": "x"}]}]}]}


def list_documents(content):
    data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    documents = iterate_campaign_documents(data, "x")
    return None if documents is None else {document.id: document.content for document in documents}


def ingest_one(folder, name, content):
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    report = ingest([str(folder / name)], str(folder / "c.doxel"))
    return report, read_collection(folder / "c.doxel")


def read_element(collection, doc, path):
    outcome = doxel("collection", collection.folder, doc, path)
    assert outcome.status == 0, outcome.err
    return outcome.out


@pytest.mark.parametrize(
    ("name", "content", "doc", "path", "text"),
    [
        ("a.json", {"articles": [ARTICLE]}, "11", "/article[1]/abstract[1]", "Valves fail."),
        ("a.json", [ARTICLE], "11", "/article[1]/section[2]", "Second."),
        ("a.jsonl", json.dumps(ARTICLE), "11", "/article[1]/title[1]", "On valves"),
        ("a.json", CONVERSATION, "conv-1", "/conversation[1]/session[1]/turn[1]", "Hello."),
        ("a.json", [CONVERSATION], "conv-1", "/conversation[1]/session[3]/turn[2]", "Again."),
        ("a.json", {"1912.1": PAPER}, "1912.1", "/paper[1]/section[1]/p[2]", "Two."),
        ("notes.xml", NOTES, "7", "/case[1]/sentence[1]", "He fell."),
        ("notes.xml", NOTES, "7", "/case[1]/sentence[3]", "He rose."),
    ],
)
def test_elements_have_the_positions_that_gold_uses(tmp_path, name, content, doc, path, text):
    _, collection = ingest_one(tmp_path, name, content)
    assert collection.documents["doc"].to_list() == [doc]
    assert read_element(collection, doc, path).startswith(text)


def test_contexts_keep_every_code_point():
    assert list_documents(SQUAD) == {"T:0": "A\x0c\u00e9\U0001f642"}
    contract = {"data": [{"title": "T", "paragraphs": [{"context": "x", "qas": [{"id": "T__Law"}]}]}]}
    assert list_documents(contract) == {"T": "x"}


def test_older_conversations_have_sessions_at_the_top_level():
    assert list_documents({"sample_id": 1, **CONVERSATION["conversation"]}).keys() == {"1"}


def test_characters_that_xml_forbids_become_blanks():
    assert list_documents([{"pmid": "1", "title": "a\x01b", "abstract": "c"}])["1"] == (
        "<article><title>a b</title>\n<abstract>c</abstract>\n</article>"
    )


@pytest.mark.parametrize(
    "content", [{"topic": "1"}, [], [1], "plain", {"a": {"b": 1}}, "<article/>", '{"a": 1}\n{}']
)
def test_other_files_are_left_to_other_readers(content):
    assert list_documents(content) is None


def test_xml_of_a_campaign_is_recognised_by_its_root():
    assert has_campaign_root(b"<!-- x --><annotations>")
    assert has_campaign_root(PUBMED.encode())
    assert has_campaign_root(b"<PubmedArticle>")
    assert not has_campaign_root(b"<article><annotations/></article>")
    assert not has_campaign_root(b"<PubmedArticles/>")


def test_articles_of_pubmed_have_title_and_abstract_as_elements(tmp_path):
    _, collection = ingest_one(tmp_path, "pubmed24n0001.xml", PUBMED)
    assert collection.documents["doc"].to_list() == ["11", "12", "13"]
    assert list_documents(PUBMED) == {
        "11": "<article><title>On p53 &amp; co.</title>\n<abstract>BACKGROUND: Valves fail.\n"
        "RESULTS: Often, at 5&lt;6.</abstract>\n</article>",
        "12": "<article><title>Plain</title>\n<abstract>One text.</abstract>\n</article>",
        "13": "<article><title>No abstract</title>\n<abstract></abstract>\n</article>",
    }


def test_snippets_of_bioasq_are_found_in_articles_of_pubmed(tmp_path):
    _, collection = ingest_one(tmp_path, "pubmed.xml", PUBMED)
    gold = {
        "document": "http://www.ncbi.nlm.nih.gov/pubmed/11",
        "beginSection": "abstract",
        "endSection": "abstract",
        "offsetInBeginSection": 12,
        "offsetInEndSection": 24,
        "text": "Valves fail.",
    }
    questions = {"questions": [{"id": "q", "body": "?", "documents": [], "snippets": [gold]}]}
    (tmp_path / "gold.json").write_text(json.dumps(questions))
    (tmp_path / "run.jsonl").write_text('{"topic": "q", "doc": "11", "text": "Valves fail.", "rank": 1}')
    outcome = doxel(
        "evaluate", "-f", "tsv", "-a", tmp_path / "gold.json", "-c", collection.folder,
        "-m", "char_rec,char_prec", tmp_path / "run.jsonl",
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    assert [line.split("\t")[3] for line in outcome.out.splitlines()[1:]] == ["1.0", "1.0"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.json",
            [{"pmid": None, "title": "x"}],
            "line 1: the pmid of an article: wanted an id, found nothing",
        ),
        ("a.json", [{"pmid": 1, "title": 7}], "line 1: the title of article 1: wanted a text, found 7"),
        (
            "a.json",
            {"sample_id": "c", "session_1": [{"dia_id": "D2:1", "text": "x"}]},
            "the dia_id of the turn: wanted D1:1, or a later turn of session 1, found 'D2:1'",
        ),
        (
            "n.xml",
            '<annotations><case id="1">\n<sentence id="2"/><sentence id="2"/></case></annotations>',
            "line 2: a sentence of case 1: wanted the id 3, or a higher number, found '2'",
        ),
        (
            "p.xml",
            "<PubmedArticleSet>\n<PubmedArticle><MedlineCitation/></PubmedArticle></PubmedArticleSet>",
            "p.xml, line 2: an article: wanted a PMID, found none",
        ),
        (
            "n.xml",
            '<annotations><case id="1"/></annotations>',
            "wanted sentences with ids, found none in case 1",
        ),
    ],
)
def test_unreadable_files_are_refused_with_the_line(tmp_path, name, content, message):
    (tmp_path / name).write_text(
        content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
    )
    outcome = doxel("ingest", tmp_path / name, "-o", tmp_path / "c.doxel")
    assert outcome.status in {1, 2}
    assert message in outcome.err
