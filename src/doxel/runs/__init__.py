"""Runs: read, write, convert, order, and resolve them to spans of text.

How data flows through this room:

1. :mod:`~doxel.runs.run_files` recognises the format of a file and reads it.  The formats are declared
   with :mod:`~doxel.runs.run_format`: :mod:`~doxel.runs.column_runs`, :mod:`~doxel.runs.inex_xml_runs`
   (regular files: :mod:`~doxel.runs.inex_xml_bulk`) and :mod:`~doxel.runs.jsonl_runs`.  Their fields are
   checked by :mod:`~doxel.runs.result_fields`.
2. The result is a :class:`~doxel.runs.run.Run`, a table of results in file order
   (:mod:`~doxel.runs.run`).
3. :mod:`~doxel.runs.result_spans` finds its results in a collection: document, element and offsets.
4. :mod:`~doxel.runs.result_order` sorts them and finds ties; :mod:`~doxel.runs.conforming_results` marks
   those that match the structure of their topics.

For writing in another format, :mod:`~doxel.runs.run_conversion` converts the results first.
"""

from doxel.runs.run import RESULTS, Run
from doxel.runs.run_files import RUN_FORMATS, read_run, read_runs, write_run

__all__ = ["RESULTS", "RUN_FORMATS", "Run", "read_run", "read_runs", "write_run"]
