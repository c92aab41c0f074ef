-- People settle verdicts that are in doubt (disputed, flaky, tampered): of an item and the hash of an answer, whoever
-- gave it. What was settled last counts, in every run.
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
