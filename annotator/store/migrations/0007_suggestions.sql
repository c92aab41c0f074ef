-- What models suggest, what people decide about it, and labels that a model suggested.
CREATE TABLE suggestion (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    template VARCHAR NOT NULL,
    prompt JSON NOT NULL,
    usage JSON NOT NULL,
    complete BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_suggestion_subject_id ON suggestion (subject_id);

CREATE TABLE suggestion_verdict (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    suggestion_id VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(suggestion_id) REFERENCES suggestion (id)
);

CREATE INDEX ix_suggestion_verdict_annotator_id ON suggestion_verdict (annotator_id);

CREATE INDEX ix_suggestion_verdict_change_id ON suggestion_verdict (change_id);

CREATE INDEX ix_suggestion_verdict_subject_id ON suggestion_verdict (subject_id);

CREATE INDEX ix_suggestion_verdict_suggestion_id ON suggestion_verdict (suggestion_id);

ALTER TABLE label ADD COLUMN origin VARCHAR NOT NULL DEFAULT 'human';
