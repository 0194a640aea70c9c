"""Scores with strict structure, against numbers worked out by hand.

Tree A of the measures' definitions, with tags: A is an article, S1 and S2 are sec, p1 to p4 are p.

    A[0,1000) > S1[0,400) > p1[0,200) p2[200,400);  A > S2[400,1000) > p3[400,700) p4[700,1000)

Highlighted are [0,200) and [400,850).  For //sec only S1 (1/2) and S2 (3/4) are left to find.
"""

from fractions import Fraction

import pytest

import doxel
from documents.commands import write_files
from doxel.errors import InputError, QueryError
from doxel.topics import Topic, Topics
from doxel.topics.query_structure import SUBTASKS, Structure

A, S1, S2 = "/article[1]", "/article[1]/sec[1]", "/article[1]/sec[2]"
P1, P3 = f"{S1}/p[1]", f"{S2}/p[1]"
GOLD = [("1", "a", 0, 200), ("1", "a", 400, 850)]


def tree(*sizes):
    p = [f"<p>{'x' * size}</p>" for size in sizes]
    return f"<article><sec>{p[0]}{p[1]}</sec><sec>{p[2]}{p[3]}</sec></article>"


SOURCES = {
    "a.xml": tree(200, 200, 300, 300),
    # text of its own before the section
    "b.xml": f"<article>{'x' * 10}<sec>{'y' * 20}</sec></article>",
    # a figure in the first section only
    "c.xml": "<article><sec><p>one</p><fig>two</fig></sec><sec><p>six</p></sec></article>",
    "d.xml": "<article><sec><p>one</p></sec></article>",
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("structure")
    write_files(folder / "sources", SOURCES)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    return doxel.read_collection(folder / "c.doxel")


def asking(query):
    return Topics.of([Topic("1", castitle=query)])


def run(*paths, doc="a"):
    return [{"topic": "1", "doc": doc, "path": path, "rank": rank} for rank, path in enumerate(paths, 1)]


def score(
    collection,
    measure,
    results,
    *,
    gold=GOLD,
    query="//sec[about(., x)]",
    structure="target=strict",
    **options,
):
    result = doxel.evaluate(
        results,
        gold,
        [measure],
        collection=collection,
        structure=structure,
        topic_file=asking(query),
        **options,
    )
    assert result.rejected == ()
    return result.means["score"].item()


LIST = run(P1, S2, A, S1)
SHORT = run(P1, S2)


@pytest.mark.parametrize(
    ("measure", "results", "expected"),
    [
        # gains 0 3/4 0 1/2 against 3/4 1/2
        ('nxCG(task="thorough")@1', LIST, 0),
        ('nxCG(task="thorough")@2', LIST, Fraction(3, 5)),
        ('nxCG(task="thorough")@4', LIST, 1),
        # effort: 1 of 2 at the first gain, 2 of 4 at the second, over two elements
        ('MAep(task="thorough")', LIST, Fraction(1, 2)),
        # S1 was seen in A, which is off target but still counts as read
        ('nxCG(task="focused")@4', LIST, Fraction(3, 5)),
        ("qP@2", SHORT, Fraction(3, 8)),
        ("qR@2", SHORT, Fraction(3, 5)),
        ("GR@2", SHORT, Fraction(3, 5)),
        ("SRP@2", SHORT, Fraction(3, 8)),
        # 450 relevant characters of 800 read; 650 are highlighted, all of them in sections
        ("char_prec", SHORT, Fraction(450, 800)),
        ("char_rec", SHORT, Fraction(450, 650)),
        ("iP@0.5", SHORT, Fraction(450, 800)),
        ("HiXEval_P@2", SHORT, Fraction(450, 800)),
        ("HiXEval_R@2", SHORT, Fraction(450, 650)),
        # relevant characters of S1 and S2 together: 200 + 450
        ('HiXEval_R(task="thorough")@2', SHORT, Fraction(450, 650)),
        # F of 450/800 and 450/650
        ("MAgP", SHORT, Fraction(900, 1450)),
        ("MAgP", run(P1), 0),
        ("gR@1", run(P1), 0),
        ("gR@1", SHORT, 1),
        ("T2I(T=300)@2", SHORT, Fraction(1, 2)),
        # the document is found by its second result and ranked by its first
        ("AP", SHORT, 1),
        ("AP", run(P1), 0),
    ],
)
def test_scores_equal_those_worked_out_by_hand(collection, measure, results, expected):
    assert score(collection, measure, results) == pytest.approx(float(expected), abs=1e-12)


def test_text_seen_off_target_is_no_longer_new(collection):
    """P1 contains S1's only relevant text and comes before S1: with alpha 1, S1 gains nothing."""
    result = score(collection, 'nxCG(task="focused")@3', run(P1, S2, S1))
    assert result == pytest.approx(0.75 / 1.25)


def test_results_off_target_keep_their_rank(collection):
    alone = score(collection, 'nxCG(task="thorough")@1', run(S2))
    behind = score(collection, 'nxCG(task="thorough")@1', run(P1, S2))
    assert (alone, behind) == (1.0, 0.0)


def test_text_outside_elements_on_target_is_not_relevant(collection):
    """[0,20) of b is highlighted; 10 characters of that are the article's own."""
    gold = [("1", "b", 0, 20)]
    sec = run("/article[1]/sec[1]", doc="b")
    assert score(collection, "char_rec", sec, gold=gold) == 1.0
    assert score(collection, "char_rec", sec, gold=gold, structure=None) == 0.5
    assert score(collection, "char_prec", sec, gold=gold) == 0.5


def test_text_and_results_off_target_are_reported(collection):
    result = doxel.evaluate(
        SHORT,
        [*GOLD, ("1", "b", 0, 20)],
        ["char_rec"],
        collection=collection,
        structure="target=strict",
        topic_file=asking("//sec[about(., x)]"),
    )
    message = " ".join(result.warnings)
    assert "10 of 670 highlighted characters are outside the elements on target" in message
    assert "1 result in a judged document is off target" in message
    assert result.parameters["structure"] == "target=strict,support=vague"


def test_entry_points_outside_elements_on_target_are_left_out(collection):
    """One at 450, in S2; with A = 1/10 and L = 1000 a start at 400 is worth 100/(100 + 50)."""
    gold = [{"topic": "1", "doc": "a", "start": 400, "end": 850}, {"topic": "1", "doc": "a", "bep": 450}]
    measure = "BEPD(A=0.1, L=1000)"
    assert score(collection, measure, run(S2), gold=gold) == pytest.approx(2 / 3)
    assert score(collection, measure, run(P3), gold=gold) == 0.0
    bep = 'MAgP(score="bep", n=500)'
    assert score(collection, bep, run(S2), gold=gold) == pytest.approx(450 / 500)
    assert score(collection, bep, run(P3), gold=gold) == 0.0
    # no matching sec contains the entry point: nothing is left to find
    undefined = score(collection, measure, run(S2), gold=gold, query="//nothing[about(., x)]")
    assert undefined != undefined  # noqa: PLR0124 -- NaN


def test_a_passage_counts_as_the_smallest_element_around_it(collection):
    passages = [
        {"topic": "1", "doc": "a", "start": 400, "end": 650},
        {"topic": "1", "doc": "a", "start": 650, "end": 750},
    ]
    # the first is inside p3; the second extends into p4, so S2 is the smallest element around it
    assert score(collection, "char_rec", passages[:1]) == 0.0
    assert score(collection, "char_rec", passages) == pytest.approx(100 / 650)


GOLD_FIGURES = [("1", "c", 0, 3), ("1", "c", 6, 9), ("1", "d", 0, 3)]


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        ("target=strict,support=strict", ["c/article/sec"]),
        ("target=strict,support=vague", ["c/article/sec", "c/article/sec", "d/article/sec"]),
        ("target=vague,support=strict", ["c/article", "c/article/sec"]),
        (
            "target=vague,support=vague",
            [
                *("c/article", "c/article/sec", "c/article/sec", "c/article/sec/p", "c/article/sec/p"),
                *("d/article", "d/article/sec", "d/article/sec/p"),
            ],
        ),
    ],
)
def test_target_and_support_are_strict_or_vague(collection, structure, expected):
    """//sec[about(.//fig, x)]: the first sec of c has a figure, the others have none."""
    from doxel.evaluation.inputs.input_tables import as_assessments
    from doxel.recallbases.recall_base_table import recall_base

    base = recall_base(
        as_assessments(GOLD_FIGURES),
        collection,
        structure=structure,
        topic_file=asking("//sec[about(.//fig, x)]"),
    )
    paths = base["path"].str.replace_all(r"\[\d+\]", "")
    assert sorted((base["doc"] + paths).to_list()) == expected


def test_vague_structure_changes_nothing(collection):
    for measure in ("nxCG@4", "char_rec", "MAgP", "HiXEval_P@4"):
        vague = score(collection, measure, SHORT, structure="VCAS")
        assert vague == score(collection, measure, SHORT, structure=None)


def test_the_ideal_recall_base_has_elements_on_target_only(collection):
    from doxel.evaluation.inputs.input_tables import as_assessments
    from doxel.recallbases.recall_base_table import recall_base

    base = recall_base(
        as_assessments(GOLD),
        collection,
        ideal=True,
        structure="target=strict",
        topic_file=asking("//p[about(., x)]"),
    )
    assert base["path"].to_list() == [P1, P3, f"{S2}/p[2]"]
    assert base["gain"].to_list() == [1.0, 1.0, 0.5]


def test_topics_without_structure_match_everything(collection):
    gold = [*GOLD, ("2", "a", 0, 200)]
    both = [*SHORT, {"topic": "2", "doc": "a", "path": P1, "rank": 1}]
    topics = Topics.of([Topic("1", castitle="//sec[about(., x)]"), Topic("2", title="trees")])
    result = doxel.evaluate(
        both, gold, ["char_rec"], collection=collection, structure="SVCAS", topic_file=topics
    )
    assert result.scores["score"].to_list() == [pytest.approx(450 / 650), 1.0]
    assert any("1 topic has no query with structure (2)" in message for message in result.warnings)


def test_several_processes_give_the_same_scores(collection, tmp_path):
    lines = [f"1 Q0 a {rank} {9 - rank} r{{}} {path}\n" for rank, path in enumerate((P1, S2, A, S1), 1)]
    files = []
    for number in range(3):
        files.append(tmp_path / f"r{number}.run")
        files[-1].write_text("".join(lines).format(*[number] * 4))
    options = {
        "collection": collection,
        "structure": "SCAS",
        "topic_file": asking("//sec[about(.//p, x)]"),
        "measures": ['nxCG(task="thorough")@2', "char_rec"],
    }
    in_process, in_workers = (doxel.evaluate(files, GOLD, jobs=jobs, **options).scores for jobs in (1, 2))
    assert in_process.equals(in_workers)
    assert in_process["score"].to_list()[0] == pytest.approx(3 / 5)


def test_listed_elements_need_no_collection(tmp_path):
    """Grades of 2003 list their elements, so strict targets need no collection."""
    listed = "".join(
        f'<path path="{path}" exhaustiveness="3" specificity="{grade}"/>'
        for path, grade in ((S1, 3), (P1, 3), (A, 1))
    )
    (tmp_path / "q.xml").write_text(
        f'<assessments topic="1" pool="1"><file file="a">{listed}</file></assessments>'
    )
    options = {"structure": "target=strict", "topic_file": asking("//article[about(., x)]//sec")}
    result = doxel.evaluate(run(P1, S1), tmp_path / "q.xml", ["qR@1,2"], **options)
    assert result.means["score"].to_list() == [0.0, 1.0]
    with pytest.raises(InputError, match="support=strict needs the documents"):
        doxel.evaluate(run(P1), tmp_path / "q.xml", ["qR@1"], **{**options, "structure": "SCAS"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"structure": "target=strict"}, "wanted topics"),
        ({"structure": "strict"}, "wanted target=strict|vague"),
        ({"structure": "target=stric"}, "wanted strict or vague"),
        ({"structure": "scass"}, "did you mean"),
        ({"structure": "target=strict", "topic_file": Topics.of([Topic("2", title="x")])}, "no topic 1"),
        (
            {"structure": "target=strict", "topic_file": asking("//p[about(., x)]"), "sizes": "declared"},
            "declared",
        ),
    ],
)
def test_invalid_structure_options_raise_an_error(collection, options, message):
    with pytest.raises(InputError) as refused:
        doxel.evaluate(SHORT, GOLD, ["char_rec"], collection=collection, **options)
    assert message in str(refused.value)


def test_without_a_collection_there_are_no_elements():
    with pytest.raises(InputError, match="a collection"):
        doxel.evaluate(
            [("1", "a", 0, 5)], GOLD, ["char_rec"], structure="SCAS", topic_file=asking("//p[about(., x)]")
        )


@pytest.mark.parametrize("structure", ["SSCAS", "SVCAS", "VSCAS"])
@pytest.mark.parametrize("query", ["//sec[about(.//@id, x)]", "//sec[.//p > 1]"])
def test_texts_without_elements_match_no_query(structure, query):
    result = doxel.evaluate(
        [("1", "d", 0, 4)],
        [("1", "d", 0, 3)],
        ["char_rec"],
        collection={"d": "some text"},
        structure=structure,
        topic_file=asking(query),
    )
    assert result.means["undefined"].to_list() == [1]


def test_an_invalid_query_raises_an_error_with_its_topic(collection):
    with pytest.raises(QueryError, match="the query of topic 1, character 7"):
        doxel.evaluate(
            SHORT, GOLD, ["char_rec"], collection=collection, structure="SCAS", topic_file=asking("//sec[")
        )


def test_sub_tasks_stand_for_their_interpretation():
    assert {name for name, structure in SUBTASKS.items() if structure.is_vague} == {
        "CO",
        "CO+S",
        "VCAS",
        "VVCAS",
    }
    assert Structure.parse("svcas") == Structure.parse("support=vague, target=strict") == Structure("strict")
    assert Structure.parse(str(Structure("vague", "strict"))) == SUBTASKS["VSCAS"]
