"""Assessing: people read documents, highlight what is relevant, and every step is kept.

State is the fold of events (:mod:`doxel.assess.fold`); a document is done when the rules of its scale
hold (:mod:`doxel.assess.rules`); pages, exports and agreement are made from that.
"""
