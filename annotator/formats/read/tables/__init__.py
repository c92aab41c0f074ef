"""Read tables as rows with named columns: delimited text, spreadsheets and Parquet."""
