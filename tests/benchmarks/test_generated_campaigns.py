"""Topics and runs over generated collections, checked against the sources with lxml alone."""

import re
from collections import defaultdict
from itertools import pairwise

import pytest
from benchmarks.generator.campaign import write_bare_campaign, write_campaign, write_document_campaign
from lxml import etree

KINDS = ("ieee", "wikipedia")


class Source:
    """A source document as lxml reads it; positions count characters of the text nodes."""

    def __init__(self, path):
        self.root = etree.parse(str(path)).getroot()
        self.text = "".join(self.root.itertext())

    def span(self, path):
        (node,) = self.root.xpath(path)
        before = sum(len(piece) for piece in node.xpath("preceding::text()"))
        return before, before + len("".join(node.itertext()))

    def place(self, path, side):
        element, _, rest = path.partition("/text()[1].")
        start, end = self.span(element)
        if rest:
            (node,) = self.root.xpath(element)
            assert node.xpath("node()[1][self::text()]")  # the first text node starts where the element does
            assert int(rest) <= len(node.xpath("text()")[0])
            return start + int(rest)
        return start if side == "start" else end


@pytest.fixture(params=KINDS)
def generated(request, campaigns):
    folder = campaigns[request.param]
    sources = {path.stem: path for path in (folder / "sources").rglob("*.xml")}
    opened = {}

    def source(doc):
        return opened.setdefault(doc, Source(sources[doc]))

    return folder / "campaign", source


def _qrels(campaign):
    rows = {}
    for line in (campaign / "qrels.txt").read_text("utf-8").splitlines():
        topic, _, doc, rsize, size, *rest = line.split()
        spans = [tuple(map(int, place.split(":"))) for place in rest[1:]]
        bep = int(rest[0]) if rest else None
        rows[topic, doc] = (int(rsize), int(size), bep, [(start, start + length) for start, length in spans])
    return rows


def _run(path):
    rows = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        topic, _, doc, rank, rsv, run, *place = line.split()
        rows[topic].append((doc, int(rank), float(rsv), run, place))
    return rows


def test_spans_of_qrels_are_those_that_the_xml_assessments_name_by_path(generated):
    campaign, source = generated
    qrels = _qrels(campaign)
    files = sorted((campaign / "2006").rglob("pool-*.xml"))
    seen, inside_text = set(), 0
    for path in files:
        root = etree.parse(str(path)).getroot()
        for file in root.iter("file"):
            key = root.get("topic"), file.get("name")
            rsize, size, bep, spans = qrels[key]
            document = source(file.get("name"))
            passages = list(file.iter("passage"))
            places = [
                (document.place(passage.get("start"), "start"), document.place(passage.get("end"), "end"))
                for passage in passages
            ]
            assert places == spans
            assert [end - start for start, end in spans] == [int(passage.get("size")) for passage in passages]
            assert (sum(end - start for start, end in spans), len(document.text)) == (rsize, size)
            assert [
                document.place(entry_point.get("path"), "start")
                for entry_point in file.iter("best-entry-point")
            ] == ([] if bep is None else [bep])
            inside_text += sum("text()" in passage.get("start") + passage.get("end") for passage in passages)
            seen.add(key)
    assert seen == set(qrels)
    assert inside_text > 0  # some highlights begin or end in the middle of a paragraph


def test_highlights_lie_in_their_documents_and_do_not_overlap(generated):
    campaign, _ = generated
    qrels = _qrels(campaign)
    assert any(rsize == 0 for rsize, *_ in qrels.values())  # judged, nothing relevant
    for rsize, size, _, spans in qrels.values():
        assert all(0 <= start < end <= size for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        assert bool(spans) == bool(rsize)


def test_grades_of_2005_stand_at_elements_with_that_much_relevant_text(generated):
    campaign, source = generated
    qrels = _qrels(campaign)
    path = min((campaign / "2005").rglob("pool-*.xml"))
    root = etree.parse(str(path)).getroot()
    checked = 0
    for file in list(root.iter("file"))[:40]:
        spans = qrels[root.get("topic"), file.get("name")][3]
        for element in file.iter("element"):
            start, end = source(file.get("name")).span(element.get("path"))
            rsize = sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in spans)
            assert (int(element.get("size")), int(element.get("rsize"))) == (end - start, rsize)
            assert element.get("exhaustivity") in {"?", "1", "2"}
            checked += 1
    assert checked >= 8


def test_a_fol_run_holds_the_text_of_the_elements_of_the_path_run(generated):
    campaign, source = generated
    for path in sorted((campaign / "focused").glob("*.run")):
        elements, spans = _run(path), _run(campaign / "fol" / path.name)
        assert list(elements) == list(spans)
        for topic, results in elements.items():
            for (doc, *same, (where,)), (fol_doc, *fol_same, (offset, length)) in zip(
                results[:25], spans[topic][:25], strict=True
            ):
                assert (doc, same) == (fol_doc, fol_same)
                (node,) = source(doc).root.xpath(where)
                text = source(doc).text[int(offset) : int(offset) + int(length)]
                assert text == "".join(node.itertext())
                assert source(doc).span(where) == (int(offset), int(offset) + int(length))


def _overlapping(results):
    """Count results that share text with an earlier one, from offsets and lengths."""
    seen = defaultdict(list)
    count = 0
    for doc, _, _, _, (offset, length) in results:
        start, end = int(offset), int(offset) + int(length)
        count += any(start < stop and begin < end for begin, stop in seen[doc])
        seen[doc].append((start, end))
    return count


def test_focused_runs_do_not_overlap_and_thorough_ones_do(generated):
    campaign, _ = generated
    for path in sorted((campaign / "fol").glob("*.run")):
        assert sum(_overlapping(results) for results in _run(path).values()) == 0
    nested = 0
    for results in _run(campaign / "thorough" / "run-00.run").values():
        places = [(doc, where) for doc, _, _, _, (where,) in results]
        assert len(set(places)) == len(places)
        returned = set(places)
        nested += sum(
            (doc, where[: step.start()]) in returned
            for doc, where in places
            for step in re.finditer("/", where)
        )
    assert nested > 0


def test_ranks_count_from_one_and_scores_fall(generated):
    campaign, _ = generated
    for path in sorted(campaign.rglob("*.run")):
        for results in _run(path).values():
            assert [rank for _, rank, *_ in results] == list(range(1, len(results) + 1))
            assert all(one[2] >= other[2] for one, other in pairwise(results))
            assert {run for _, _, _, run, _ in results} == {path.stem}


def test_a_run_in_xml_holds_the_results_of_the_run_in_columns(generated):
    campaign, _ = generated
    root = etree.parse(str(campaign / "xml" / "run-01.xml")).getroot()
    assert (root.get("run-id"), root.get("task")) == ("run-01", "Thorough")
    written = {
        topic.get("topic-id"): [
            (
                result.findtext("file"),
                int(result.findtext("rank")),
                float(result.findtext("rsv")),
                result.findtext("path"),
            )
            for result in topic.iter("result")
        ]
        for topic in root.iter("topic")
    }
    columns = _run(campaign / "thorough" / "run-01.run")
    assert written == {
        topic: [(doc, rank, rsv, where) for doc, rank, rsv, _, (where,) in results]
        for topic, results in columns.items()
    }


def _relevant_share(campaign, name):
    """Return the share of the characters of the first 50 results that is highlighted."""
    qrels = _qrels(campaign)
    inside = size = 0
    for topic, results in _run(campaign / "fol" / name).items():
        for doc, _, _, _, (offset, length) in results[:50]:
            start, end = int(offset), int(offset) + int(length)
            spans = qrels.get((topic, doc), (0, 0, None, []))[3]
            inside += sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in spans)
            size += end - start
    return inside / size


def test_systems_differ_in_quality_and_none_is_perfect(generated):
    campaign, _ = generated
    best, worst = _relevant_share(campaign, "run-00.run"), _relevant_share(campaign, "run-02.run")
    assert 0.95 > best > 1.3 * worst > 0


def _files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_campaigns_are_the_same_from_the_same_seed(campaigns, tmp_path):
    sizes = {"topic_count": 2, "runs": 2, "results": 40}
    collection = campaigns["ieee"] / "collection"
    for name, seed in (("one", 3), ("again", 3), ("other", 4)):
        write_campaign(tmp_path / name, collection, relevant=5, seed=seed, **sizes)
        write_bare_campaign(tmp_path / f"bare-{name}", documents=2_000, seed=seed, **sizes)
    for prefix in ("", "bare-"):
        first = _files(tmp_path / f"{prefix}one")
        assert first == _files(tmp_path / f"{prefix}again")
        other = _files(tmp_path / f"{prefix}other")
        assert all(first[name] != other[name] for name in first.keys() & other.keys())


def test_a_campaign_without_a_collection_is_whole_and_without_overlap(tmp_path):
    write_bare_campaign(tmp_path / "bare", topic_count=4, runs=3, results=1_500, documents=20_000)
    campaign = tmp_path / "bare"
    qrels = _qrels(campaign)
    for rsize, size, bep, spans in qrels.values():
        assert all(0 <= start < end <= size for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        assert sum(end - start for start, end in spans) == rsize
        assert bep == (spans[0][0] if spans else None)
    for path in sorted((campaign / "fol").glob("*.run")):
        run = _run(path)
        assert [len(results) for results in run.values()] == [1_500] * 4
        assert sum(_overlapping(results) for results in run.values()) == 0
        for topic, results in run.items():
            for doc, _, _, _, (offset, length) in results:
                assert int(length) > 0
                if (topic, doc) in qrels:
                    assert int(offset) + int(length) <= qrels[topic, doc][1]
    shares = [_relevant_share(campaign, f"run-0{number}.run") for number in range(3)]
    assert shares == sorted(shares, reverse=True)
    assert 0 < shares[2] < shares[0] < 0.95


def test_rankings_of_documents_have_judged_ones_among_them(tmp_path):
    sizes = {"topic_count": 3, "runs": 2, "results": 50, "judged": 40, "documents": 1_000}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_document_campaign(tmp_path / name, seed=seed, **sizes)
    files = ("qrels.txt", "trec/run-00.run", "trec/run-01.run")
    contents = {name: [(tmp_path / name / file).read_bytes() for file in files] for name in "abc"}
    assert contents["a"] == contents["b"] != contents["c"]
    qrels = [line.split() for line in contents["a"][0].decode().splitlines()]
    assert len(qrels) == 3 * 40
    assert {grade for *_, grade in qrels} == {"0", "1", "2"}
    judged = {(topic, doc) for topic, _, doc, _ in qrels}
    assert len(judged) == len(qrels)
    for run in contents["a"][1:]:
        results = [line.split() for line in run.decode().splitlines()]
        assert [int(rank) for _, _, _, rank, _, _ in results] == [*range(1, 51)] * 3
        pairs = [(topic, doc) for topic, _, doc, *_ in results]
        assert len(set(pairs)) == len(pairs)
        assert 0 < len(judged & set(pairs)) < len(pairs)
