"""Topics with queries about structure, and a collection, assessments and runs for them."""

from __future__ import annotations

from pathlib import Path

from documents.commands import write_files
from doxel.documents.ingestion import ingest

__all__ = ["SEC1", "TOPICS", "options", "write_structured"]

TOPICS = """<inex_topics>
<inex_topic topic_id="1" query_type="CAS">
 <title>x</title><castitle>//article[.//yr &gt; 1998]//sec[about(., x)]</castitle></inex_topic>
<inex_topic topic_id="2" query_type="CO+S">
 <title>y</title><castitle>//*[about(.//p, "y z" -x)]</castitle></inex_topic>
<inex_topic topic_id="3" query_type="CO"><title>z</title></inex_topic>
</inex_topics>
"""
SOURCE = "<article><fm><yr>1999</yr></fm><sec><p>abc</p></sec><sec><p>def</p></sec></article>"
SEC1, P1 = "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]"


def write_structured(folder: Path) -> Path:
    """Write the collection, topics, assessments and runs to a folder, and return it."""
    write_files(
        folder,
        {
            "s/a.xml": SOURCE,
            "topics.xml": TOPICS,
            "gold.jsonl": '{"topic": "1", "doc": "a", "start": 4, "end": 7}\n',
            "a.run": f"1 Q0 a 1 0.9 a {P1}\n1 Q0 a 2 0.8 a {SEC1}\n",
            "b.run": f"1 Q0 a 1 0.9 b {SEC1}\n",
        },
    )
    ingest(folder / "s", folder / "c.doxel")
    return folder


def options(folder: Path) -> tuple[str | Path, ...]:
    """Return the options for assessments, collection and topics."""
    return ("-a", folder / "gold.jsonl", "-c", folder / "c.doxel", "-t", folder / "topics.xml")
