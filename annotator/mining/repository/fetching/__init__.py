"""From what somebody names as a source to a folder with a repository's files, fetched safely."""
