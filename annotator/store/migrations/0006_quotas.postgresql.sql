-- What a project wants of which kind; what people say a subject is; rewrites of mined code, and why a reference may
-- stay below full coverage.
-- Few rows are expected in any of these but label, so the others have an index for their subject alone.
CREATE TABLE quotaplan (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    quotas TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE
);

CREATE TABLE label (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    before TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_label_change_id ON label (change_id);

CREATE INDEX ix_label_subject_id ON label (subject_id);

CREATE TABLE rewriting (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_rewriting_subject_id ON rewriting (subject_id);

CREATE TABLE coveragenote (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    exception_id TEXT COLLATE "C",
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_coveragenote_subject_id ON coveragenote (subject_id);
