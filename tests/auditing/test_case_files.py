"""Cases as tables and as files of every format that can hold them."""

import pytest

from doxel.assessments.assessment_files import read_assessments
from doxel.auditing.audit_cases import AuditCase, Passage
from doxel.auditing.case_files import build_assessments, build_run, find_case_format
from doxel.errors import InputError
from doxel.runs.result_order import order_results
from doxel.runs.run_files import read_run

GOLD = (Passage("1", "d1", 0, 3), Passage("1", "d1", 2, 5), Passage("2", "d2", 4, 6))
RESULTS = (Passage("1", "d3", 0, 2), Passage("1", "d1", 1, 4), Passage("2", "d2", 0, 9))
CASE = AuditCase(GOLD, RESULTS, judged=(("1", "d3"),))


@pytest.mark.parametrize("name", ["jsonl", "fol", "qrels:jsonl", "qrels"])
@pytest.mark.parametrize("shuffle", [0, 3])
def test_gold_and_run_are_read_back_from_files_of_spans(name, shuffle, tmp_path):
    case = AuditCase(GOLD, RESULTS, judged=(("1", "d3"),), shuffle=shuffle)
    case_format = find_case_format(name)
    assert case_format.shape == "spans"
    assert case_format.states_judged
    gold, run = case_format.write(case, tmp_path)
    highlights = read_assessments(gold).highlights.select("topic", "doc", "start", "end")
    assert sorted(highlights.iter_rows()) == sorted(GOLD)
    assert ("1", "d3") in read_assessments(gold).judged.select("topic", "doc").iter_rows()
    ordered = order_results(read_run(run).results).sort("topic", "position")
    assert list(ordered.select("topic", "doc", "start", "end").iter_rows()) == list(RESULTS)


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("bioasq", {"d1": "d1/abstract", "d2": "d2/abstract", "d3": "d3/abstract"}),
        ("genomics", {"d1": "1001", "d2": "1002", "d3": "1003"}),
    ],
)
def test_files_of_campaigns_hold_the_same_passages(name, documents, tmp_path):
    case_format = find_case_format(name)
    assert not case_format.states_judged
    gold, run = case_format.write(AuditCase(GOLD, RESULTS), tmp_path)
    highlights = read_assessments(gold).highlights.select("topic", "doc", "start", "end")
    expected = [
        [passage._replace(doc=documents[passage.doc]) for passage in side] for side in (GOLD, RESULTS)
    ]
    assert sorted(highlights.iter_rows()) == sorted(expected[0])
    ordered = order_results(read_run(run).results).sort("topic", "position")
    assert list(ordered.select("topic", "doc", "start", "end").iter_rows()) == expected[1]


@pytest.mark.parametrize("name", ["trec", "run-json", "msmarco"])
def test_gold_and_run_are_read_back_from_files_of_documents(name, tmp_path):
    case = AuditCase(GOLD[::2], RESULTS, judged=(("1", "d3"),), shape="documents")
    case_format = find_case_format(name)
    assert case_format.shape == "documents"
    gold, run = case_format.write(case, tmp_path)
    grades = read_assessments(gold).judged.select("topic", "doc", "grade")
    assert set(grades.iter_rows()) == {("1", "d1", 1.0), ("1", "d3", 0.0), ("2", "d2", 1.0)}
    ordered = order_results(read_run(run).results).sort("topic", "position")
    assert list(ordered.select("topic", "doc").iter_rows()) == [result[:2] for result in RESULTS]


def test_shuffled_lines_are_in_another_order_in_the_file(tmp_path):
    results = tuple(Passage("1", "d1", place, place + 1) for place in range(6))
    lines = set()
    for shuffle in (0, 1):
        _, run = find_case_format("fol").write(AuditCase(GOLD, results, shuffle=shuffle), tmp_path)
        lines.add(run.read_bytes())
    first, second = lines
    assert first != second
    assert sorted(first.splitlines()) == sorted(second.splitlines())


def test_lines_without_ranks_keep_the_order_of_the_ranking():
    results = tuple(Passage(topic, "d1", place, place + 1) for topic in "12" for place in range(4))
    orders = set()
    for shuffle in range(4):
        rows = build_run([("", AuditCase(GOLD, results, shuffle=shuffle))], is_ranked=False).results
        assert rows["rank"].null_count() == rows.height
        for topic in "12":
            assert rows.filter(topic=topic)["start"].to_list() == [0, 1, 2, 3]
        orders.add(rows["topic"][0])
    assert orders == {"1", "2"}


def test_cases_are_the_topics_of_one_run():
    named = [("a.", CASE), ("b.", CASE)]
    assert set(build_run(named).topics) == {"a.1", "a.2", "b.1", "b.2"}
    assert set(build_assessments(named).topics) == {"a.1", "a.2", "b.1", "b.2"}
    docs = build_run(named, own_documents=True).results["doc"]
    assert docs.n_unique() == len(docs)
    assert set(build_assessments(named, own_documents=True).highlights["doc"]) <= {
        "a.1-d1",
        "b.1-d1",
        "a.2-d2",
        "b.2-d2",
    }


def test_elements_are_paragraphs_and_points_are_entry_points():
    gold = (Passage("1", "d1", 2, 3), Passage("1", "d1", 1, 2))
    elements = [("", AuditCase(gold, gold, shape="elements"))]
    assert build_run(elements).results["path"].to_list() == ["/article[1]/p[3]", "/article[1]/p[2]"]
    assert build_assessments(elements).highlights["start"].to_list() == [10, 5]
    points = [("", AuditCase(gold, gold, shape="points"))]
    assert build_run(points).results["end"].null_count() == 2
    assert build_assessments(points).beps["position"].to_list() == [1]
    articles = [("", AuditCase(gold[:1], gold[:1], shape="articles"))]
    assert build_run(articles).results["path"].to_list() == ["/article[1]"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "the format of cases: wanted .*jsonl.*, or GOLD:RUN, found 'nothing'"),
        ("paths", "the format of cases"),
        ("qrels:bep", "wanted runs of spans or of whole documents, found bep"),
    ],
)
def test_a_format_that_cannot_hold_cases_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        find_case_format(name)
