"""The store on PostgreSQL: one project per database, in its own schema, for several people at once."""
