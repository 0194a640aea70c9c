"""Assessments: highlights, grades and best entry points, read, written and prepared for scoring.

How data flows through this room:

1. :mod:`~doxel.assessments.assessment_files` recognises the format of each file, reads it, and combines
   all files into one set.  The formats are :mod:`~doxel.assessments.qrels`,
   :mod:`~doxel.assessments.jsonl_assessments`, :mod:`~doxel.assessments.web_annotations` and
   :mod:`~doxel.assessments.inex_xml_assessments` (with :mod:`~doxel.assessments.inex_xml_files`).
2. The result is an :class:`~doxel.assessments.assessments.Assessments`, four tables
   (:mod:`~doxel.assessments.assessments`).
3. :mod:`~doxel.assessments.assessment_spans` finds documents, elements and positions in a collection.
   Without a collection, :mod:`~doxel.assessments.listed_documents` reconstructs documents from the listed
   elements. :mod:`~doxel.assessments.conforming_parts` restricts assessments to the structure of queries.
4. :mod:`~doxel.assessments.judged_pairs` turns them into arrays for scoring.

For writing in another format, :mod:`~doxel.assessments.assessment_conversion` converts the places first.
:mod:`~doxel.assessments.relevant_sizes` compares declared sizes with those found in the collection.
"""

from doxel.assessments.assessment_files import read_assessments, write_assessments
from doxel.assessments.assessments import Assessments

__all__ = ["Assessments", "read_assessments", "write_assessments"]
