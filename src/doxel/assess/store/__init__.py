"""The database of an assessment: users, documents to judge, assignments and events.

How an event is stored: :mod:`~doxel.assess.store.event_writer` checks it against
:mod:`~doxel.assess.store.assignments` and :mod:`~doxel.assess.store.pooled_documents` and appends it;
:mod:`~doxel.assess.store.event_log` reads it back as part of a state.

:mod:`~doxel.assess.store.database` opens SQLite or PostgreSQL and migrates it to the
:mod:`~doxel.assess.store.database_schema`; :mod:`~doxel.assess.store.accounts` holds users and sessions;
:mod:`~doxel.assess.store.backup` writes and restores everything in one file.
"""
