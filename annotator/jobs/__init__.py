"""Worker threads and processes with progress and cancellation, without Qt."""
