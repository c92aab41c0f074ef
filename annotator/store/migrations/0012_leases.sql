-- Who works on which subject at this moment, so that no two people are given the same one.
-- Moments are seconds since 1970 by the project's own clock: the server's, or this machine's for a file.
CREATE TABLE lease (
    subject_id VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    client VARCHAR NOT NULL,
    taken_at FLOAT NOT NULL,
    until FLOAT NOT NULL,
    PRIMARY KEY (subject_id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE INDEX ix_lease_client ON lease (client);
