"""doxel measures how well a search system finds the right part of a document.

The names below are the public interface; each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from doxel._version import __version__ as __version__

# The public names and their modules, by subject: the documentation follows this order.
_HOMES = {
    "Collection": "doxel.documents.collection",
    "Document": "doxel.documents.document",
    "ingest": "doxel.documents.ingestion",
    "read_collection": "doxel.documents.collection",
    "align": "doxel.alignment.aligner",
    "Topic": "doxel.topics.topics",
    "Topics": "doxel.topics.topics",
    "read_topics": "doxel.topics.topic_files",
    "write_topics": "doxel.topics.topic_files",
    "run_retriever": "doxel.adapters.retrievers",
    "Run": "doxel.runs.run",
    "read_run": "doxel.runs.run_files",
    "write_run": "doxel.runs.run_files",
    "Assessments": "doxel.assessments.assessments",
    "read_assessments": "doxel.assessments.assessment_files",
    "write_assessments": "doxel.assessments.assessment_files",
    "recall_base": "doxel.recallbases.recall_base_table",
    "Evaluation": "doxel.evaluation.evaluation_result",
    "evaluate": "doxel.evaluation.evaluator",
    "DoxelWarning": "doxel.errors",
    "measure": "doxel.measures.own_measures",
    "user_model": "doxel.evaluation.inputs.custom_functions",
    "load_result": "doxel.evaluation.saved_results",
    "gate": "doxel.evaluation.analysis.regression_gate",
    "audit": "doxel.auditing.auditor",
    "ChunkComparison": "doxel.chunking.chunk_comparison",
    "compare_chunkings": "doxel.chunking.chunk_comparison",
    "Pool": "doxel.pooling.document_pool",
    "pool": "doxel.pooling.pool_making",
    "read_pool": "doxel.pooling.pool_files",
    "write_pool": "doxel.pooling.pool_files",
    "Campaign": "doxel.campaign.campaign",
    "read_campaign": "doxel.campaign.configuration",
}

__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 -- the keys are strings

# Type checkers cannot follow __getattr__, so they get the same names as imports; "as" marks a name as public.
if TYPE_CHECKING:
    from doxel.adapters.retrievers import run_retriever as run_retriever
    from doxel.alignment.aligner import align as align
    from doxel.assessments.assessment_files import read_assessments as read_assessments
    from doxel.assessments.assessment_files import write_assessments as write_assessments
    from doxel.assessments.assessments import Assessments as Assessments
    from doxel.auditing.auditor import audit as audit
    from doxel.campaign.campaign import Campaign as Campaign
    from doxel.campaign.configuration import read_campaign as read_campaign
    from doxel.chunking.chunk_comparison import ChunkComparison as ChunkComparison
    from doxel.chunking.chunk_comparison import compare_chunkings as compare_chunkings
    from doxel.documents.collection import Collection as Collection
    from doxel.documents.collection import read_collection as read_collection
    from doxel.documents.document import Document as Document
    from doxel.documents.ingestion import ingest as ingest
    from doxel.errors import DoxelWarning as DoxelWarning
    from doxel.evaluation.analysis.regression_gate import gate as gate
    from doxel.evaluation.evaluation_result import Evaluation as Evaluation
    from doxel.evaluation.evaluator import evaluate as evaluate
    from doxel.evaluation.inputs.custom_functions import user_model as user_model
    from doxel.evaluation.saved_results import load_result as load_result
    from doxel.measures.own_measures import measure as measure
    from doxel.pooling.document_pool import Pool as Pool
    from doxel.pooling.pool_files import read_pool as read_pool
    from doxel.pooling.pool_files import write_pool as write_pool
    from doxel.pooling.pool_making import pool as pool
    from doxel.recallbases.recall_base_table import recall_base as recall_base
    from doxel.runs.run import Run as Run
    from doxel.runs.run_files import read_run as read_run
    from doxel.runs.run_files import write_run as write_run
    from doxel.topics.topic_files import read_topics as read_topics
    from doxel.topics.topic_files import write_topics as write_topics
    from doxel.topics.topics import Topic as Topic
    from doxel.topics.topics import Topics as Topics


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'doxel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
