-- Runs that ask an endpoint: the whole request beside each answer, requests without one, score sets, and what runs are
-- set up with.
ALTER TABLE run ADD COLUMN score_set_id VARCHAR;

ALTER TABLE run ADD COLUMN owner VARCHAR NOT NULL DEFAULT '';

ALTER TABLE run ADD COLUMN beat_at VARCHAR;

ALTER TABLE run ADD COLUMN seconds FLOAT NOT NULL DEFAULT 0;

ALTER TABLE response ADD COLUMN question_hash VARCHAR NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN request JSON NOT NULL DEFAULT '{}';

ALTER TABLE response ADD COLUMN served_model VARCHAR NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN template VARCHAR NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN label VARCHAR NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;

ALTER TABLE response ADD COLUMN seed INTEGER;

ALTER TABLE response ADD COLUMN prompt_tokens INTEGER;

ALTER TABLE response ADD COLUMN completion_tokens INTEGER;

ALTER TABLE response ADD COLUMN cached BOOLEAN NOT NULL DEFAULT 0;

ALTER TABLE response ADD COLUMN cost FLOAT NOT NULL DEFAULT 0;

CREATE INDEX ix_response_request_hash ON response (request_hash);

CREATE INDEX ix_response_content ON response (subject_id, content_hash);

CREATE TABLE question (
    content_hash VARCHAR NOT NULL,
    body JSON NOT NULL,
    characters INTEGER NOT NULL,
    PRIMARY KEY (content_hash)
);

CREATE TABLE failure (
    run_id VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    sample INTEGER NOT NULL,
    cause VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    attempts INTEGER NOT NULL,
    created_at VARCHAR NOT NULL,
    PRIMARY KEY (run_id, subject_id, sample),
    FOREIGN KEY(run_id) REFERENCES run (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE TABLE score_set (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(run_id) REFERENCES run (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE INDEX ix_score_set_run_id ON score_set (run_id);

CREATE TABLE score_set_item (
    set_id VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    criterion_hash VARCHAR NOT NULL,
    PRIMARY KEY (set_id, subject_id),
    FOREIGN KEY(set_id) REFERENCES score_set (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE TABLE setup (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    kind VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    content JSON NOT NULL,
    removed BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_setup_annotator_id ON setup (annotator_id);

CREATE INDEX ix_setup_change_id ON setup (change_id);

CREATE INDEX ix_setup_kind ON setup (kind);

-- The score of a response that counts: that of the run's score set; for a run without one, the newest.
CREATE VIEW current_score AS
SELECT s.response_id, s.criterion_hash, s.outcome, s.score, s.points, s.total, r.run_id, r.subject_id, r.sample
FROM response r
JOIN run u ON u.id = r.run_id
JOIN score s ON s.response_id = r.id
LEFT JOIN score_set_item i ON i.set_id = u.score_set_id AND i.subject_id = r.subject_id
WHERE (u.score_set_id IS NOT NULL AND s.criterion_hash = i.criterion_hash)
   OR (u.score_set_id IS NULL AND s.created_at = (SELECT max(n.created_at) FROM score n WHERE n.response_id = r.id));
