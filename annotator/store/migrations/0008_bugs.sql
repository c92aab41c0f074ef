-- Bugs that were proven, and what reviewers say of them.
ALTER TABLE bug ADD COLUMN kind VARCHAR NOT NULL DEFAULT '';
ALTER TABLE bug ADD COLUMN origin VARCHAR NOT NULL DEFAULT 'operator';
ALTER TABLE bug ADD COLUMN workload VARCHAR NOT NULL DEFAULT '';
ALTER TABLE bug ADD COLUMN reference_hash VARCHAR NOT NULL DEFAULT '';
ALTER TABLE bug ADD COLUMN replaces VARCHAR;

CREATE INDEX ix_bug_replaces ON bug (replaces);

CREATE TABLE bug_review (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    bug_id VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    correctness BOOLEAN,
    difficulty BOOLEAN,
    applicability BOOLEAN,
    readability BOOLEAN,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(bug_id) REFERENCES bug (id)
);

CREATE INDEX ix_bug_review_annotator_id ON bug_review (annotator_id);

CREATE INDEX ix_bug_review_bug_id ON bug_review (bug_id);

CREATE INDEX ix_bug_review_change_id ON bug_review (change_id);

CREATE INDEX ix_bug_review_subject_id ON bug_review (subject_id);
