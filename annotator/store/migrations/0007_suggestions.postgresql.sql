-- What models suggest, what people decide about it, and labels that a model suggested.
CREATE TABLE suggestion (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    template TEXT COLLATE "C" NOT NULL,
    prompt TEXT COLLATE "C" NOT NULL,
    usage TEXT COLLATE "C" NOT NULL,
    complete SMALLINT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_suggestion_subject_id ON suggestion (subject_id);

CREATE TABLE suggestion_verdict (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    suggestion_id TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE,
    FOREIGN KEY(suggestion_id) REFERENCES suggestion (id) DEFERRABLE
);

CREATE INDEX ix_suggestion_verdict_annotator_id ON suggestion_verdict (annotator_id);

CREATE INDEX ix_suggestion_verdict_change_id ON suggestion_verdict (change_id);

CREATE INDEX ix_suggestion_verdict_subject_id ON suggestion_verdict (subject_id);

CREATE INDEX ix_suggestion_verdict_suggestion_id ON suggestion_verdict (suggestion_id);

ALTER TABLE label ADD COLUMN origin TEXT COLLATE "C" NOT NULL DEFAULT 'human';
