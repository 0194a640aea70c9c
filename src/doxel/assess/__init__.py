"""Assessing: people read documents and highlight the relevant text, and every action is stored as an event.

How a highlight passes through this room:

1. A request reaches :mod:`~doxel.assess.web.endpoints`, which checks the caller and passes it as a
   :mod:`~doxel.assess.web.call` to its route (:mod:`~doxel.assess.web.routes.judging_routes`).
2. The route parses the event (:mod:`~doxel.assess.judging_events`) and submits it to the
   :mod:`~doxel.assess.store.event_writer`, which checks it against assignment, text and scale
   (:mod:`~doxel.assess.scales`), appends it to the :mod:`~doxel.assess.store.event_log`, and answers after
   the commit.
3. The state of a document is the fold of its events (:mod:`~doxel.assess.document_state`).  It is done when
   it keeps the rules of its scale.
4. :mod:`~doxel.assess.office.assessment_export` collects the states and writes them in any format.  The
   reverse is :mod:`~doxel.assess.office.assessment_import`.

Three sub-rooms: :mod:`~doxel.assess.store` (the database), :mod:`~doxel.assess.office` (the work of
organisers) and :mod:`~doxel.assess.web` (HTTP).  :mod:`~doxel.assess.assessment_setup` finds the files of an
assessment; :mod:`~doxel.assess.document_styles` maps tags to their look on the judging page;
:mod:`~doxel.assess.single_judge` is for one person without accounts.
"""
