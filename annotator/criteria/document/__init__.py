"""The criterion document: its YAML, schema, form and templates."""
