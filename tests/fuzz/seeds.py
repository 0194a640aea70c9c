# ruff: noqa: E501 -- lines of files, as they are
"""Small valid files of every format: documents about fruit, with topics, runs and assessments."""

from __future__ import annotations

__all__ = [
    "ASSESSMENTS",
    "CAMPAIGN",
    "CAMPAIGN_SOURCES",
    "CHUNKS",
    "EVALJ",
    "MEASURES",
    "POOL",
    "QUERIES",
    "RUNS",
    "SOURCES",
    "STYLES",
    "TOPICS",
]

# several kinds in one collection; the emoji makes code points differ from bytes and UTF-16 units
SOURCES = {
    "apples.xml": "<article><title>Apples</title><sec><p>Red <em>apples</em> are ripe.</p>\n"
    '<p id="p2">Green ones &amp; pears 🍏 are <!-- not -->not.</p></sec><year>1999</year></article>\n',
    "pears.md": "# Pears\n\nPears keep long. *Plums* do not.\n\n- one\n- two\n",
    "plums.txt": "Plums do not keep.\n\nThey are eaten at once. Or dried.\n",
    "page.html": "<!DOCTYPE html><title>Page</title><h1>Figs</h1><p>Figs are <b>sweet</b>.<h2>Dates</h2><p>Too.",
    "lines.jsonl": '{"id": "one", "text": "First text."}\n{"id": 2, "text": "# Two", "format": "markdown"}\n',
}

CAMPAIGN_SOURCES = {
    "talk.json": '{"sample_id": "talk", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "Red."}]}\n',
    "paper.json": '{"paper": {"title": "T", "full_text": [{"section_name": "S", "paragraphs": ["One."]}]}}\n',
    "notes.xml": '<annotations><case id="9"><sentence id="1">Red.</sentence></case></annotations>\n',
    "articles.jsonl": '{"pmid": 11, "title": "Apples", "abstract": "Red."}\n',
}

TOPICS = {
    "inex2003.xml": '<inex_topic topic_id="1" query_type="CAS" ct_no="12">\n<title>//sec[about(., apples)]</title>\n'
    "<description>Ripe?</description><narrative>All.</narrative><keywords>fruit, ripe</keywords>\n</inex_topic>\n",
    "inex2005.xml": '<inex_topics>\n<inex_topic topic_id="1" query_type="CO+S" ct_no="4"><title>ripe apples</title>\n'
    "<castitle>//article[.//year > 1998]//p[about(., +ripe -green)]</castitle></inex_topic>\n</inex_topics>\n",
    "inex2009.xml": '<?xml version="1.0"?>\n<!DOCTYPE inex-topic-file [<!ENTITY lt "less">]>\n<inex-topic-file>\n'
    '<topic id="1" ct_no="186"><title>apples</title><castitle>//p[about(., "ripe apples")]</castitle>\n'
    '<phrasetitle>"ripe apples"</phrasetitle></topic>\n</inex-topic-file>\n',
    "topics.tsv": "id\ttext\n1\tripe apples\n2\tpears\n",
    "topics.jsonl": '{"id": "1", "text": "ripe apples", "description": "Ripe?"}\n'
    '{"id": 2, "text": "pears", "castitle": "//p[about(., pears)]", "source": {"log": [1, 2]}}\n',
}

RUNS = {
    "inex.xml": '<inex-submission participant-id="7" run-id="a" task="Focused" query="automatic">\n'
    '<topic-fields title="yes" castitle="no"/><description>BM25.</description>\n<topic topic-id="1">\n'
    "<result><file>apples</file><path>/article[1]/sec[1]/p[1]</path><rank>1</rank><rsv>12.5</rsv></result>\n"
    '<result><file>apples</file><fol offset="26" length="9"/><rank>2</rank></result>\n'
    '<result><file>apples</file><passage start="/article[1]/sec[1]/p[2]/text()[1].2" end="/article[1]/sec[1]/p[2]"/>'
    "<rank>3</rank></result>\n</topic>\n</inex-submission>\n",
    "paths.run": "1 Q0 apples 1 12.5 a /article[1]/sec[1]/p[1]\n1 Q0 apples 2 8.25 a /article[1]/title[1]\n",
    "ranges.run": "1 Q0 apples 1 9 a /article[1]/sec[1]/p[1]/text()[1].0 /article[1]/sec[1]/p[2]\n",
    "fol.run": "1 Q0 apples 1 12.5 a 6 20\n1 Q0 pears 2 8.25 a 2 5\n2 Q0 apples 1 9 a X 0\n",
    "bep.run": "1 Q0 apples 1 12.5 a 6\n2 Q0 pears 1 9 a 0\n",
    "trec.run": "1 Q0 apples 1 12.5 a\n1 Q0 pears 2 8.25 a\n2 Q0 apples 1 9 a\n",
    "run.jsonl": '{"topic": "1", "doc": "apples", "start": 6, "end": 26, "score": 12.5, "run": "a"}\n'
    '{"topic": "1", "doc": "apples", "path": "/article[1]/title[1]", "score": 8.25}\n'
    '{"topic": "1", "doc": "pears", "text": "Pears keep long", "rank": 3}\n{"topic": 2, "doc": "apples"}\n',
    "bioasq.json": '{"questions": [{"id": "1", "body": "Ripe?", "documents": ["http://x.org/pubmed/apples"], "snippets": [\n'
    '{"document": "http://x.org/pubmed/apples", "beginSection": "title", "endSection": "abstract",\n'
    '"offsetInBeginSection": 0, "offsetInEndSection": 5, "text": "Apple"}]}]}\n',
    "genomics.run": "1 apples 1 12.5 6 20 a\n1 pears 2 8.25 0 5 a\n",
    "archehr.json": '[{"case_id": "1", "prediction": ["1", "2"]},\n{"case_id": "2", "answer": "Red. |1,2|"}]\n',
    "locomo.json": '{"sample_id": "apples", "qa": [{"question": "?", "evidence": ["D1:1"],\n'
    '"prediction_context": ["D1:1", "S2"]}]}\n',
    "qasper.jsonl": '{"question_id": "1", "predicted_answer": "x", "predicted_evidence": ["Red apples"]}\n',
    "foreign.jsonl": '{"question": "1", "page_content": "apples", "metadata": {"source": "apples", "start_index": 6}}\n',
}

ASSESSMENTS = {
    "2002.xml": '<assessments topic="1"><file file="apples">\n'
    '<path path="/article[1]" relevance="3" coverage="L"/>\n'
    '<path path="/article[1]/sec[1]/p[1]" relevance="3" coverage="E"/></file>\n'
    '<file file="pears"/></assessments>\n',
    "2003.xml": '<assessments pool="12" topic="1"><file file="apples">\n'
    '<path path="/article[1]" exhaustiveness="3" specificity="1" inpool="true"/>\n'
    '<path path="/article[1]/sec[1]" exhaustiveness="U" specificity="U" inferred="true"/></file></assessments>\n',
    "2005.xml": '<assessments pool="3" topic="1" version="2">\n<file collection="fruit" name="apples">\n'
    '<passage start="/article[1]/sec[1]/p[1]" end="/article[1]/sec[1]/p[2]/text()[1].5" size="26"/>\n'
    '<element path="/article[1]/sec[1]" exhaustivity="2" size="59" rsize="26"/>\n'
    '<element path="/article[1]/sec[1]/p[2]" exhaustivity="?" specificity="0.17"/></file></assessments>\n',
    "2006.xml": '<assessments pool="3" topic="1" whitespace-text-node="keep">\n<file collection="fruit" name="apples">\n'
    '<best-entry-point path="/article[1]/sec[1]/p[1]"/>\n'
    '<passage start="/article[1]/sec[1]/p[1]" end="/article[1]/sec[1]/p[1]"/></file>\n'
    '<file collection="fruit" name="pears"/></assessments>\n',
    "inex.qrels": "1 Q0 apples 20 69 6 6:10 16:10\n1 Q0 pears 0 50\n2 Q0 apples 5 69 -1 30:5\n",
    "trec.qrels": "1 0 apples 2\n1 0 pears 0\n2 0 apples 1\n",
    "gold.jsonl": '{"topic": "1", "doc": "apples", "start": 6, "end": 26, "grade": 2}\n'
    '{"topic": "1", "doc": "pears", "text": "Pears keep", "prefix": "# Pears"}\n'
    '{"topic": "1", "doc": "apples", "bep": 6}\n{"topic": 2, "doc": "plums"}\n',
    "annotations.json": '{"@context": "http://www.w3.org/ns/anno.jsonld", "type": "AnnotationPage", "items": [\n'
    '{"type": "Annotation", "motivation": "highlighting", "body": [{"purpose": "tagging", "value": "1"},\n'
    ' {"purpose": "assessing", "value": "2.5"}], "target": {"source": "apples", "selector": [\n'
    ' {"type": "TextPositionSelector", "start": 6, "end": 26}, {"type": "TextQuoteSelector", "exact": "Red"}]}},\n'
    '{"type": "Annotation", "motivation": "assessing", "body": {"purpose": "tagging", "value": "1"},'
    ' "target": "pears"}]}\n',
    "bioasq.json": '{"questions": [{"id": "1", "body": "Ripe?", "documents": ["http://x.org/pubmed/apples"], "snippets": [\n'
    '{"document": "http://x.org/pubmed/apples", "beginSection": "title", "endSection": "abstract",\n'
    '"offsetInBeginSection": 0, "offsetInEndSection": 5, "text": "Apple"}]}]}\n',
    "genomics.tsv": "1\tapples\t6\t20\tred|ripe\n1\tpears\t0\t5\tgreen\n",
    "archehr.json": '[{"case_id": "1", "answers": [{"sentence_id": "1", "relevance": "essential"}],\n'
    '"clinician_answer_sentences": [{"id": "1", "citations": ["1"]}]}]\n',
    "locomo.json": '{"sample_id": "apples", "conversation": {"session_1": [{"speaker": "A", "dia_id": "D1:1",\n'
    '"text": "Red."}]}, "qa": [{"question": "?", "evidence": ["D1:1"]}]}\n',
    "squad.json": '{"data": [{"title": "T", "paragraphs": [{"context": "Red apples",\n'
    '"qas": [{"id": "1", "question": "?", "answers": [{"text": "Red", "answer_start": 0}]}]}]}]}\n',
    "qasper.json": '{"p": {"full_text": [], "qas": [{"question_id": "1", "question": "?", "answers": [{"answer":\n'
    '{"unanswerable": false, "evidence": ["Red apples"]}}]}]}}\n',
}

POOL = (
    '{"topic": "1", "doc": "apples", "order": 1, "elements": [{"path": "/article[1]", "start": 0, "end": 69}],'
    ' "passages": [{"start": 6, "end": 26}], "contributions": [{"run": "a", "rank": 1, "element": 0},'
    ' {"run": "b", "rank": 2, "passage": 0}]}\n{"topic": 1, "doc": "pears", "order": 2, "elements": []}\n'
)

CHUNKS = '{"doc": "apples", "start": 0, "end": 30}\n{"doc": "apples", "start": 30, "end": 60, "text": "x"}\n'

CAMPAIGN = """name = "fruit"

[collection]
folder = "fruit.doxel"
sources = ["documents"]

[topics]
candidate = ["topics.tsv"]
selected = ["1", 2]

[runs]
files = ["runs/*.run"]

[pool]
file = "pool.jsonl"
depth = 10
seed = 0

[assessments]
files = ["inex.qrels"]

[evaluation]
measures = ["MAiP", "iP@0.01,0.1"]
limit = 1500
fol_end = false

[report]
folder = "report"
"""

EVALJ = {
    "focused.prop": "TASK: Focused\nMETRICS: nxCG, ep/gr\nOVERLAP: on, off\nQUANT\\_FUNCTIONS: gen, strict\n"
    "ALPHA: 1.0\nDCV: 5, 10, 25\nASSESSMENTS_DIR: assessments\nSUBMISSIONRUNS_DIR: runs/*\nRESULTS_DIR: results\n",
    "bic.xml": '<metrics>\n<EPRUM id="e1" only="BestInContext">\n<binary value="false"/>\n'
    '<generator value="BEPTargetGenerator"/><quantisation value="Exh"/>\n'
    '<behaviour value="BEPDistance"><A value="1"/></behaviour>\n</EPRUM>\n'
    '<BEPD id="b1" only="BestInContext"><a value="0.1"/></BEPD>\n</metrics>\n',
}

QUERIES = (
    '//article[about(.//title, +apples -pears)]//sec[about(., "ripe apples") and .//year >= 1998]//p',
    "//(sec|p)[about(., Kali's bisphenol-A 1999)]",
    "//article[(.//year < 2000 or about(., figs)) and about(.//*, dates)]",
    "/article[about(./sec, 'ripe apples') and ./year = '2000']//@id",
    'ripe +apples -"green pears" 1999',
)

MEASURES = (
    "nxCG(alpha=0.5, task=focused)@5,10, MAep",
    'iP@0.01,0.1, MAiP(task="thorough"), char_prec(limit=10)@3',
    "GR@5, EPRUM(A=1, binary=True, model=bep_distance), gr@10, ep@0.1",
    "inex2006-focused",
)

STYLES = '{"tags": {"recipe": "section", "sec/step": "item"}, "default": "inline"}\n'
