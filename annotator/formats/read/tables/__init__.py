"""Tables that people make: separated text, spreadsheets and Parquet, read as rows with named columns."""
