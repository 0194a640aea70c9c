"""Adapters: the data of other libraries, recognised by their shape, as rows of results or gold.

How a run passes through this room:

1. :mod:`~doxel.adapters.adapter_table` finds the adapter of the data: of a whole table
   (:mod:`~doxel.adapters.result_tables`), of the answer to one question
   (:mod:`~doxel.adapters.question_results`), of a single result (:mod:`~doxel.adapters.chunk_objects`).
2. :mod:`~doxel.adapters.column_shapes` gives the columns doxel's names, which
   :mod:`~doxel.adapters.column_names` lists.
3. :mod:`~doxel.adapters.name_matching` matches the names of documents and questions with those of the
   collection and the gold.

:mod:`~doxel.adapters.retrievers` asks a retriever all questions, which gives a run.
"""
