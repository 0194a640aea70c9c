"""The generated sources of the documentation, the Sphinx extensions, and the examples of the pages."""
