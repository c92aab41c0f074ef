-- What a project wants of which kind; what people say a subject is; rewrites of mined code, and why a reference may
-- stay below full coverage.
-- Few rows are expected in any of these but label, so the others have an index for their subject alone.

CREATE TABLE quotaplan (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    quotas JSON NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE TABLE label (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    before VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_label_change_id ON label (change_id);

CREATE INDEX ix_label_subject_id ON label (subject_id);

CREATE TABLE rewriting (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    document JSON NOT NULL,
    content_hash VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_rewriting_subject_id ON rewriting (subject_id);

CREATE TABLE coveragenote (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    exception_id VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_coveragenote_subject_id ON coveragenote (subject_id);
