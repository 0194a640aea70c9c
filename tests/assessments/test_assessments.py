"""Assessments: formats keep the columns and values that they declare, and reject what they cannot hold."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.assessments.assessment_files import ASSESSMENT_FORMATS, find_assessment_format
from doxel.assessments.assessments import (
    ASPECTS,
    ASSESSMENT_TABLES,
    JUDGED,
    Assessments,
    may_repeat,
    remove_documents,
    select_topics,
)
from doxel.errors import InputError
from doxel.files.file_format import recognise_format
from random_share import count_cases

words = st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=6).filter(
    lambda text: not any(character.isspace() for character in text) and text[0] not in "<{[#\ufeff"
)
ids = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8).filter(
    lambda text: text.strip() == text and text[0] != "\ufeff" and not set(text) & set("\ufffe\uffff")
)
texts = st.text(min_size=1, max_size=12).filter(str.strip)
positions = st.integers(0, 10**12)
grades = st.floats(allow_nan=False, allow_infinity=False).map(lambda grade: grade + 0.0)  # -0 is 0
steps = st.lists(
    st.tuples(st.sampled_from(["article", "p", "sec-1", "été", "ss1.2"]), st.integers(1, 99)),
    min_size=1,
    max_size=4,
)
paths = steps.map(lambda path: "".join(f"/{name}[{position}]" for name, position in path))
places = st.one_of(
    paths,
    st.tuples(paths, st.integers(1, 9), st.integers(0, 99)).map(
        lambda place: f"{place[0]}/text()[{place[1]}].{place[2]}"
    ),
)
spans = st.tuples(positions, st.integers(0, 10**6)).map(lambda span: {"start": span[0], "end": sum(span)})


def maybe(strategy):
    return st.none() | strategy


quotes = st.fixed_dictionaries(
    {"text": texts}, optional={"prefix": st.text(max_size=4), "suffix": st.text(max_size=4)}
)
highlights = st.builds(
    lambda span, quote, grade: {**(span or {}), **(quote or {}), "grade": grade},
    maybe(spans),
    maybe(quotes),
    maybe(grades),
).filter(lambda row: "start" in row or "text" in row)
flags = {name: st.booleans() for name in ("inpool", "inferred", "inconsistent")}
sizes = st.fixed_dictionaries({"size": positions, "rsize": positions})
shares = st.fixed_dictionaries({"share": st.floats(0, 1)})
specificities = st.one_of(sizes, shares, st.builds(lambda size, share: size | share, sizes, shares))
graded_2005 = st.builds(
    lambda path, grade, size: {"path": path, "exhaustivity": grade, **size},
    paths,
    st.sampled_from("?012"),
    specificities,
)
passages = st.fixed_dictionaries({"path": places, "path_end": places, "size": maybe(positions)})
xml_judged = {"pool": maybe(ids), "collection": maybe(ids)}

SHAPES = {
    "inex2002": {
        "scale": "2002",
        "id": ids,
        "judged": {"pool": maybe(ids)},
        "elements": st.fixed_dictionaries(
            {"path": paths, "relevance": st.sampled_from("0123"), "coverage": st.sampled_from("NLSE")}
        ),
    },
    "inex2003": {
        "scale": "2003",
        "id": ids,
        "judged": {"pool": maybe(ids)},
        "elements": st.fixed_dictionaries(
            {
                "path": paths,
                "exhaustivity": st.sampled_from("0123U"),
                "specificity": st.sampled_from("0123U"),
                **flags,
            }
        ),
    },
    "inex2005": {
        "scale": "2005",
        "id": ids,
        "judged": xml_judged,
        "highlights": passages,
        "elements": graded_2005,
    },
    "inex2006": {
        "scale": "2006",
        "id": ids,
        "judged": xml_judged,
        "highlights": passages,
        "elements": graded_2005,
        "beps": st.fixed_dictionaries({"path": places}),
    },
    "qrels": {
        "scale": "2006",
        "id": words,
        "judged": {"rsize": positions, "docsize": positions},
        "highlights": spans,
        "beps": st.fixed_dictionaries({"position": positions}),
        "most_beps": 1,
    },
    "trec": {"scale": "documents", "id": words, "judged": {"grade": grades}},
    "beir": {"scale": "documents", "id": words, "judged": {"grade": grades}},
    "qrels-json": {"scale": "documents", "id": ids, "judged": {"grade": grades}},
    "chroma": {
        "scale": "2006",
        "id": ids,
        "judged": {},
        "highlights": st.builds(
            lambda span, quote: {**(span or {}), **(quote or {})},
            maybe(spans),
            maybe(st.fixed_dictionaries({"text": texts})),
        ).filter(bool),
    },
    "jsonl": {
        "scale": "2006",
        "id": ids,
        "judged": {},
        "highlights": highlights,
        "beps": st.fixed_dictionaries({"position": positions}),
    },
    "web-annotation": {
        "scale": "2006",
        "id": ids,
        "judged": {},
        "highlights": highlights,
        "beps": st.fixed_dictionaries({"position": positions}),
    },
}


# those of campaigns, and those that are only read, have tests of their own
GENERAL_FORMATS = [form for form in ASSESSMENT_FORMATS if not form.campaign and not form.is_read_only]


@st.composite
def assessments(draw, shape):
    keys = draw(st.lists(st.tuples(shape["id"], shape["id"]), min_size=1, max_size=5, unique=True))
    rows = {name: [] for name in ASSESSMENT_TABLES}
    for topic, doc in keys:
        place = {"topic": topic, "doc": doc}
        rows["judged"].append(place | {name: draw(values) for name, values in shape["judged"].items()})
        for table in ("highlights", "elements", "beps"):
            if table in shape:
                most = shape.get(f"most_{table}", 3)
                rows[table] += [place | row for row in draw(st.lists(shape[table], max_size=most))]
    tables = {name: ASSESSMENT_TABLES[name].from_rows(rows[name]) for name in ASSESSMENT_TABLES}
    return Assessments(scale=shape["scale"], **tables)


def content(source: Assessments, columns: dict[str, frozenset[str]]) -> dict[str, list[str]]:
    """Return the held columns of each table as sorted rows: writing may group topics and pools."""
    return {
        name: sorted(map(repr, getattr(source, name).select(sorted(columns.get(name, ()))).rows()))
        for name in ASSESSMENT_TABLES
    }


@pytest.mark.parametrize("form", GENERAL_FORMATS, ids=lambda form: form.name)
@settings(max_examples=count_cases(60), deadline=None)
@given(data=st.data())
def test_columns_that_a_format_holds_survive_a_round_trip(form, data):
    original = data.draw(assessments(SHAPES[form.name]))
    written = form.write(original)
    again = form.read(written, "again")
    assert content(again, form.holds) == content(original, form.holds)
    assert form.losses(original.tables) == []
    assert again.scale == original.scale


@pytest.mark.parametrize("form", GENERAL_FORMATS, ids=lambda form: form.name)
@settings(max_examples=count_cases(40), deadline=None)
@given(data=st.data())
def test_a_written_file_is_recognised(form, data):
    original = data.draw(assessments(SHAPES[form.name]))
    if form.name == "inex2003" and not original.elements.height:
        return  # a file that only lists documents could be of any year
    if form.name == "inex2002" and not original.elements.height:
        return
    assert (
        recognise_format(ASSESSMENT_FORMATS, form.write(original), file="x", kind="assessments").name
        == form.name
    )


@pytest.mark.parametrize("form", ASSESSMENT_FORMATS, ids=lambda form: form.name)
def test_holds_names_only_columns_that_exist(form):
    for table, columns in form.holds.items():
        if table != "about":
            assert columns <= set({**ASSESSMENT_TABLES, "aspects": ASPECTS}[table].schema)


def test_losses_list_columns_with_row_counts():
    formats = {form.name: form for form in ASSESSMENT_FORMATS}
    judged = ASSESSMENT_TABLES["judged"].from_rows(
        [{"topic": "1", "doc": "a", "docsize": 9, "line": 3, "file": "x"}]
    )
    point = ASSESSMENT_TABLES["beps"].from_rows([{"topic": "1", "doc": "a", "position": 4}])
    source = Assessments(scale="2006", judged=judged, beps=point, about={"version": "2"})
    assert formats["qrels"].losses(source.tables) == ["about.version (1 row)"]
    assert formats["trec"].losses(source.tables) == [
        "judged.docsize (1 row)",
        "beps.topic (1 row)",
        "beps.doc (1 row)",
        "beps.position (1 row)",
        "about.version (1 row)",
    ]


def test_xml_formats_keep_metadata():
    formats = {form.name: form for form in ASSESSMENT_FORMATS}
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a"}])
    about = {"version": '"2" & more', "whitespace-text-node": "strip"}
    source = Assessments(scale="2006", judged=judged, about=about)
    assert formats["inex2006"].read(formats["inex2006"].write(source), "x").about == about
    assert isinstance(source.tables["about"], pl.DataFrame)


PLACE = {"topic": "1", "doc": "a"}


@pytest.mark.parametrize(
    ("name", "table", "row", "wanted"),
    [
        ("qrels", "highlights", {"text": "words"}, "its start"),
        ("qrels", "highlights", {"start": 1, "end": 2}, "its docsize"),
        ("jsonl", "highlights", {"path": "/a[1]"}, "its position"),
        ("web-annotation", "highlights", {"path": "/a[1]"}, "its start"),
        ("web-annotation", "beps", {"path": "/a[1]"}, "its position"),
        ("inex2005", "highlights", {"start": 1, "end": 2}, "its path"),
        ("inex2006", "beps", {"position": 1}, "its path"),
        ("trec", "beps", {"position": 1}, "its grade"),
    ],
)
def test_values_that_a_format_requires_must_be_present(name, table, row, wanted):
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a"}])
    assessments = Assessments(
        "2006", judged, **{table: ASSESSMENT_TABLES[table].from_rows([{**PLACE, **row}])}
    )
    with pytest.raises(InputError, match=wanted):
        find_assessment_format(name).write(assessments)


@pytest.mark.parametrize("name", ["inex2003", "inex2006", "qrels", "trec", "jsonl", "web-annotation"])
def test_rows_of_unjudged_documents_are_an_error(name):
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a", "docsize": 1, "grade": 1}])
    beps = ASSESSMENT_TABLES["beps"].from_rows([{"topic": "1", "doc": "b", "position": 1, "path": "/a[1]"}])
    with pytest.raises(InputError, match="document b"):
        find_assessment_format(name).write(Assessments("2006", judged, beps=beps))


def with_aspects():
    rows = [("1", "a", "x"), ("1", "b", "y"), ("2", "a", "x")]
    return Assessments(
        "2006",
        ASSESSMENT_TABLES["judged"].from_rows({"topic": topic, "doc": doc} for topic, doc, _ in rows),
        ASSESSMENT_TABLES["highlights"].from_rows(
            {"topic": topic, "doc": doc, "start": 0, "end": 9, "aspect": aspect}
            for topic, doc, aspect in rows
        ),
        aspects=ASPECTS.from_rows(
            {"topic": topic, "aspect": aspect, "weight": 2.0} for topic, _, aspect in rows
        ),
    )


def test_aspects_follow_their_topics_and_highlights():
    aspects = ["topic", "aspect"]
    assert select_topics(with_aspects(), ["2"]).aspects.select(aspects).rows() == [("2", "x")]
    unjudged = pl.DataFrame({"topic": ["1"], "doc": ["b"]})
    left = remove_documents(with_aspects(), unjudged)
    assert left.aspects.select(aspects).rows() == [("1", "x"), ("2", "x")]


def test_aspects_are_losses_of_formats_that_cannot_hold_them():
    formats = {form.name: form for form in ASSESSMENT_FORMATS}
    tables = with_aspects().tables
    assert formats["jsonl"].losses(tables) == []
    lost = formats["web-annotation"].losses(tables)
    assert lost == ["aspects.topic (3 rows)", "aspects.aspect (3 rows)", "aspects.weight (3 rows)"]
    assert "highlights.aspect (3 rows)" in formats["qrels"].losses(tables)


def test_a_table_without_aspects_has_no_column_for_them():
    plain = replace(
        with_aspects(), highlights=ASSESSMENT_TABLES["highlights"].empty(), aspects=ASPECTS.empty()
    )
    assert "aspect" not in plain.tables["highlights"].columns
    assert "aspects" not in plain.tables


@pytest.mark.parametrize(
    ("pairs", "repeats"),
    [
        ([], False),
        ([("1", "a"), ("1", "b"), ("2", "a")], False),
        ([("1", "a"), ("2", "a"), ("1", "a")], True),
    ],
)
def test_repeated_judgements_are_noticed(pairs, repeats):
    judged = JUDGED.from_rows({"topic": topic, "doc": doc} for topic, doc in pairs)
    assert may_repeat(judged) is repeats
