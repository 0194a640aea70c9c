"""Runs, assessments and topics for conversion, and a function that calls the command."""

import json

from checks.cases import P1, P2, SEC1, SEC2, graded, highlighted, lines, passage, xml_run
from documents.commands import doxel, is_sentence, write_files

ROOT = "/article[1]"
FOL = "1 Q0 a 1 0.9 r 0 7\n1 Q0 a 2 0.8 r 7 10\n2 Q0 b 1 0.7 r 3 5\n"
ELEMENTS = f"1 Q0 a 1 0.9 r {P1}\n1 Q0 a 2 0.8 r {SEC1}\n2 Q0 b 1 0.7 r {ROOT}\n"
RANGES = f"1 Q0 a 1 0.9 r {P1} {P2}\n2 Q0 a 1 0.8 r {P1}/text()[1].2 {SEC2}\n"
BEPS = "1 Q0 a 1 0.9 r 0\n1 Q0 b 2 0.8 r 12\n"
DOCUMENTS = "1 Q0 a 1 0.9 r\n1 Q0 b 2 0.8 r\n"
QUOTATIONS = lines(
    json.dumps({"topic": "1", "doc": "a", "rank": 1, "score": 0.9, "text": "three four", "run": "r"}),
    json.dumps({"topic": "1", "doc": "a", "rank": 2, "score": 0.8, "text": "twothree", "run": "r"}),
)
RUNS = {
    "fol": FOL,
    "elements": ELEMENTS,
    "ranges": RANGES,
    "bep": BEPS,
    "trec": DOCUMENTS,
    "quotations": QUOTATIONS,
    "inex-xml": xml_run("Thorough", ("1", "a", P1, 1, 0.9), ("1", "a", (3, 5), 2, 0.8)),
}
QRELS = "1 Q0 a 12 21 3 0:7 10:5\n1 Q0 b 0 22\n2 Q0 b 12 22 0 0:12\n"
HIGHLIGHTED = highlighted(
    f'<best-entry-point path="{P2}"/>', passage(P1), passage(f"{P2}/text()[1].3", SEC2), doc='name="a"'
)
QUOTED = lines(
    json.dumps({"topic": "1", "doc": "a", "text": "three four"}),
    json.dumps({"topic": "1", "doc": "b", "text": "same words", "prefix": ", "}),
    json.dumps({"topic": "1", "doc": "b", "bep": 12}),
)
TREC_QRELS = "1 0 a 2\n1 0 b -1\n"
TOPICS = lines(
    "<inex-topic-file>",
    '<topic id="1" ct_no="9"><title>trees</title><castitle>//p[about(., trees)]</castitle>'
    "<description>All about trees.</description></topic>",
    '<topic id="2"><title>graphs</title></topic>',
    "</inex-topic-file>",
)
ANNOTATIONS = json.dumps(
    [
        {
            "type": "Annotation",
            "motivation": "highlighting",
            "body": [{"type": "TextualBody", "purpose": "tagging", "value": "1"}],
            "target": {
                "source": "a",
                "selector": [
                    {"type": "TextPositionSelector", "start": 7, "end": 17},
                    {"type": "TextQuoteSelector", "exact": "three four", "prefix": "two"},
                ],
            },
        }
    ]
)
ASSESSMENTS = {
    "inex2002": graded("2002", {"path": P1, "relevance": 1, "coverage": "E"}),
    "inex2003": graded("2003", {"path": P1, "exhaustiveness": 1, "specificity": 2}),
    "inex2005": graded("2005", {"path": P1, "exhaustivity": "?", "size": 7, "rsize": 7}),
    "inex2006": HIGHLIGHTED,
    "qrels": QRELS,
    "trec": TREC_QRELS,
    "beir": "query-id\tcorpus-id\tscore\n1\ta\t2\n",
    "qrels-json": '{"1": {"a": 2}}',
    "chroma": 'question,references,corpus_id\nWhy?,"[{""content"": ""three four"", ""start_index"": 7, '
    '""end_index"": 17}]",a\n',
    "jsonl": QUOTED,
    "web-annotation": ANNOTATIONS,
}


def convert(folder, content, to, *options, name="in"):
    """Convert content; return the outcome and the path of the output file."""
    write_files(folder, {name: content})
    (folder / "out").unlink(missing_ok=True)
    outcome = doxel("convert", folder / name, folder / "out", "--to", to, *options)
    assert all(map(is_sentence, outcome.messages)), outcome.err
    assert outcome.out == ""
    return outcome, folder / "out"
