"""Alignment: from a quoted or retrieved text to the spans of the source documents that it comes from.

How a text passes through this room:

1. :mod:`~doxel.alignment.aligner` takes the texts, with the document and offset that each declares, and
   searches for each one unchanged.
2. :mod:`~doxel.alignment.folding` reduces text and documents to letters and digits with their offsets,
   and :mod:`~doxel.alignment.text_index` searches the folded documents.
3. :mod:`~doxel.alignment.shortened_texts` finds texts with dots for omitted parts, and
   :mod:`~doxel.alignment.fuzzy_matching` finds damaged texts, and texts joined from several pieces, by
   short sequences that they share with a document.

:mod:`~doxel.alignment.successive_texts` places the texts that a splitter cut from one document: of several
places of a text it selects the one that fits the texts before and after it.
"""

from doxel.alignment.aligner import ALIGNMENTS, Aligner, align

__all__ = ["ALIGNMENTS", "Aligner", "align"]
