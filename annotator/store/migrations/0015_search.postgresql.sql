-- Which subjects search does not know yet: those of a long import, until the index is built behind it.
CREATE TABLE search_gap (
    first_row BIGINT NOT NULL,
    last_row BIGINT NOT NULL,
    PRIMARY KEY (first_row)
);
