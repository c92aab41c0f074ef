-- Judging: studies with their hidden key, who judges what, confirmed edits, settlements, locks, merged files.
CREATE TABLE study (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    guidelines VARCHAR NOT NULL,
    commitment VARCHAR NOT NULL,
    "plan" JSON NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_study_annotator_id ON study (annotator_id);

CREATE INDEX ix_study_change_id ON study (change_id);

CREATE TABLE blind_key (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    study_id VARCHAR NOT NULL,
    secret VARCHAR NOT NULL,
    name_a VARCHAR NOT NULL,
    name_b VARCHAR NOT NULL,
    sides JSON NOT NULL,
    facts JSON NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(study_id) REFERENCES study (id)
);

CREATE INDEX ix_blind_key_study_id ON blind_key (study_id);

CREATE TABLE assignment (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    study_id VARCHAR NOT NULL,
    pair_id VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    "order" VARCHAR NOT NULL,
    serving INTEGER NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(study_id) REFERENCES study (id),
    FOREIGN KEY(pair_id) REFERENCES pair (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE INDEX ix_assignment_annotator_id ON assignment (annotator_id);

CREATE INDEX ix_assignment_pair_id ON assignment (pair_id);

CREATE INDEX ix_assignment_study_id ON assignment (study_id);

CREATE TABLE seal (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    study_id VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(study_id) REFERENCES study (id)
);

CREATE INDEX ix_seal_annotator_id ON seal (annotator_id);

CREATE INDEX ix_seal_change_id ON seal (change_id);

CREATE INDEX ix_seal_study_id ON seal (study_id);

CREATE TABLE unblinding (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    study_id VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(study_id) REFERENCES study (id)
);

CREATE INDEX ix_unblinding_annotator_id ON unblinding (annotator_id);

CREATE INDEX ix_unblinding_change_id ON unblinding (change_id);

CREATE INDEX ix_unblinding_study_id ON unblinding (study_id);

CREATE TABLE revision (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    artefact VARCHAR NOT NULL,
    content VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_revision_annotator_id ON revision (annotator_id);

CREATE INDEX ix_revision_change_id ON revision (change_id);

CREATE INDEX ix_revision_content_hash ON revision (content_hash);

CREATE INDEX ix_revision_subject_id ON revision (subject_id);

CREATE TABLE confirmation (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    artefact VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    proof_id VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_confirmation_annotator_id ON confirmation (annotator_id);

CREATE INDEX ix_confirmation_change_id ON confirmation (change_id);

CREATE INDEX ix_confirmation_content_hash ON confirmation (content_hash);

CREATE INDEX ix_confirmation_subject_id ON confirmation (subject_id);

CREATE TABLE resolution (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    about VARCHAR NOT NULL,
    method VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    rationale VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_resolution_annotator_id ON resolution (annotator_id);

CREATE INDEX ix_resolution_change_id ON resolution (change_id);

CREATE INDEX ix_resolution_subject_id ON resolution (subject_id);

CREATE TABLE lock (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    locked BOOLEAN NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_lock_annotator_id ON lock (annotator_id);

CREATE INDEX ix_lock_change_id ON lock (change_id);

CREATE INDEX ix_lock_subject_id ON lock (subject_id);

CREATE TABLE origin (
    subject_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    PRIMARY KEY (subject_id, change_id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(source_id) REFERENCES source (id)
);

CREATE TABLE "conflict" (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    table_name VARCHAR NOT NULL,
    row_id VARCHAR NOT NULL,
    ours JSON NOT NULL,
    theirs JSON NOT NULL,
    PRIMARY KEY (id)
);

ALTER TABLE pair ADD COLUMN study_id VARCHAR REFERENCES study (id);

CREATE INDEX ix_pair_study_id ON pair (study_id);

ALTER TABLE judgement ADD COLUMN serving INTEGER NOT NULL DEFAULT 1;

ALTER TABLE review ADD COLUMN proof_id VARCHAR;

CREATE UNIQUE INDEX ix_assignment_served ON assignment (study_id, annotator_id, pair_id, serving);
