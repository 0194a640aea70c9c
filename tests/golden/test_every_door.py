"""One campaign handed over in every way gives the same digits: those of tuples.

The campaign is the bundled handbook as Markdown with its highlights as spans.  The run has, for each
highlight, a chunk that begins somewhat before it, and a chunk from elsewhere.
"""

import json
import math

import pandas as pd
import polars as pl
import pytest

import doxel
from adapters.handbook_chunks import MEASURES, Campaign, score
from adapters.library_objects import (
    Chunk,
    Dataset,
    HaystackDocument,
    LangChainDocument,
    NodeWithScore,
    RagasDataset,
    RagasSample,
    ScoredPoint,
    SourceNode,
    TextNode,
    chroma,
)
from alignment.variants import HARMLESS
from random_share import take_some

UUID = "0e3b8a5e-9f0b-4c7e-8d57-1f6ac0a5b0a1"


@pytest.fixture(scope="module")
def campaign():
    return Campaign()


@pytest.fixture(scope="module")
def reference(campaign):
    scores = score([row[:4] for row in campaign.run], campaign)
    assert (
        0.2
        < doxel.evaluate([row[:4] for row in campaign.run], campaign.gold, "char_rec@5").means["score"][0]
        < 0.9
    )
    return scores


def langchain(row, **metadata):
    return LangChainDocument(row["text"], metadata)


def columns(names, rows):
    """Return the rows with other names."""
    return [{new: row[old] for old, new in names.items()} for row in rows]


PLACES = {"topic": "qid", "doc": "docno", "start": "start_index", "end": "end_index", "text": "page_content"}
FRAMES = [
    {**PLACES, "rank": "rank"},
    {"topic": "query_id", "doc": "doc_id", "start": "start", "end": "end", "rank": "rank"},
    {
        "topic": "query-id",
        "doc": "corpus-id",
        "start": "start_char_idx",
        "end": "end_char_idx",
        "rank": "Rank",
    },
    {"topic": "q_id", "doc": "document_id", "start": "offset", "text": "content", "rank": "rank"},
    {"topic": "question", "text": "content", "rank": "rank"},
    {"topic": "query", "doc": "source", "text": "contents", "rank": "rank"},
]

DOORS = {
    "tuples by topic": lambda c: c.by_topic(lambda row: (row["doc"], row["start"], row["end"])),
    "dicts": lambda c: c.rows(),
    "dicts by topic": lambda c: c.by_topic(lambda row: {key: row[key] for key in ("doc", "start", "end")}),
    "texts by topic": lambda c: c.by_topic(lambda row: row["text"]),
    "LangChain": lambda c: c.by_topic(
        lambda row: langchain(row, source=row["doc"], start_index=row["start"])
    ),
    "LangChain with a path": lambda c: c.by_topic(
        lambda row: langchain(row, source=f"/data/hb/{row['doc']}.md")
    ),
    "LangChain with a path of Windows": lambda c: c.by_topic(
        lambda row: langchain(row, source=f"C:\\data\\{row['doc']}.md", start_index=row["start"])
    ),
    "LangChain without a source": lambda c: c.by_topic(langchain),
    "LangChain that lost its chunk": lambda c: c.by_topic(
        lambda row: langchain(row, source=row["doc"] + ".pdf", start_index=-1)
    ),
    "LangChain with distances": lambda c: c.by_topic(
        lambda row: (langchain(row, source=row["doc"], start_index=row["start"]), 0.01 * row["rank"])
    ),
    "LlamaIndex": lambda c: c.by_topic(
        lambda row: NodeWithScore(
            TextNode(row["text"], row["start"], row["end"], UUID, file_name=row["doc"] + ".md"), 0.5
        )
    ),
    "LlamaIndex with ids": lambda c: c.by_topic(
        lambda row: TextNode(row["text"], row["start"], row["end"], row["doc"])
    ),
    "LlamaIndex with a path": lambda c: c.by_topic(
        lambda row: TextNode(
            row["text"], doc=UUID, file_path=f"/srv/{row['doc']}.md", file_name=row["doc"] + ".md"
        )
    ),
    "LlamaIndex with its source's name": lambda c: c.by_topic(
        lambda row: TextNode(
            row["text"], row["start"], row["end"], UUID, SourceNode({"file_name": row["doc"]})
        )
    ),
    "LlamaIndex with random ids alone": lambda c: c.by_topic(lambda row: TextNode(row["text"], doc=UUID)),
    "Haystack": lambda c: c.by_topic(
        lambda row: HaystackDocument(
            row["text"],
            {"file_path": f"hb/{row['doc']}.md", "source_id": "ab" * 32, "split_idx_start": row["start"]},
            score=1 / row["rank"],
        )
    ),
    "Haystack without offsets": lambda c: c.by_topic(
        lambda row: HaystackDocument(row["text"], {"source_id": "ab" * 32})
    ),
    "Haystack pipeline": lambda c: {
        topic: {"documents": documents}
        for topic, documents in c.by_topic(
            lambda row: HaystackDocument(row["text"], {"name": row["doc"]}, id=row["doc"])
        ).items()
    },
    "Qdrant": lambda c: c.by_topic(
        lambda row: ScoredPoint({"source": row["doc"], "start": row["start"], "text": row["text"]}, 0.5)
    ),
    "chonkie": lambda c: c.by_topic(lambda row: Chunk(row["text"], row["start"], row["end"])),
    "Elasticsearch": lambda c: {
        topic: {"hits": {"total": 9, "hits": hits}}
        for topic, hits in c.by_topic(
            lambda row: {
                "_id": f"c{row['start']}",
                "_score": 1 / row["rank"],
                "_source": {"file_name": row["doc"], "content": row["text"]},
            }
        ).items()
    },
    "Chroma by topic": lambda c: {topic: chroma([rows]) for topic, rows in c.by_topic(_quadruple).items()},
    "Chroma in one query": lambda c: _order_by_gold(c, c.by_topic(_quadruple), chroma),
    "Chroma with topics": lambda c: {
        **chroma(list(c.by_topic(_quadruple).values())),
        "topics": list(c.by_topic(_quadruple)),
    },
    "lists in the order of the gold": lambda c: _order_by_gold(
        c, c.by_topic(lambda row: langchain(row, source=row["doc"])), lambda lists: lists
    ),
    "ragas rows": lambda c: [
        {"user_input": topic, "retrieved_contexts": texts} for topic, texts in c.by_topic(_text).items()
    ],
    "ragas samples": lambda c: RagasDataset(
        [RagasSample(topic, texts) for topic, texts in c.by_topic(_text).items()]
    ),
    "ragas columns": lambda c: Dataset(
        {"user_input": list(c.by_topic(_text)), "retrieved_contexts": list(c.by_topic(_text).values())}
    ),
    "columns": lambda c: pl.DataFrame(columns(FRAMES[0], c.rows())).to_dict(as_series=False),
    "Hugging Face": lambda c: Dataset(pl.DataFrame(columns(FRAMES[0], c.rows())).to_dict(as_series=False)),
    "nested metadata": lambda c: [
        {
            "qid": row["topic"],
            "page_content": row["text"],
            "metadata": {"source": row["doc"], "start_index": row["start"]},
        }
        for row in c.rows()
    ],
    "distances": lambda c: [
        {"qid": row["topic"], "docno": row["doc"], "content": row["text"], "_distance": float(row["rank"])}
        for row in reversed(c.rows())
    ],
    "similarities": lambda c: [
        {"qid": row["topic"], "docno": row["doc"], "content": row["text"], "similarity": 1 / row["rank"]}
        for row in reversed(c.rows())
    ],
    **{
        f"pandas {number}": lambda c, names=names: pd.DataFrame(columns(names, c.rows()))
        for number, names in enumerate(FRAMES)
    },
    **{
        f"polars {number}": lambda c, names=names: pl.DataFrame(columns(names, c.rows()))
        for number, names in enumerate(FRAMES)
    },
}


def _text(row):
    return row["text"]


def _quadruple(row):
    return row["doc"], row["start"], row["end"], row["text"]


def _order_by_gold(campaign, lists, build):
    return build([lists.get(topic, []) for topic in campaign.topics()])


@pytest.mark.parametrize("door", DOORS)
def test_a_run_scores_like_its_tuples_through_every_door(door, campaign, reference):
    assert score(DOORS[door](campaign), campaign) == reference


class TestProvider:
    """The same campaign through ir_measures, whose provider is ``doxel.ir_measures``."""

    @pytest.fixture
    def provider(self):
        provider = pytest.importorskip("doxel.ir_measures")
        yield provider
        provider.configure()

    @staticmethod
    def score(provider, qrels, run):
        """Return the scores by topic and measure, in the order of ``handbook_chunks.score``.

        A measure that does not accept the run has no scores there, and NaN here.
        """
        import ir_measures

        measures = [provider.as_ir_measure(name) for name in MEASURES]
        metrics = ir_measures.iter_calc(measures, qrels, run)
        ordered = sorted(metrics, key=lambda metric: (metric.query_id, str(metric.measure)))
        return [metric.value for metric in ordered if not math.isnan(metric.value)]

    def test_frames_with_spans(self, provider, campaign, reference):
        names = ["query_id", "doc_id", "start", "end"]
        qrels = pd.DataFrame(campaign.gold, columns=names).assign(relevance=1)
        run = pd.DataFrame([row[:4] for row in campaign.run], columns=names)
        run["score"] = [1 / row[4] for row in campaign.run]
        provider.configure(collection=campaign.texts)
        assert self.score(provider, qrels, run) == reference

    def test_dictionaries_with_ids_of_passages(self, provider, campaign, reference):
        qrels, run = {}, {}
        for topic, doc, start, end in campaign.gold:
            qrels.setdefault(topic, {})[f"{doc}:{start}-{end}"] = 1
        for topic, doc, start, end, rank in campaign.run:
            run.setdefault(topic, {})[f"{doc}:{start}-{end}"] = 1 / rank
        provider.configure(collection=campaign.texts, passage_ids=True)
        assert self.score(provider, qrels, run) == reference

    def test_the_means_are_those_of_an_evaluation(self, provider, campaign):
        import ir_measures

        names = ["query_id", "doc_id", "start", "end"]
        qrels = pd.DataFrame(campaign.gold, columns=names).assign(relevance=1)
        run = pd.DataFrame([row[:4] for row in campaign.run], columns=names)
        run["score"] = [1 / row[4] for row in campaign.run]
        provider.configure(collection=campaign.texts)
        measures = [provider.as_ir_measure(name) for name in MEASURES]
        means = doxel.evaluate(
            [row[:4] for row in campaign.run], campaign.gold, MEASURES, collection=campaign.texts
        ).means
        aggregated = ir_measures.calc_aggregate(measures, qrels, run)
        assert {str(name): mean for name, mean in aggregated.items() if not math.isnan(mean)} == dict(
            means.select("measure", "score").iter_rows()
        )


WITHOUT_TEXTS = [
    *("tuples by topic", "dicts", "dicts by topic", "LangChain", "LangChain with distances", "LlamaIndex"),
    *("LlamaIndex with ids", "LlamaIndex with its source's name", "Haystack", "Qdrant", "Chroma by topic"),
    *(
        "Chroma in one query",
        "columns",
        "Hugging Face",
        "nested metadata",
        "pandas 0",
        "polars 1",
        "pandas 2",
    ),
    *("LangChain with a path of Windows",),
]


@pytest.mark.parametrize("door", WITHOUT_TEXTS)
def test_documents_with_offsets_need_no_collection(door, campaign):
    expected = score([row[:4] for row in campaign.run], campaign, collection=None)
    assert score(DOORS[door](campaign), campaign, collection=None) == expected


GOLD = {
    "texts": lambda c: [{"qid": t, "docno": d, "content": c.texts[d][s:e]} for t, d, s, e in c.gold],
    "frames": lambda c: pd.DataFrame(
        [{"query_id": t, "document_id": f"{d}.md", "start_index": s, "end_index": e} for t, d, s, e in c.gold]
    ),
    "offsets and texts": lambda c: [
        {"qid": t, "source": d, "start_index": s, "page_content": c.texts[d][s:e]} for t, d, s, e in c.gold
    ],
    "LangChain": lambda c: {
        topic: [
            LangChainDocument(c.texts[d][s:e], {"source": f"/x/{d}.md", "start_index": s})
            for t, d, s, e in c.gold
            if t == topic
        ]
        for topic in c.topics()
    },
    "questions of Chroma": lambda c: pd.DataFrame(
        [
            {
                "question": f"What about {topic}?",
                "references": json.dumps(
                    [
                        {"content": c.texts[d][s:e], "start_index": s, "end_index": e}
                        for t, d, s, e in c.gold
                        if (t, d) == (topic, doc)
                    ]
                ),
                "corpus_id": doc,
                "query_id": topic,
            }
            for topic, doc in dict.fromkeys((t, d) for t, d, _, _ in c.gold)
        ]
    ),
}


@pytest.mark.parametrize("door", GOLD)
def test_gold_scores_like_its_tuples_through_every_door(door, campaign, reference):
    assert score([row[:4] for row in campaign.run], campaign, gold=GOLD[door](campaign)) == reference


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_changes_of_texts_with_offsets_do_not_change_the_score(name, campaign, reference):
    changed = Campaign()
    changed.rows = lambda: [{**row, "text": HARMLESS[name](row["text"])} for row in campaign.rows()]
    assert score(DOORS["LlamaIndex"](changed), campaign) == reference


@pytest.mark.parametrize("name", take_some(["lower case", "HTML", "joined lines", "a Markdown heading"], 1))
@pytest.mark.parametrize("door", ["LangChain", "Haystack without offsets", "Chroma by topic", "ragas rows"])
def test_changed_texts_score_nearly_alike_through_other_doors(name, door, campaign, reference):
    """Not exactly, because the end of such a chunk follows from its text."""
    changed = Campaign()
    changed.rows = lambda: [{**row, "text": HARMLESS[name](row["text"])} for row in campaign.rows()]
    place = sorted(MEASURES).index("char_rec@5")
    means = [
        sum(scores[place :: len(MEASURES)]) / len(campaign.topics())
        for scores in (score(DOORS[door](changed), campaign), reference)
    ]
    assert means[0] == pytest.approx(means[1], abs=0.01)
