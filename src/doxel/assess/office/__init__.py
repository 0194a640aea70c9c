"""The work of organisers: administration, progress, export, import and comparison of assessors.

:mod:`~doxel.assess.office.administration` assigns topics, and :mod:`~doxel.assess.office.progress` shows how
they advance.  :mod:`~doxel.assess.office.assessment_export` and
:mod:`~doxel.assess.office.assessment_import` exchange assessments with files.
:mod:`~doxel.assess.office.assessment_agreement` computes the agreement of two sets of assessments, and
:mod:`~doxel.assess.office.assessor_comparison` compares two assessors of a topic document by document.
"""
