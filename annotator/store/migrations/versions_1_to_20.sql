-- Versions 1 to 20 of a project file, one after the other. Frozen: no line of it is ever edited. New files are created
-- from the models, see annotator/store/file/schema.py; a file of an older version is brought to version 20 by these.

-- Schema version 1.

CREATE TABLE annotator (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    role VARCHAR NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
);

CREATE TABLE model_under_test (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    settings JSON NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
);

CREATE TABLE project (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    settings JSON NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE change (
    seq INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    target_id VARCHAR,
    annotator_id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    nouns JSON NOT NULL,
    PRIMARY KEY (seq),
    UNIQUE (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE TABLE release (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    notes VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    item_count INTEGER NOT NULL,
    manifest JSON NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (version),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE TABLE run (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    release_id VARCHAR NOT NULL,
    model_id VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    samples INTEGER NOT NULL,
    settings JSON NOT NULL,
    state VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    finished_at VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(release_id) REFERENCES release (id),
    FOREIGN KEY(model_id) REFERENCES model_under_test (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE INDEX ix_run_model_id ON run (model_id);
CREATE INDEX ix_run_release_id ON run (release_id);

CREATE TABLE source (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    counts JSON NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_source_sha256 ON source (sha256);

CREATE TABLE subject (
    "row" INTEGER NOT NULL,
    id VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    area VARCHAR NOT NULL,
    difficulty VARCHAR NOT NULL,
    question_type VARCHAR NOT NULL,
    views INTEGER,
    licence VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    verdict VARCHAR,
    prompt_id VARCHAR,
    criterion_id VARCHAR,
    created_at VARCHAR NOT NULL,
    PRIMARY KEY ("row"),
    UNIQUE (id),
    UNIQUE ("key"),
    FOREIGN KEY(source_id) REFERENCES source (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_subject_change_id ON subject (change_id);
CREATE INDEX ix_subject_source_id ON subject (source_id);

CREATE TABLE bug (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    family VARCHAR NOT NULL,
    operator VARCHAR NOT NULL,
    code VARCHAR NOT NULL,
    explanation VARCHAR NOT NULL,
    lines JSON NOT NULL,
    content_hash VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_bug_annotator_id ON bug (annotator_id);
CREATE INDEX ix_bug_change_id ON bug (change_id);
CREATE INDEX ix_bug_content_hash ON bug (content_hash);
CREATE INDEX ix_bug_subject_id ON bug (subject_id);

CREATE TABLE comment (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    reply_to VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_comment_annotator_id ON comment (annotator_id);
CREATE INDEX ix_comment_change_id ON comment (change_id);
CREATE INDEX ix_comment_subject_id ON comment (subject_id);

CREATE TABLE criterion (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_criterion_annotator_id ON criterion (annotator_id);
CREATE INDEX ix_criterion_change_id ON criterion (change_id);
CREATE INDEX ix_criterion_content_hash ON criterion (content_hash);
CREATE INDEX ix_criterion_subject_id ON criterion (subject_id);

CREATE TABLE decision (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_decision_annotator_id ON decision (annotator_id);
CREATE INDEX ix_decision_change_id ON decision (change_id);
CREATE INDEX ix_decision_subject_id ON decision (subject_id);

CREATE TABLE pair (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    "left" JSON NOT NULL,
    "right" JSON NOT NULL,
    commitment VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_pair_subject_id ON pair (subject_id);

CREATE TABLE prompt (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_prompt_annotator_id ON prompt (annotator_id);
CREATE INDEX ix_prompt_change_id ON prompt (change_id);
CREATE INDEX ix_prompt_subject_id ON prompt (subject_id);

CREATE TABLE proof (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    detail JSON NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_proof_content_hash ON proof (content_hash);
CREATE INDEX ix_proof_subject_id ON proof (subject_id);

CREATE TABLE releaseitem (
    release_id VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    content_hash VARCHAR NOT NULL,
    item JSON NOT NULL,
    PRIMARY KEY (release_id, subject_id),
    UNIQUE (release_id, position),
    FOREIGN KEY(release_id) REFERENCES release (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE TABLE response (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    run_id VARCHAR,
    subject_id VARCHAR NOT NULL,
    model_id VARCHAR NOT NULL,
    sample INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    finish_reason VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    request_hash VARCHAR NOT NULL,
    usage JSON NOT NULL,
    seconds FLOAT,
    PRIMARY KEY (id),
    UNIQUE (run_id, subject_id, sample),
    FOREIGN KEY(run_id) REFERENCES run (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(model_id) REFERENCES model_under_test (id)
);

CREATE INDEX ix_response_model_id ON response (model_id);
CREATE INDEX ix_response_run_id ON response (run_id);
CREATE INDEX ix_response_subject_id ON response (subject_id);

CREATE TABLE review (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    correctness INTEGER,
    difficulty INTEGER,
    applicability INTEGER,
    readability INTEGER,
    note VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_review_annotator_id ON review (annotator_id);
CREATE INDEX ix_review_change_id ON review (change_id);
CREATE INDEX ix_review_subject_id ON review (subject_id);

CREATE TABLE subjecttext (
    subject_id VARCHAR NOT NULL,
    prompt VARCHAR NOT NULL,
    reference VARCHAR NOT NULL,
    context VARCHAR NOT NULL,
    entry_point VARCHAR NOT NULL,
    dependencies JSON NOT NULL,
    provenance JSON NOT NULL,
    extra JSON NOT NULL,
    PRIMARY KEY (subject_id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE TABLE testcase (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    subject_id VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    code VARCHAR NOT NULL,
    inputs JSON NOT NULL,
    expected VARCHAR NOT NULL,
    weight FLOAT NOT NULL,
    timeout FLOAT,
    PRIMARY KEY (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_testcase_subject_id ON testcase (subject_id);

CREATE TABLE vote (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    question VARCHAR NOT NULL,
    choice VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_vote_annotator_id ON vote (annotator_id);
CREATE INDEX ix_vote_change_id ON vote (change_id);
CREATE INDEX ix_vote_subject_id ON vote (subject_id);

CREATE TABLE error_label (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    response_id VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    note VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(response_id) REFERENCES response (id)
);

CREATE INDEX ix_error_label_annotator_id ON error_label (annotator_id);
CREATE INDEX ix_error_label_change_id ON error_label (change_id);
CREATE INDEX ix_error_label_response_id ON error_label (response_id);

CREATE TABLE judgement (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    pair_id VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    "order" VARCHAR NOT NULL,
    rationale VARCHAR NOT NULL,
    seconds FLOAT,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(pair_id) REFERENCES pair (id)
);

CREATE INDEX ix_judgement_annotator_id ON judgement (annotator_id);
CREATE INDEX ix_judgement_change_id ON judgement (change_id);
CREATE INDEX ix_judgement_pair_id ON judgement (pair_id);

CREATE TABLE score (
    response_id VARCHAR NOT NULL,
    criterion_hash VARCHAR NOT NULL,
    points FLOAT,
    total FLOAT,
    score FLOAT,
    outcome VARCHAR NOT NULL,
    detail JSON NOT NULL,
    created_at VARCHAR NOT NULL,
    PRIMARY KEY (response_id, criterion_hash),
    FOREIGN KEY(response_id) REFERENCES response (id)
);

CREATE INDEX ix_subject_queue ON subject (active, verdict, language, task, domain, row);
CREATE INDEX ix_subject_stage ON subject (active, verdict, prompt_id, criterion_id);
CREATE UNIQUE INDEX ix_response_stored ON response (subject_id, model_id, sample) WHERE run_id IS NULL;

CREATE VIRTUAL TABLE subject_search USING fts5(
    title, key, prompt, content='', tokenize="unicode61 tokenchars '_'", prefix='2 3'
);

-- Schema version 2.
-- A proof holds for one criterion and one prompt; a subject says whether its current ones are proven.
ALTER TABLE proof ADD COLUMN prompt_id VARCHAR;
ALTER TABLE subject ADD COLUMN proven BOOLEAN NOT NULL DEFAULT 0;

CREATE INDEX ix_proof_subject_hash ON proof (subject_id, content_hash);

-- Schema version 3.
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

-- Schema version 4.
-- Runs that ask an endpoint: the whole request beside each answer, requests without one, score sets, and what runs
-- are set up with.
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

-- Schema version 5.
-- Scores of a run side by side, so that millions are read at once; whatever changes a score drops its run's.
CREATE TABLE run_scores (
    run_id VARCHAR NOT NULL,
    positions BLOB NOT NULL,
    outcomes BLOB NOT NULL,
    scores BLOB NOT NULL,
    totals JSON NOT NULL,
    PRIMARY KEY (run_id),
    FOREIGN KEY(run_id) REFERENCES run (id)
);

CREATE TRIGGER run_scores_added AFTER INSERT ON score BEGIN
    DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
END;

CREATE TRIGGER run_scores_changed AFTER UPDATE ON score BEGIN
    DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
END;

CREATE TRIGGER run_scores_removed AFTER DELETE ON score BEGIN
    DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = OLD.response_id);
END;

-- Resuming a run, or letting other scores of it count, changes its row.
CREATE TRIGGER run_scores_resumed AFTER UPDATE ON run BEGIN
    DELETE FROM run_scores WHERE run_id = NEW.id;
END;

-- Tables of numbers that others published, to set beside one's own and to check.
CREATE TABLE published_table (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    name VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    content JSON NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_published_table_annotator_id ON published_table (annotator_id);
CREATE INDEX ix_published_table_change_id ON published_table (change_id);

-- Schema version 6.
-- What a project wants of which kind; what people say a subject is; rewrites of mined code, and why a reference may
-- stay below full coverage. Few rows are expected in any of these but label, so the others have an index for their
-- subject alone.

CREATE TABLE quotaplan (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    quotas JSON NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE TABLE label (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    before VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_label_change_id ON label (change_id);
CREATE INDEX ix_label_subject_id ON label (subject_id);

CREATE TABLE rewriting (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    document JSON NOT NULL,
    content_hash VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_rewriting_subject_id ON rewriting (subject_id);

CREATE TABLE coveragenote (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    exception_id VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_coveragenote_subject_id ON coveragenote (subject_id);

-- Schema version 7.
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

-- Schema version 8.
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

-- Schema version 10.
-- Bugs that hold several proven ones, and labels that a reviewer lets pass beside a bug's own.
ALTER TABLE bug ADD COLUMN parts JSON NOT NULL DEFAULT '[]';
ALTER TABLE bug_review ADD COLUMN labels JSON NOT NULL DEFAULT '[]';

-- Schema version 11.
-- Whose turn a candidate is; how many subjects of each kind there are, kept in step by triggers, so that the counts
-- beside filters cost the same in a project of any size; and an index that finds decisions by a faster clock.
CREATE TABLE allotment (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    person_id VARCHAR,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(person_id) REFERENCES annotator (id)
);

CREATE INDEX ix_allotment_change_id ON allotment (change_id);
CREATE INDEX ix_allotment_subject_id ON allotment (subject_id);

ALTER TABLE subject ADD COLUMN holder_id VARCHAR;

CREATE INDEX ix_decision_created_at ON decision (created_at);

-- Their counts are kept from here on, and every decision paid for them.
DROP INDEX ix_subject_stage;

DROP INDEX ix_subject_queue;

-- What the queue is filtered and sorted by; subjects of an import under way are in none of them.
CREATE INDEX ix_subject_verdict ON subject (verdict) WHERE active = 1;
CREATE INDEX ix_subject_language ON subject (language) WHERE active = 1;
CREATE INDEX ix_subject_area ON subject (area) WHERE active = 1;
CREATE INDEX ix_subject_domain ON subject (domain) WHERE active = 1;
CREATE INDEX ix_subject_difficulty ON subject (difficulty) WHERE active = 1;
CREATE INDEX ix_subject_views ON subject (views DESC) WHERE active = 1;
CREATE INDEX ix_subject_title ON subject (title COLLATE NOCASE) WHERE active = 1;
CREATE INDEX ix_subject_holder_id ON subject (holder_id) WHERE active = 1 AND holder_id IS NOT NULL;

CREATE TABLE subject_count (
    task VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    area VARCHAR NOT NULL,
    difficulty VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    holder_id VARCHAR NOT NULL,
    has_prompt BOOLEAN NOT NULL,
    has_criterion BOOLEAN NOT NULL,
    proven BOOLEAN NOT NULL,
    subjects INTEGER NOT NULL,
    PRIMARY KEY (task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven)
) WITHOUT ROWID;

INSERT INTO subject_count
SELECT task, language, domain, area, difficulty, coalesce(verdict, ''), coalesce(holder_id, ''),
    CASE WHEN prompt_id IS NULL THEN 0 ELSE 1 END, CASE WHEN criterion_id IS NULL THEN 0 ELSE 1 END, proven, count(*)
FROM subject WHERE active = 1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;

CREATE TRIGGER subject_count_added AFTER INSERT ON subject WHEN NEW.active = 1 BEGIN
    INSERT INTO subject_count VALUES (
        NEW.task, NEW.language, NEW.domain, NEW.area, NEW.difficulty, coalesce(NEW.verdict, ''),
        coalesce(NEW.holder_id, ''), CASE WHEN NEW.prompt_id IS NULL THEN 0 ELSE 1 END,
        CASE WHEN NEW.criterion_id IS NULL THEN 0 ELSE 1 END, NEW.proven, 1
    ) ON CONFLICT (
        task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven
    ) DO UPDATE SET subjects = subject_count.subjects + 1;
END;

CREATE TRIGGER subject_count_changed AFTER UPDATE ON subject WHEN
    (OLD.active, OLD.task, OLD.language, OLD.domain, OLD.area, OLD.difficulty, OLD.verdict, OLD.holder_id,
     OLD.prompt_id IS NOT NULL, OLD.criterion_id IS NOT NULL, OLD.proven)
    IS NOT
    (NEW.active, NEW.task, NEW.language, NEW.domain, NEW.area, NEW.difficulty, NEW.verdict, NEW.holder_id,
     NEW.prompt_id IS NOT NULL, NEW.criterion_id IS NOT NULL, NEW.proven)
BEGIN
    UPDATE subject_count SET subjects = subjects - 1 WHERE OLD.active = 1
        AND task = OLD.task AND language = OLD.language AND domain = OLD.domain AND area = OLD.area
        AND difficulty = OLD.difficulty AND verdict = coalesce(OLD.verdict, '')
        AND holder_id = coalesce(OLD.holder_id, '') AND has_prompt = CASE WHEN OLD.prompt_id IS NULL THEN 0 ELSE 1 END
        AND has_criterion = CASE WHEN OLD.criterion_id IS NULL THEN 0 ELSE 1 END AND proven = OLD.proven;
    INSERT INTO subject_count SELECT
        NEW.task, NEW.language, NEW.domain, NEW.area, NEW.difficulty, coalesce(NEW.verdict, ''),
        coalesce(NEW.holder_id, ''), CASE WHEN NEW.prompt_id IS NULL THEN 0 ELSE 1 END,
        CASE WHEN NEW.criterion_id IS NULL THEN 0 ELSE 1 END, NEW.proven, 1
    WHERE NEW.active = 1 ON CONFLICT (
        task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven
    ) DO UPDATE SET subjects = subject_count.subjects + 1;
END;

CREATE TRIGGER subject_count_removed AFTER DELETE ON subject WHEN OLD.active = 1 BEGIN
    UPDATE subject_count SET subjects = subjects - 1 WHERE
        task = OLD.task AND language = OLD.language AND domain = OLD.domain AND area = OLD.area
        AND difficulty = OLD.difficulty AND verdict = coalesce(OLD.verdict, '')
        AND holder_id = coalesce(OLD.holder_id, '') AND has_prompt = CASE WHEN OLD.prompt_id IS NULL THEN 0 ELSE 1 END
        AND has_criterion = CASE WHEN OLD.criterion_id IS NULL THEN 0 ELSE 1 END AND proven = OLD.proven;
END;

-- Schema version 12.
-- Who works on which subject at this moment, so that no two people are given the same one. Moments are seconds
-- since 1970 by the project's own clock: the server's, or this machine's for a file.
CREATE TABLE lease (
    subject_id VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    client VARCHAR NOT NULL,
    taken_at FLOAT NOT NULL,
    until FLOAT NOT NULL,
    PRIMARY KEY (subject_id),
    FOREIGN KEY(subject_id) REFERENCES subject (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE INDEX ix_lease_client ON lease (client);

-- Schema version 14.
-- One rule for the score of a response that counts: that of the run's score set; for a run without one, the newest.
DROP VIEW current_score;

-- Every response of a run with that score; without a score its columns are empty.
CREATE VIEW response_score AS
SELECT r.id AS response_id, r.run_id, r.subject_id, r.sample, u.release_id, s.criterion_hash, s.outcome, s.score,
    s.points, s.total
FROM response r
JOIN run u ON u.id = r.run_id
LEFT JOIN score_set_item i ON i.set_id = u.score_set_id AND i.subject_id = r.subject_id
LEFT JOIN score s ON s.response_id = r.id AND s.criterion_hash = CASE WHEN u.score_set_id IS NULL THEN (
    SELECT n.criterion_hash FROM score n WHERE n.response_id = r.id ORDER BY n.created_at DESC, n.criterion_hash LIMIT 1
) ELSE i.criterion_hash END;

-- Only the responses that have one.
CREATE VIEW current_score AS
SELECT response_id, criterion_hash, outcome, score, points, total, run_id, subject_id, sample
FROM response_score WHERE criterion_hash IS NOT NULL;

-- What the list of runs says of a run's responses, so that millions are not counted again; whatever changes one drops it.
CREATE TABLE run_counts (
    run_id VARCHAR NOT NULL,
    content JSON NOT NULL,
    PRIMARY KEY (run_id),
    FOREIGN KEY(run_id) REFERENCES run (id)
);

CREATE TRIGGER run_counts_answered AFTER INSERT ON response BEGIN
    DELETE FROM run_counts WHERE run_id = NEW.run_id;
END;

CREATE TRIGGER run_counts_failed AFTER INSERT ON failure BEGIN
    DELETE FROM run_counts WHERE run_id = NEW.run_id;
END;

CREATE TRIGGER run_counts_mended AFTER DELETE ON failure BEGIN
    DELETE FROM run_counts WHERE run_id = OLD.run_id;
END;

CREATE TRIGGER run_counts_changed AFTER UPDATE ON run BEGIN
    DELETE FROM run_counts WHERE run_id = NEW.id;
END;

DROP TRIGGER run_scores_added;

DROP TRIGGER run_scores_changed;

DROP TRIGGER run_scores_removed;

CREATE TRIGGER run_scores_added AFTER INSERT ON score BEGIN
    DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
    DELETE FROM run_counts WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
END;

CREATE TRIGGER run_scores_changed AFTER UPDATE ON score BEGIN
    DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
    DELETE FROM run_counts WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
END;

CREATE TRIGGER run_scores_removed AFTER DELETE ON score BEGIN
    DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = OLD.response_id);
    DELETE FROM run_counts WHERE run_id = (SELECT run_id FROM response WHERE id = OLD.response_id);
END;

-- Schema version 15.
-- Which subjects search does not know yet: those of a long import, until the index is built behind it.
CREATE TABLE search_gap (
    first_row INTEGER NOT NULL,
    last_row INTEGER NOT NULL,
    PRIMARY KEY (first_row)
);

-- Schema version 16.
-- A filtered queue in the order of views or titles is found on a walk along that order. What filters look at stands
-- in the index, so that nothing is looked up on the way; the row makes the order whole. Verdicts and holders are
-- left out: they change with every decision.
DROP INDEX ix_subject_views;

DROP INDEX ix_subject_title;

CREATE INDEX ix_subject_views ON subject (views DESC, row, language, task, domain, area, difficulty, active)
WHERE active = 1;

CREATE INDEX ix_subject_title ON subject (title COLLATE NOCASE, row, language, task, domain, area, difficulty, active)
WHERE active = 1;

-- Schema version 17.
-- Long imports that are part of the project, but whose subjects are not all visible yet: they become so in short
-- parts.
CREATE TABLE arrival (
    change_id VARCHAR NOT NULL,
    PRIMARY KEY (change_id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

-- Schema version 18.
-- Search knows which subjects a word is in, no longer where in them: nothing asks for that, and it was most of the
-- index. In its place the first letters of words have lists of their own, from one letter to five, so that what is
-- found first is known without reading the lists of all words that begin alike.
DROP TABLE subject_search;

CREATE VIRTUAL TABLE subject_search USING fts5(
    title, key, prompt, content='', detail=none, tokenize="unicode61 tokenchars '_'", prefix='1 2 3 4 5'
);

DELETE FROM search_gap;

INSERT INTO subject_search (rowid, title, key, prompt)
SELECT s.row, s.title, s.key, t.prompt FROM subject s JOIN subjecttext t ON t.subject_id = s.id;

-- Of the hits of a search those that were taken back are left out without looking up all others.
CREATE INDEX ix_subject_gone ON subject (row) WHERE active = 0;

-- Schema version 19.
-- People settle verdicts that are in doubt (disputed, flaky, tampered): of an item and the hash of an answer,
-- whoever gave it. What was settled last counts, in every run.
CREATE TABLE settlement (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    subject_id VARCHAR NOT NULL,
    answer_hash VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id),
    FOREIGN KEY(subject_id) REFERENCES subject (id)
);

CREATE INDEX ix_settlement_annotator_id ON settlement (annotator_id);
CREATE INDEX ix_settlement_change_id ON settlement (change_id);
CREATE INDEX ix_settlement_subject_id ON settlement (subject_id);

DROP VIEW current_score;

DROP VIEW response_score;

-- The score that counts, as people settled it where its verdict is in doubt; "told" is what the sandbox said.
CREATE VIEW response_score AS
SELECT q.response_id, q.run_id, q.subject_id, q.sample, q.release_id, q.criterion_hash,
    coalesce(q.settled, q.told) AS outcome,
    CASE q.settled WHEN 'pass' THEN 1.0 WHEN 'fail' THEN 0.0 ELSE q.score END AS score, q.points, q.total, q.told
FROM (
    SELECT r.id AS response_id, r.run_id, r.subject_id, r.sample, u.release_id, s.criterion_hash, s.outcome AS told,
        s.score, s.points, s.total, CASE WHEN s.outcome IN ('disputed', 'flaky', 'tampered') THEN (
            SELECT t.verdict FROM settlement t
            WHERE t.subject_id = r.subject_id AND t.answer_hash = r.content_hash AND t.active = 1
            ORDER BY t.created_at DESC, t.id DESC LIMIT 1
        ) END AS settled
    FROM response r
    JOIN run u ON u.id = r.run_id
    LEFT JOIN score_set_item i ON i.set_id = u.score_set_id AND i.subject_id = r.subject_id
    LEFT JOIN score s ON s.response_id = r.id AND s.criterion_hash = CASE WHEN u.score_set_id IS NULL THEN (
        SELECT n.criterion_hash FROM score n
        WHERE n.response_id = r.id ORDER BY n.created_at DESC, n.criterion_hash LIMIT 1
    ) ELSE i.criterion_hash END
) q;

CREATE VIEW current_score AS
SELECT response_id, criterion_hash, outcome, score, points, total, run_id, subject_id, sample
FROM response_score WHERE criterion_hash IS NOT NULL;

CREATE TRIGGER run_scores_settled AFTER INSERT ON settlement BEGIN
    DELETE FROM run_scores WHERE run_id IN (
        SELECT run_id FROM response WHERE subject_id = NEW.subject_id AND content_hash = NEW.answer_hash);
    DELETE FROM run_counts WHERE run_id IN (
        SELECT run_id FROM response WHERE subject_id = NEW.subject_id AND content_hash = NEW.answer_hash);
END;

CREATE TRIGGER run_scores_settled_again AFTER UPDATE ON settlement BEGIN
    DELETE FROM run_scores WHERE run_id IN (
        SELECT run_id FROM response WHERE subject_id = NEW.subject_id AND content_hash = NEW.answer_hash);
    DELETE FROM run_counts WHERE run_id IN (
        SELECT run_id FROM response WHERE subject_id = NEW.subject_id AND content_hash = NEW.answer_hash);
END;

-- Schema version 20.
-- What people state on points of the release audit that the program cannot know; the newest active row of a point
-- counts.
CREATE TABLE audit_answer (
    id VARCHAR NOT NULL,
    created_at VARCHAR NOT NULL,
    annotator_id VARCHAR NOT NULL,
    change_id VARCHAR NOT NULL,
    active BOOLEAN NOT NULL,
    point VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    statement VARCHAR NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    FOREIGN KEY(change_id) REFERENCES change (id)
);

CREATE INDEX ix_audit_answer_annotator_id ON audit_answer (annotator_id);
CREATE INDEX ix_audit_answer_change_id ON audit_answer (change_id);
