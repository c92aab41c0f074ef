"""The same store on PostgreSQL: one project per database, in a schema of its own, for several people at once."""
