"""Agreement between raters, and results of blind comparisons."""
