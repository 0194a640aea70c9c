"""Results are found in a small collection; offsets in texts are checked against lxml."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from lxml import etree

from doxel.documents import read_collection
from doxel.documents.collection import TextCollection
from doxel.documents.ingestion import ingest
from doxel.runs import RESULTS, Run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import (
    PROBLEMS,
    RESOLVED_RESULTS,
    bound_ambiguous,
    is_ambiguous,
    list_alignments,
    resolve_run,
    split_pieces,
)

MIXED = """<article xmlns:x="urn:x"><title>On 😀 faces</title><body>
one <b>two</b> three<!-- a comment --> four <?an instruction?>five<x:p>six</x:p> se&#233;<b/>ven
<p>deep <i>er</i> still</p><p></p></body></article>"""
SOURCES = {
    "part-1/mixed.xml": MIXED,
    "part-1/same.xml": "<a><b><c>same span</c></b></a>",
    "part-2/same.xml": "<a><b>another</b><b>and another</b></a>",
    "part-2/quotes.xml": "<a><p>To be, or not to be:\n  that is the question.</p><p>To be</p></a>",
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    for name, content in SOURCES.items():
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "source" / name).write_text(content, encoding="utf-8")
    ingest([str(folder / "source")], str(folder / "collection"))
    return read_collection(folder / "collection")


def resolved(collection, *rows, **options):
    results = RESULTS.from_rows([{"topic": "1", "doc": "mixed", **row} for row in rows])
    return resolve_run(Run("r", results, **options), collection)


def spans(frame):
    return frame.select("start", "end", "problem").rows()


def text_of(source):
    return "".join(etree.fromstring(SOURCES[source].encode()).xpath("//text()"))


LENGTH = len(text_of("part-1/mixed.xml"))


def path_of(element):
    """Return the path of an element, by counting its siblings."""
    steps = []
    for ancestor in [element, *element.iterancestors()]:
        name = etree.QName(ancestor).localname
        before = ancestor.itersiblings(etree.Element, preceding=True)
        steps.append(f"/{name}[{1 + sum(etree.QName(other).localname == name for other in before)}]")
    return "".join(reversed(steps))


def test_elements_have_the_same_spans_as_in_lxml(collection):
    root = etree.fromstring(MIXED.encode())
    elements = list(root.iter(etree.Element))
    paths = [path_of(element) for element in elements]
    expected = []
    for element in elements:
        # The preceding axis includes texts of ancestors before the element.
        start = len("".join(element.xpath("preceding::text()")))
        expected.append((start, start + len("".join(element.xpath(".//text()"))), None))
    frame = resolved(collection, *({"path": path} for path in paths))
    assert spans(frame) == expected
    assert frame["element"].to_list() == list(range(len(elements)))
    assert frame["path"].to_list() == paths
    assert frame["doc"].unique().to_list() == ["part-1/mixed"]
    assert frame["number"].unique().to_list() == [list(collection).index("part-1/mixed")]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("/article/body/p", "/article[1]/body[1]/p[1]"),
        ("/article[1]/body/x:p[1]", "/article[1]/body[1]/p[1]"),
        ("/article/body[1]/p[3]", "/article[1]/body[1]/p[3]"),
    ],
)
def test_paths_become_canonical(collection, written, canonical):
    frame = resolved(collection, {"path": written}, {"path": canonical})
    assert frame["path"].to_list() == [canonical, canonical]
    assert frame["element"][0] == frame["element"][1] is not None
    without = resolved(None, {"path": written})
    assert without.select("path", "element", "start", "problem").rows() == [(canonical, None, None, None)]


@pytest.mark.parametrize(
    "path",
    [
        "/article[2]",
        "/body[1]",
        "/article[1]/body[1]/p[4]",
        "/article[1]/nothing[1]",
        "/article[1]/p[99999999999999999999]",
    ],
)
def test_a_path_without_an_element_is_unknown(collection, path):
    frame = resolved(collection, {"path": path})
    assert spans(frame) == [(None, None, "unknown path")]
    assert frame["element"].to_list() == [None]


def test_a_parent_and_its_only_child_are_two_elements(collection):
    doc = "part-1/same"
    frame = resolved(
        collection, *({"doc": doc, "path": path} for path in ("/a", "/a/b", "/a/b/c")), {"doc": doc}
    )
    assert spans(frame) == [(0, 9, None)] * 4
    assert frame["element"].to_list() == [0, 1, 2, 0]
    assert frame["path"].to_list() == ["/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]", None]


def text_nodes(root):
    """Yield each text node: the path of its element, its number there, its offset, and its text."""
    numbers = Counter()
    position = 0
    for text in root.xpath("//text()"):
        beside = text.getparent()
        owner = path_of(beside if text.is_text else beside.getparent())
        numbers[owner] += 1
        yield owner, numbers[owner], position, str(text)
        position += len(text)


def test_elements_are_numbered_within_their_documents(collection):
    rows = [("quotes", "/a/p[2]"), ("mixed", "/article/body"), ("part-2/same", "/a/b[2]"), ("quotes", "/a")]
    frame = resolved(collection, *({"doc": doc, "path": path} for doc, path in rows))
    assert frame["element"].to_list() == [2, 2, 2, 0]
    for row in frame.iter_rows(named=True):
        document = collection[row["doc"]]
        assert document.path(row["element"]) == row["path"]
        assert document.span(row["element"]) == (row["start"], row["end"])


def test_text_nodes_have_the_same_offsets_as_in_lxml(collection):
    """Check every offset of every text node, as a start and as an end."""
    whole = "/article[1]"
    rows, expected = [], []
    nodes = list(text_nodes(etree.fromstring(MIXED.encode())))
    in_body = [text for path, _, _, text in nodes if path == "/article[1]/body[1]"]
    assert in_body == ["\none ", " three", " four ", "five", " seé", "ven\n"]
    for path, number, start, text in nodes:
        node = f"{path}/text()[{number}]"
        for offset in range(len(text) + 1):
            rows += [
                {"path": f"{node}.{offset}", "path_end": whole},
                {"path": whole, "path_end": f"{node}.{offset}"},
            ]
            expected += [(start + offset, LENGTH, None), (0, start + offset, None)]
        rows += [{"path": f"{node}.{len(text) + 1}", "path_end": whole}, {"path": node, "path_end": node}]
        expected += [(None, None, "unknown path"), (start, start + len(text), None)]
    assert spans(resolved(collection, *rows)) == expected


def test_a_missing_text_node_is_an_unknown_path(collection):
    numbers = Counter(path for path, *_ in text_nodes(etree.fromstring(MIXED.encode())))
    rows = [
        {"path": f"{path}/text()[{count + 1}].0", "path_end": "/article[1]"}
        for path, count in numbers.items()
    ]
    assert spans(resolved(collection, *rows)) == [(None, None, "unknown path")] * len(rows)


def test_a_range_is_from_the_start_of_one_element_to_the_end_of_another(collection):
    body = "/article[1]/body[1]"
    first, last = (
        resolved(collection, {"path": f"{body}/b[1]"}, {"path": f"{body}/p[2]"}).select("start", "end").rows()
    )
    frame = resolved(
        collection,
        {"path": f"{body}/b[1]", "path_end": f"{body}/p[2]"},
        {"path": f"{body}/p[2]", "path_end": f"{body}/b[1]"},
        {"path": f"{body}/b[9]", "path_end": f"{body}/p[2]"},
        {"path": f"{body}/b[1]", "path_end": f"{body}/p[9]"},
    )
    assert spans(frame) == [
        (first[0], last[1], None),
        (None, None, "ends before it starts"),
        (None, None, "unknown path"),
        (None, None, "unknown path"),
    ]
    assert frame["element"].null_count() == 4


def test_spans_and_entry_points_must_be_inside_the_document(collection):
    frame = resolved(
        collection,
        {"start": 3, "end": 9},
        {"start": 0, "end": LENGTH},
        {"start": 7},
        {"start": LENGTH},
        {"start": LENGTH + 1, "end": LENGTH + 5},
        {"start": LENGTH + 1},
        {"start": -1, "end": -1},
        {"start": -1},
    )
    assert spans(frame) == [
        (3, 9, None),
        (0, LENGTH, None),
        (7, 7, None),
        (LENGTH, LENGTH, None),
        (None, None, "outside the document"),
        (None, None, "outside the document"),
        (None, None, "not in the collection"),
        (None, None, "not in the collection"),
    ]


def test_a_span_that_only_ends_outside_the_document_keeps_its_size(collection):
    frame = resolved(collection, {"start": 3, "end": LENGTH + 1})
    assert spans(frame) == [(3, LENGTH + 1, "outside the document")]


def test_a_span_takes_precedence_over_a_path_and_a_path_over_a_text(collection):
    title = "/article[1]/title[1]"
    frame = resolved(
        collection,
        {"start": 3, "end": 9, "path": title, "text": "one"},
        {"path": title, "text": "one"},
        {"start": -1, "end": -1, "path": title},
    )
    assert spans(frame) == [(3, 9, None), (0, 10, None), (None, None, "not in the collection")]
    assert frame["element"].to_list() == [None, 1, None]


def test_a_whole_document_is_its_root_element(collection):
    frame = resolved(collection, {}, {"doc": "quotes.xml"}, {"doc": "unknown"})
    assert spans(frame) == [
        (0, LENGTH, None),
        (0, len(text_of("part-2/quotes.xml")), None),
        (None, None, "unknown document"),
    ]
    assert frame["element"].to_list() == [0, 0, None]


def test_documents_are_found_by_id_and_by_path(collection):
    names = ["part-1/mixed", "mixed", "mixed.xml", "inex/part-1/mixed", "same", "part-2/same.xml", "mixd"]
    frame = resolved(collection, *({"doc": name, "start": 0, "end": 1} for name in names))
    assert frame["doc"].to_list() == [*["part-1/mixed"] * 4, "same", "part-2/same", "mixd"]
    problems = [None, None, None, None, "unknown document", None, "unknown document"]
    assert frame["problem"].to_list() == problems
    assert frame["number"].is_null().to_list() == [problem is not None for problem in problems]


def test_a_quotation_is_aligned_and_the_first_of_several_places_is_taken(collection):
    text = text_of("part-2/quotes.xml")
    quotes = ["or not to be", "or not to be: that is the question.", "To be", "to be or", "", "TO BE"]
    frame = resolved(collection, *({"doc": "quotes", "text": quote} for quote in quotes))
    start = text.index("or not")
    assert spans(frame) == [
        (start, start + 12, None),
        (start, text.index("question.") + 9, None),
        (text.index("To be"), text.index("To be") + 5, None),
        (0, text.index(", or") + 4, None),
        (None, None, "text not found"),
        (text.index("To be"), text.index("To be") + 5, None),
    ]


def test_in_best_in_context_runs_an_element_is_an_entry_point(collection):
    row = {"path": "/article[1]/body[1]"}
    assert spans(resolved(collection, row, task="best-in-context")) == [(10, 10, None)]
    assert spans(resolved(collection, row, task="focused")) == [(10, LENGTH, None)]


def test_without_a_collection_only_spans_are_resolved(collection):
    rows = [{"start": 3, "end": 9}, {"start": 7}, {"start": -1, "end": -1}, {"path": "/a"}, {"text": "x"}, {}]
    rows.append({"path": "/a", "path_end": "/a/text()[1].3"})
    frame = resolved(None, *rows)
    assert spans(frame) == [
        (3, 9, None),
        (7, 7, None),
        (None, None, "not in the collection"),
        *[(None, None, None)] * 4,
    ]
    assert frame.select(pl.col("number", "element").is_null().all()).row(0) == (True, True)
    assert frame.schema == resolved(collection, *rows).schema == pl.Schema(RESOLVED_RESULTS.schema)


def test_resolving_keeps_file_order_and_other_columns(collection):
    kinds = [
        ({"path": "/article[1]"}, None),
        ({"start": 1, "end": 2}, None),
        ({"text": "six"}, None),
        ({}, None),
        ({"doc": "nowhere"}, "unknown document"),
        ({"start": -1}, "not in the collection"),
    ]
    drawn = [kinds[kind] for kind in np.random.default_rng(3).integers(0, len(kinds), 50)]
    frame = resolved(
        collection, *({**row, "rank": rank, "line": rank} for rank, (row, _) in enumerate(drawn))
    )
    assert frame["rank"].to_list() == frame["line"].to_list() == list(range(50))
    assert frame["problem"].to_list() == [problem for _, problem in drawn]


def test_a_run_without_results_is_resolved(collection):
    assert resolve_run(Run("r", RESULTS.empty()), collection).height == 0
    assert resolve_run(Run("r", RESULTS.empty())).height == 0


def test_every_problem_is_explained():
    assert set(PROBLEMS) == {
        "unknown document",
        "unknown path",
        "outside the document",
        "not in the collection",
        "text not found",
        "ends before it starts",
    }
    assert all(PROBLEMS.values())


# ---- texts

PLAYS = TextCollection(
    {
        "hamlet": "To be, or not to be: that is the question: whether it is nobler in the mind to suffer",
        "macbeth": "Tomorrow, and tomorrow, and tomorrow, creeps in this petty pace from day to day",
    }
)


def resolved_texts(*rows):
    return resolved(PLAYS, *({"doc": "unknown", **row} for row in rows))


def test_a_text_overrules_offsets_that_contradict_it():
    rows = [
        {"doc": "hamlet", "start": 7, "end": 13, "text": "OR not"},
        {"doc": "hamlet", "start": 20, "end": 30, "text": "to be"},
        {"doc": "hamlet", "start": 12, "text": "to be"},
        {"doc": "hamlet", "start": -1, "end": -1, "text": "whether"},
        {"doc": "macbeth", "start": 0, "end": 8, "text": "whether it is nobler"},
        {"doc": "macbeth", "start": 0, "end": 8},
    ]
    frame = resolved_texts(*rows)
    assert spans(frame) == [
        (7, 13, None),
        (14, 19, None),
        (14, 19, None),
        (43, 50, None),
        (None, None, "text not found"),
        (0, 8, None),
    ]
    piece = pl.col("pieces").list.first().struct
    assert frame.select(piece.field("how")).to_series().to_list() == [
        "offsets",
        "exact",
        "exact",
        "exact",
        "unplaced",
        None,
    ]


def test_a_text_of_an_unknown_document_gets_the_document_in_which_it_is_found():
    frame = resolved_texts({"text": "petty pace"}, {"text": "unheard of"}, {"start": 0, "end": 5})
    assert frame["doc"].to_list() == ["macbeth", "unknown", "unknown"]
    assert frame["number"].to_list() == [1, None, None]
    assert frame["problem"].to_list() == [None, "text not found", "unknown document"]


def test_a_text_in_pieces_has_the_span_of_the_largest_until_it_is_split():
    first, second = (
        "that is the question: whether it is nobler in the mind",
        "and tomorrow, and tomorrow, creeps in this petty pace from day to day",
    )
    frame = order_results(resolved_texts({"text": f"{first} {second}"}, {"text": "petty"}))
    assert frame["doc"].to_list() == ["macbeth", "macbeth"]
    split = split_pieces(frame)
    assert split.select("doc", "number", "position").rows() == [
        ("hamlet", 0, 1),
        ("macbeth", 1, 1),
        ("macbeth", 1, 2),
    ]
    text = PLAYS.text(0)
    assert text[split["start"][0] : split["end"][0]].startswith("that is the question")
    assert list_alignments(frame).select("rank", "doc", "how").rows() == [
        (1, "hamlet", "fuzzy"),
        (1, "macbeth", "fuzzy"),
        (2, "macbeth", "exact"),
    ]
    assert split_pieces(frame.tail(1)).equals(frame.tail(1))


def test_ambiguous_texts_are_those_without_an_offset():
    rows = [
        {"doc": "macbeth", "text": "tomorrow"},
        {"doc": "macbeth", "text": "tomorrow", "start": 14, "end": 16},
        {"doc": "macbeth", "text": "petty"},
        {"doc": "macbeth"},
    ]
    frame = resolved_texts(*rows)
    assert frame.select(is_ambiguous().fill_null(value=False)).to_series().to_list() == [
        True,
        False,
        False,
        False,
    ]


def test_the_bounds_of_a_run_lack_ambiguous_texts_or_have_all_their_copies():
    results = RESULTS.from_rows(
        [{"topic": "1", "doc": "x", "text": "tomorrow"}, {"topic": "1", "doc": "x", "text": "petty"}]
    )
    run = Run("r", results)
    frame = resolve_run(run, PLAYS)
    fewest, most = bound_ambiguous(run, frame, PLAYS)
    assert spans(fewest) == [(None, None, "text not found"), *spans(frame)[1:]]
    copies = split_pieces(order_results(most))
    assert copies.select("start", "position").rows() == [(14, 1), (28, 1), (53, 2)]


def test_very_many_copies_of_a_text_are_bounded_by_one_span_per_document():
    texts = TextCollection({"a": f"so {'x y ' * 400}it ends", "b": f"{'x y ' * 300}"})
    run = Run("r", RESULTS.from_rows([{"topic": "1", "doc": "?", "text": "x"}]))
    _, most = bound_ambiguous(run, resolve_run(run, texts), texts)
    copies = split_pieces(order_results(most))
    assert copies.select("doc", "start", "end").rows() == [("a", 3, 1600), ("b", 0, 1197)]
