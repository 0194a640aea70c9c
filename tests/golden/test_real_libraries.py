"""The objects of the real libraries score like tuples; each library is skipped where it is missing."""

import asyncio

import pytest

import doxel
from adapters.handbook_chunks import MEASURES, Campaign, score
from adapters.running_loops import run_loop
from doxel.errors import InputError

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def campaign():
    return Campaign()


@pytest.fixture(scope="module")
def reference(campaign):
    return score([row[:4] for row in campaign.run], campaign)


class TestLangChain:
    @pytest.fixture
    def documents(self):
        return pytest.importorskip("langchain_core.documents")

    def test_documents_with_start_index(self, documents, campaign, reference):
        run = campaign.by_topic(
            lambda row: documents.Document(
                page_content=row["text"],
                metadata={"source": f"/data/{row['doc']}.md", "start_index": row["start"]},
            )
        )
        assert score(run, campaign) == reference
        assert score(run, campaign, collection=None) == score(
            [row[:4] for row in campaign.run], campaign, collection=None
        )

    def test_pairs_with_scores_and_no_offsets(self, documents, campaign, reference):
        run = campaign.by_topic(
            lambda row: (documents.Document(page_content=row["text"], metadata={"source": row["doc"]}), 0.1)
        )
        assert score(run, campaign) == reference

    def test_a_retriever_is_asked_directly_and_asynchronously(self, documents, campaign, reference):
        retrievers = pytest.importorskip("langchain_core.retrievers")
        answers = campaign.by_topic(
            lambda row: documents.Document(page_content=row["text"], metadata={"source": row["doc"]})
        )

        class Retriever(retrievers.BaseRetriever):
            def _get_relevant_documents(self, query, *, run_manager):  # noqa: ARG002 -- the library's interface
                return answers[query]

        class AsyncRetriever(retrievers.BaseRetriever):
            def _get_relevant_documents(self, query, *, run_manager):
                raise NotImplementedError

            async def _aget_relevant_documents(self, query, *, run_manager):  # noqa: ARG002
                await asyncio.sleep(0)
                return answers[query]

        for retriever in (Retriever(), AsyncRetriever()):
            run = doxel.run_retriever(retriever, list(answers), k=100)
            assert score(run, campaign) == reference

    def test_a_splitter_in_memory_finds_its_chunks(self, documents):
        vectorstores = pytest.importorskip("langchain_core.vectorstores")
        embeddings = pytest.importorskip("langchain_core.embeddings.fake")
        store = vectorstores.InMemoryVectorStore(embeddings.DeterministicFakeEmbedding(size=8))
        texts = {"a": "The gate is open.", "b": "The lamp is red."}
        store.add_documents(
            [documents.Document(page_content=text, metadata={"source": doc}) for doc, text in texts.items()]
        )
        gold = {"The gate is open.": [("a", 0, 17)]}
        run = doxel.run_retriever(store.as_retriever(search_kwargs={"k": 2}), list(gold))
        assert doxel.evaluate(run, gold, "char_rec@1,2", collection=texts).scores["score"].to_list()[1] == 1
        pairs = {q: store.similarity_search_with_score(q, k=2) for q in gold}
        assert doxel.evaluate(pairs, gold, "char_rec@2", collection=texts).scores["score"].to_list() == [1]


class TestLlamaIndex:
    @pytest.fixture
    def schema(self):
        return pytest.importorskip("llama_index.core.schema")

    def test_nodes_with_scores(self, schema, campaign, reference):
        def build(row):
            relationships = {
                schema.NodeRelationship.SOURCE: schema.RelatedNodeInfo(
                    node_id="5a8c46b6-5d7d-4b69-9a6f-3b9c8f6f1b11"
                )
            }
            node = schema.TextNode(
                text=row["text"],
                start_char_idx=row["start"],
                end_char_idx=row["end"],
                metadata={"file_name": f"{row['doc']}.md", "file_path": f"/data/{row['doc']}.md"},
                relationships=relationships,
            )
            return schema.NodeWithScore(node=node, score=1 / row["rank"])

        run = campaign.by_topic(build)
        assert score(run, campaign) == reference
        assert score(run, campaign, collection=None) == score(
            [row[:4] for row in campaign.run], campaign, collection=None
        )

    def test_nodes_of_a_parser(self, schema, campaign):
        """The parser's own offsets and ids; the whole handbook retrieved has recall 1."""
        parsers = pytest.importorskip("llama_index.core.node_parser")
        splitter = parsers.SentenceSplitter(chunk_size=128, chunk_overlap=16)
        nodes = splitter.get_nodes_from_documents(
            [schema.Document(text=text, metadata={"file_name": doc}) for doc, text in campaign.texts.items()]
        )
        assert all(node.ref_doc_id not in campaign.texts for node in nodes)
        run = dict.fromkeys(campaign.topics()[:3], nodes)
        gold = [row for row in campaign.gold if row[0] in run]
        result = doxel.evaluate(run, gold, "char_rec", collection=campaign.texts)
        assert result.means["score"][0] > 0.999
        assert result.alignments.filter(result.alignments["how"] == "unplaced").height == 0

    def test_retrievers_and_their_coroutines(self, schema):
        base = pytest.importorskip("llama_index.core.base.base_retriever")
        node = schema.NodeWithScore(node=schema.TextNode(text="The gate is open."), score=0.5)

        class Retriever(base.BaseRetriever):
            def _retrieve(self, query_bundle):  # noqa: ARG002 -- the library's interface
                return [node]

        gold = {"Is it open?": [("a", 0, 17)]}
        run = doxel.run_retriever(Retriever(), list(gold))
        texts = {"a": "The gate is open."}
        assert doxel.evaluate(run, gold, "char_rec", collection=texts).scores["score"].to_list() == [1]

        async def in_a_notebook():
            return doxel.run_retriever(Retriever().aretrieve, list(gold))

        assert run_loop(in_a_notebook()) == run


class TestHaystack:
    def test_documents(self, campaign, reference):
        haystack = pytest.importorskip("haystack")
        run = campaign.by_topic(
            lambda row: haystack.Document(
                content=row["text"],
                meta={
                    "file_path": f"{row['doc']}.md",
                    "split_idx_start": row["start"],
                    "source_id": "ab" * 32,
                },
                score=1 / row["rank"],
            )
        )
        assert score(run, campaign) == reference

    def test_a_splitter_and_a_retriever(self, campaign):
        haystack = pytest.importorskip("haystack")
        preprocessors = pytest.importorskip("haystack.components.preprocessors")
        stores = pytest.importorskip("haystack.document_stores.in_memory")
        retrievers = pytest.importorskip("haystack.components.retrievers.in_memory")
        splitter = preprocessors.DocumentSplitter(split_by="word", split_length=60)
        documents = [
            haystack.Document(content=text, meta={"file_name": doc}) for doc, text in campaign.texts.items()
        ]
        chunks = splitter.run(documents=documents)["documents"]
        store = stores.InMemoryDocumentStore()
        store.write_documents(chunks)
        retriever = retrievers.InMemoryBM25Retriever(store, top_k=10)
        questions = {"q": "expected search length of a ranking"}
        run = doxel.run_retriever(retriever, questions, k=5)
        spans = [
            (document.meta["file_name"], start, start + len(document.content))
            for document in run["q"]
            for start in [document.meta["split_idx_start"]]
        ]
        assert len(spans) == 5
        gold = {"q": spans[:1]}
        scores = doxel.evaluate(run, gold, "char_rec@1", collection=campaign.texts).scores["score"].to_list()
        assert scores == [1]


def _columns(campaign):
    rows = campaign.rows()
    names = {"topic": "qid", "doc": "docno", "start": "start_index", "end": "end_index", "rank": "rank"}
    return {new: [row[old] for row in rows] for old, new in names.items()}


def test_data_sets_of_hugging_face(campaign, reference):
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict(_columns(campaign))
    assert score(dataset, campaign) == reference
    shuffled = dataset.shuffle(seed=1)
    assert score(shuffled, campaign) == reference
    splits = datasets.DatasetDict({"mine": dataset})
    assert doxel.evaluate(splits, campaign.gold, "char_rec").means["run"].to_list() == ["mine"]
    ragas = datasets.Dataset.from_dict(
        {
            "user_input": list(campaign.by_topic(dict)),
            "retrieved_contexts": [
                [row["text"] for row in rows] for rows in campaign.by_topic(dict).values()
            ],
        }
    )
    assert score(ragas, campaign) == reference


def test_arrow_tables(campaign, reference):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(_columns(campaign))
    assert score(table, campaign) == reference
    assert score(table.to_reader(), campaign) == reference


def test_frames_with_arrow_types(campaign, reference):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(_columns(campaign))
    assert score(frame, campaign) == reference
    assert score(frame.convert_dtypes(), campaign) == reference
    assert score(frame.astype({"qid": "category", "docno": "category"}), campaign) == reference


GRADES = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
SCORES = {"q1": {"b": 0.9, "c": 0.8, "a": 0.7}, "q2": {"z": 2.5, "a": 1.5}}


def _documents(run, gold):
    return doxel.evaluate(run, gold, "AP, nDCG@10, P@2, RR").scores["score"].to_list()


def test_ranx(campaign):
    del campaign
    ranx = pytest.importorskip("ranx")
    assert _documents(ranx.Run(SCORES), ranx.Qrels(GRADES)) == _documents(SCORES, GRADES)
    figures = ranx.evaluate(ranx.Qrels(GRADES), ranx.Run(SCORES), ["map", "mrr"])
    means = dict(doxel.evaluate(SCORES, GRADES, "AP, RR").means.select("measure", "score").iter_rows())
    assert means == pytest.approx({"AP": figures["map"], "RR": figures["mrr"]})


def test_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel(q, d, g) for q, docs in GRADES.items() for d, g in docs.items()]
    run = [ir_measures.ScoredDoc(q, d, s) for q, docs in SCORES.items() for d, s in docs.items()]
    assert _documents(run, qrels) == _documents(SCORES, GRADES)
    figures = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.nDCG @ 10], qrels, run)
    means = dict(doxel.evaluate(run, qrels, "AP, nDCG@10").means.select("measure", "score").iter_rows())
    assert means == pytest.approx({str(measure): figure for measure, figure in figures.items()})


def test_an_ambiguous_file_name_is_an_error():
    schema = pytest.importorskip("llama_index.core.schema")
    node = schema.TextNode(text="abc", start_char_idx=0, end_char_idx=3, metadata={"file_name": "notes.md"})
    texts = {"a/notes.md": "abc def", "b/notes.md": "abc"}
    with pytest.raises(
        InputError, match=r"document .notes\.md.: wanted a name that matches one document, found 2"
    ):
        doxel.evaluate({"q": [node]}, [("q", "a/notes.md", 0, 3)], "char_rec", collection=texts)


class TestPyTerrier:
    """Frames in ``pt.Experiment`` score like tuples; without transformers it needs no Java."""

    @pytest.fixture
    def experiment(self):
        return pytest.importorskip("pyterrier").Experiment

    @pytest.fixture
    def frames(self, campaign):
        """Return topics, assessments and run as PyTerrier names their columns."""
        import pandas as pd

        names = ["qid", "docno", "start", "end"]
        qrels = pd.DataFrame(campaign.gold, columns=names).assign(label=1)
        run = pd.DataFrame([row[:4] for row in campaign.run], columns=names)
        run["score"] = [1 / row[4] for row in campaign.run]
        topics = pd.DataFrame({"qid": campaign.topics(), "query": campaign.topics()})
        return topics, qrels, run

    @pytest.fixture
    def provider(self, campaign):
        provider = pytest.importorskip("doxel.ir_measures")
        provider.configure(collection=campaign.texts)
        yield provider
        provider.configure()

    @pytest.mark.usefixtures("provider")
    def test_an_experiment_takes_the_measures(self, experiment, frames, campaign):
        from doxel.ir_measures import MAiP, char_rec, nxCG

        topics, qrels, run = frames
        thorough = MAiP(task="thorough")
        metrics = [thorough, char_rec @ 5, nxCG @ 10, "recip_rank"]
        table = experiment([run], topics, qrels, eval_metrics=metrics, names=["mine"])
        names = ["MAiP(task=thorough)", "char_rec@5", "nxCG@10"]
        means = doxel.evaluate(
            [row[:4] for row in campaign.run], campaign.gold, names, collection=campaign.texts
        ).means
        # PyTerrier adds up the topics itself, which can change the last bit of a mean
        for measure, mean in means.select("measure", "score").iter_rows():
            assert table[measure][0] == pytest.approx(mean, rel=1e-15)
        assert table["recip_rank"][0] > 0

    def test_scores_by_topic_and_a_baseline(self, experiment, frames, provider, reference):
        topics, qrels, run = frames
        measures = [provider.as_ir_measure(name) for name in MEASURES]
        table = experiment([run], topics, qrels, eval_metrics=measures, perquery=True)
        assert table.dropna().sort_values(["qid", "measure"])["value"].tolist() == reference
        compared = experiment([run, run[:0:-1]], topics, qrels, eval_metrics=measures[:1], baseline=0)
        assert compared["char_rec@5 p-value"].notna().tolist() == [False, True]
