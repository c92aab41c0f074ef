"""Lists of subjects: reading, searching, importing, leasing, and acts on many subjects."""
