"""The storage of a project in a file or on a server; no other package contains SQL."""
