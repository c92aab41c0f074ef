"""What blind raters read: texts without names of models, makers and people."""
