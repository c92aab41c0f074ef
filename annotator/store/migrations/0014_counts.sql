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
