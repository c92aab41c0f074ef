-- What people state on points of the release audit that the program cannot know; the newest active row of a point counts.
CREATE TABLE audit_answer (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    point TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    statement TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE
);

CREATE INDEX ix_audit_answer_annotator_id ON audit_answer (annotator_id);

CREATE INDEX ix_audit_answer_change_id ON audit_answer (change_id);
