"""Builds what is released, looks into it, and tries it where nothing else is installed."""
