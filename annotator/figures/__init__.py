"""Draw figures of results from plain data as SVG, PNG or PDF files, without Qt. Drawing alone loads Matplotlib."""
