"""doxel measures how well a search system finds the right part of a document.

The names in ``__all__`` are the public interface; each is imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from doxel._version import __version__

if TYPE_CHECKING:
    from doxel.assessments.assessment_files import read_assessments, write_assessments
    from doxel.assessments.assessments import Assessments
    from doxel.campaign.campaign import Campaign
    from doxel.campaign.configuration import read_campaign
    from doxel.chunking.chunk_comparison import ChunkComparison, compare_chunkings
    from doxel.documents.collection import Collection, read_collection
    from doxel.documents.document import Document
    from doxel.documents.ingestion import ingest
    from doxel.evaluation.evaluation_result import Evaluation
    from doxel.evaluation.evaluator import evaluate
    from doxel.pooling.document_pool import Pool
    from doxel.pooling.pool_files import read_pool, write_pool
    from doxel.pooling.pool_making import pool
    from doxel.recallbases.recall_base_table import recall_base
    from doxel.runs.run import Run
    from doxel.runs.run_files import read_run, write_run
    from doxel.topics.topic_files import read_topics, write_topics
    from doxel.topics.topics import Topic, Topics

_HOMES = {
    "Assessments": "doxel.assessments.assessments",
    "ChunkComparison": "doxel.chunking.chunk_comparison",
    "Campaign": "doxel.campaign.campaign",
    "Collection": "doxel.documents.collection",
    "Document": "doxel.documents.document",
    "Evaluation": "doxel.evaluation.evaluation_result",
    "Pool": "doxel.pooling.document_pool",
    "Run": "doxel.runs.run",
    "Topic": "doxel.topics.topics",
    "Topics": "doxel.topics.topics",
    "compare_chunkings": "doxel.chunking.chunk_comparison",
    "evaluate": "doxel.evaluation.evaluator",
    "ingest": "doxel.documents.ingestion",
    "pool": "doxel.pooling.pool_making",
    "read_assessments": "doxel.assessments.assessment_files",
    "read_campaign": "doxel.campaign.configuration",
    "read_collection": "doxel.documents.collection",
    "read_pool": "doxel.pooling.pool_files",
    "read_run": "doxel.runs.run_files",
    "read_topics": "doxel.topics.topic_files",
    "recall_base": "doxel.recallbases.recall_base_table",
    "write_assessments": "doxel.assessments.assessment_files",
    "write_pool": "doxel.pooling.pool_files",
    "write_run": "doxel.runs.run_files",
    "write_topics": "doxel.topics.topic_files",
}

__all__ = [
    "Assessments",
    "Campaign",
    "ChunkComparison",
    "Collection",
    "Document",
    "Evaluation",
    "Pool",
    "Run",
    "Topic",
    "Topics",
    "__version__",
    "compare_chunkings",
    "evaluate",
    "ingest",
    "pool",
    "read_assessments",
    "read_campaign",
    "read_collection",
    "read_pool",
    "read_run",
    "read_topics",
    "recall_base",
    "write_assessments",
    "write_pool",
    "write_run",
    "write_topics",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'doxel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
