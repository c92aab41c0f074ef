"""Where raters differ, and how it is settled."""
