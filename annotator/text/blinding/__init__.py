"""Hide the names of models, makers and people in the texts that blind raters read."""
