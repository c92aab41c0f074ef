-- A proof holds for one criterion and one prompt; a subject says whether its current ones are proven.
ALTER TABLE proof ADD COLUMN prompt_id TEXT COLLATE "C";

ALTER TABLE subject ADD COLUMN proven SMALLINT NOT NULL DEFAULT 0;

CREATE INDEX ix_proof_subject_hash ON proof (subject_id, content_hash);
