"""Assessing: people read documents and highlight the relevant text, and every action is stored as an event.

The way of a highlight through this room:

1. *Stored.*  A request reaches an endpoint (``routes``), after :mod:`~doxel.assess.endpoints` has checked the
   caller.  Its event (:mod:`~doxel.assess.events`) is checked against pool, text and scale
   (:mod:`~doxel.assess.appending`); the :mod:`~doxel.assess.writer` appends it to the log and answers after
   the commit.
2. *Folded.*  The state of a document is the fold of its events (:mod:`~doxel.assess.log`,
   :mod:`~doxel.assess.fold`, over sets of :mod:`~doxel.assess.characters`).  It is done when it keeps the
   :mod:`~doxel.assess.rules` of its scale (:mod:`~doxel.assess.scales`).
3. *Exported.*  States become assessments (:mod:`~doxel.assess.gathering`), which are exported
   (:mod:`~doxel.assess.export`) or compared (:mod:`~doxel.assess.agreement`, :mod:`~doxel.assess.comparing`).
   The way back is :mod:`~doxel.assess.importing`.

Organisation: the documents to judge (:mod:`~doxel.assess.pooled`), their assessors
(:mod:`~doxel.assess.pools`), progress (:mod:`~doxel.assess.progress`, :mod:`~doxel.assess.status`), users
(:mod:`~doxel.assess.accounts`, :mod:`~doxel.assess.sessions`) and administration
(:mod:`~doxel.assess.managing`, :mod:`~doxel.assess.handing`, :mod:`~doxel.assess.audit`).

Storage: the database, SQLite or PostgreSQL (:mod:`~doxel.assess.store`, :mod:`~doxel.assess.schema`,
:mod:`~doxel.assess.migrations`, :mod:`~doxel.assess.backup`), and the documents
(:mod:`~doxel.assess.library`).  Server: :mod:`~doxel.assess.serving`, :mod:`~doxel.assess.app`,
:mod:`~doxel.assess.service`.
"""
