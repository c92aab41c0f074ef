-- Judging: studies with their hidden key, who judges what, confirmed edits, settlements, locks, merged files.
CREATE TABLE study (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    guidelines TEXT COLLATE "C" NOT NULL,
    commitment TEXT COLLATE "C" NOT NULL,
    "plan" TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE
);

CREATE INDEX ix_study_annotator_id ON study (annotator_id);

CREATE INDEX ix_study_change_id ON study (change_id);

CREATE TABLE blind_key (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    study_id TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C" NOT NULL,
    name_a TEXT COLLATE "C" NOT NULL,
    name_b TEXT COLLATE "C" NOT NULL,
    sides TEXT COLLATE "C" NOT NULL,
    facts TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(study_id) REFERENCES study (id) DEFERRABLE
);

CREATE INDEX ix_blind_key_study_id ON blind_key (study_id);

CREATE TABLE assignment (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    study_id TEXT COLLATE "C" NOT NULL,
    pair_id TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    "order" TEXT COLLATE "C" NOT NULL,
    serving BIGINT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(study_id) REFERENCES study (id) DEFERRABLE,
    FOREIGN KEY(pair_id) REFERENCES pair (id) DEFERRABLE,
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE
);

CREATE INDEX ix_assignment_annotator_id ON assignment (annotator_id);

CREATE INDEX ix_assignment_pair_id ON assignment (pair_id);

CREATE INDEX ix_assignment_study_id ON assignment (study_id);

CREATE TABLE seal (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    study_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(study_id) REFERENCES study (id) DEFERRABLE
);

CREATE INDEX ix_seal_annotator_id ON seal (annotator_id);

CREATE INDEX ix_seal_change_id ON seal (change_id);

CREATE INDEX ix_seal_study_id ON seal (study_id);

CREATE TABLE unblinding (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    study_id TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(study_id) REFERENCES study (id) DEFERRABLE
);

CREATE INDEX ix_unblinding_annotator_id ON unblinding (annotator_id);

CREATE INDEX ix_unblinding_change_id ON unblinding (change_id);

CREATE INDEX ix_unblinding_study_id ON unblinding (study_id);

CREATE TABLE revision (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    artefact TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    note TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_revision_annotator_id ON revision (annotator_id);

CREATE INDEX ix_revision_change_id ON revision (change_id);

CREATE INDEX ix_revision_content_hash ON revision (content_hash);

CREATE INDEX ix_revision_subject_id ON revision (subject_id);

CREATE TABLE confirmation (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    artefact TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    note TEXT COLLATE "C" NOT NULL,
    proof_id TEXT COLLATE "C",
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_confirmation_annotator_id ON confirmation (annotator_id);

CREATE INDEX ix_confirmation_change_id ON confirmation (change_id);

CREATE INDEX ix_confirmation_content_hash ON confirmation (content_hash);

CREATE INDEX ix_confirmation_subject_id ON confirmation (subject_id);

CREATE TABLE resolution (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    about TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    rationale TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_resolution_annotator_id ON resolution (annotator_id);

CREATE INDEX ix_resolution_change_id ON resolution (change_id);

CREATE INDEX ix_resolution_subject_id ON resolution (subject_id);

CREATE TABLE lock (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    locked SMALLINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE
);

CREATE INDEX ix_lock_annotator_id ON lock (annotator_id);

CREATE INDEX ix_lock_change_id ON lock (change_id);

CREATE INDEX ix_lock_subject_id ON lock (subject_id);

CREATE TABLE origin (
    subject_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    source_id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (subject_id, change_id),
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(source_id) REFERENCES source (id) DEFERRABLE
);

CREATE TABLE "conflict" (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    table_name TEXT COLLATE "C" NOT NULL,
    row_id TEXT COLLATE "C" NOT NULL,
    ours TEXT COLLATE "C" NOT NULL,
    theirs TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id)
);

ALTER TABLE pair ADD COLUMN study_id TEXT COLLATE "C" REFERENCES study (id) DEFERRABLE;

CREATE INDEX ix_pair_study_id ON pair (study_id);

ALTER TABLE judgement ADD COLUMN serving BIGINT NOT NULL DEFAULT 1;

ALTER TABLE review ADD COLUMN proof_id TEXT COLLATE "C";

CREATE UNIQUE INDEX ix_assignment_served ON assignment (study_id, annotator_id, pair_id, serving);
