"""Assessing: people read documents, highlight what is relevant, and every step is kept.

Follow one highlight:

1. *It is said.*  An event (:mod:`~doxel.assess.events`) arrives at an endpoint (``routes``, behind the guard
   of :mod:`~doxel.assess.endpoints`); the :mod:`~doxel.assess.writer` appends it to the log
   (:mod:`~doxel.assess.appending`), if pool, text and scale allow it, and answers after the commit.
2. *It is folded.*  The state of a document is the fold of its events (:mod:`~doxel.assess.log`,
   :mod:`~doxel.assess.fold`, over sets of :mod:`~doxel.assess.characters`); it is done when the
   :mod:`~doxel.assess.rules` of its scale (:mod:`~doxel.assess.scales`) hold.
3. *It goes out.*  States become assessments (:mod:`~doxel.assess.gathering`), which are exported
   (:mod:`~doxel.assess.export`) or compared (:mod:`~doxel.assess.agreement`, :mod:`~doxel.assess.comparing`).
   The way back is :mod:`~doxel.assess.importing`.

Beside it: what is to be judged (:mod:`~doxel.assess.pooled`) and by whom (:mod:`~doxel.assess.pools`),
how far that is (:mod:`~doxel.assess.progress`, :mod:`~doxel.assess.status`); people
(:mod:`~doxel.assess.accounts`, :mod:`~doxel.assess.sessions`) and what organisers decide
(:mod:`~doxel.assess.managing`, :mod:`~doxel.assess.handing`, :mod:`~doxel.assess.audit`).  Below it one
database of two kinds (:mod:`~doxel.assess.store`, :mod:`~doxel.assess.schema`,
:mod:`~doxel.assess.migrations`, :mod:`~doxel.assess.backup`) and the documents
(:mod:`~doxel.assess.library`); around it the server (:mod:`~doxel.assess.serving`,
:mod:`~doxel.assess.app`, :mod:`~doxel.assess.service`).
"""
