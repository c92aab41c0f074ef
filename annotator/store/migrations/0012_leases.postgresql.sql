-- Who works on which subject at this moment, so that no two people are given the same one.
-- Moments are seconds since 1970 by the project's own clock: the server's, or this machine's for a file.
CREATE TABLE lease (
    subject_id TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    client TEXT COLLATE "C" NOT NULL,
    taken_at DOUBLE PRECISION NOT NULL,
    until DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (subject_id),
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE,
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE
);

CREATE INDEX ix_lease_client ON lease (client);
