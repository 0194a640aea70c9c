"""Results in notebooks: tables, pictures and differences of runs, as HTML and PNG.

How data flows through this room: an ``Evaluation`` calls *result_html* for its table of means, *result_plots*
for pictures, and *topic_differences* for the questions that a run gained or lost against another one.

A page cannot detect whether a notebook has a light or a dark theme, so everything here inherits the colour of
the text, and backgrounds are translucent.  All text from runs, documents and topics is escaped.
"""
