-- What people state on points of the release audit that the program cannot know; the newest active row of a point counts.
CREATE TABLE audit_answer (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    point VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    statement VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_audit_answer_annotator_id ON audit_answer (annotator_id);

CREATE INDEX ix_audit_answer_change_id ON audit_answer (change_id);
