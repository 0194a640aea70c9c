"""The findings of the five sources as claims: their data, criteria, table and study."""
