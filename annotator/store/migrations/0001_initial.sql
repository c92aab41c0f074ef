-- Schema version 1. Frozen: a later change is a new migration, never an edit here.

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
