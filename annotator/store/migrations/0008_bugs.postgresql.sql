-- Bugs that were proven, and what reviewers say of them.
ALTER TABLE bug ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE bug ADD COLUMN origin TEXT COLLATE "C" NOT NULL DEFAULT 'operator';

ALTER TABLE bug ADD COLUMN workload TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE bug ADD COLUMN reference_hash TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE bug ADD COLUMN replaces TEXT COLLATE "C";

CREATE INDEX ix_bug_replaces ON bug (replaces);

CREATE TABLE bug_review (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    bug_id TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    correctness SMALLINT,
    difficulty SMALLINT,
    applicability SMALLINT,
    readability SMALLINT,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE,
    FOREIGN KEY(bug_id) REFERENCES bug (id) DEFERRABLE
);

CREATE INDEX ix_bug_review_annotator_id ON bug_review (annotator_id);

CREATE INDEX ix_bug_review_bug_id ON bug_review (bug_id);

CREATE INDEX ix_bug_review_change_id ON bug_review (change_id);

CREATE INDEX ix_bug_review_subject_id ON bug_review (subject_id);
