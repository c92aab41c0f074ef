-- Runs that ask an endpoint: the whole request beside each answer, requests without one, score sets, and what runs are
-- set up with.
ALTER TABLE run ADD COLUMN score_set_id TEXT COLLATE "C";

ALTER TABLE run ADD COLUMN owner TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE run ADD COLUMN beat_at TEXT COLLATE "C";

ALTER TABLE run ADD COLUMN seconds DOUBLE PRECISION NOT NULL DEFAULT 0;

ALTER TABLE response ADD COLUMN question_hash TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN request TEXT COLLATE "C" NOT NULL DEFAULT '{}';

ALTER TABLE response ADD COLUMN served_model TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN template TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN label TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE response ADD COLUMN retries BIGINT NOT NULL DEFAULT 0;

ALTER TABLE response ADD COLUMN seed BIGINT;

ALTER TABLE response ADD COLUMN prompt_tokens BIGINT;

ALTER TABLE response ADD COLUMN completion_tokens BIGINT;

ALTER TABLE response ADD COLUMN cached SMALLINT NOT NULL DEFAULT 0;

ALTER TABLE response ADD COLUMN cost DOUBLE PRECISION NOT NULL DEFAULT 0;

CREATE INDEX ix_response_request_hash ON response (request_hash);

CREATE INDEX ix_response_content ON response (subject_id, content_hash);

CREATE TABLE question (
    content_hash TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    characters BIGINT NOT NULL,
    PRIMARY KEY (content_hash)
);

CREATE TABLE failure (
    run_id TEXT COLLATE "C" NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    sample BIGINT NOT NULL,
    cause TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, subject_id, sample),
    FOREIGN KEY(run_id) REFERENCES run (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE TABLE score_set (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(run_id) REFERENCES run (id) DEFERRABLE,
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE
);

CREATE INDEX ix_score_set_run_id ON score_set (run_id);

CREATE TABLE score_set_item (
    set_id TEXT COLLATE "C" NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    criterion_hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (set_id, subject_id),
    FOREIGN KEY(set_id) REFERENCES score_set (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE TABLE setup (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    removed SMALLINT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE
);

CREATE INDEX ix_setup_annotator_id ON setup (annotator_id);

CREATE INDEX ix_setup_change_id ON setup (change_id);

CREATE INDEX ix_setup_kind ON setup (kind);

CREATE VIEW current_score AS
SELECT s.response_id, s.criterion_hash, s.outcome, s.score, s.points, s.total, r.run_id, r.subject_id, r.sample
FROM response r
JOIN run u ON u.id = r.run_id
JOIN score s ON s.response_id = r.id
LEFT JOIN score_set_item i ON i.set_id = u.score_set_id AND i.subject_id = r.subject_id
WHERE (u.score_set_id IS NOT NULL AND s.criterion_hash = i.criterion_hash)
   OR (u.score_set_id IS NULL AND s.created_at = (SELECT max(n.created_at) FROM score n WHERE n.response_id = r.id));
