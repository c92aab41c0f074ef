-- One rule for the score of a response that counts: that of the run's score set; for a run without one, the newest.
DROP VIEW current_score;

CREATE VIEW response_score AS
SELECT r.id AS response_id, r.run_id, r.subject_id, r.sample, u.release_id, s.criterion_hash, s.outcome, s.score,
    s.points, s.total
FROM response r
JOIN run u ON u.id = r.run_id
LEFT JOIN score_set_item i ON i.set_id = u.score_set_id AND i.subject_id = r.subject_id
LEFT JOIN score s ON s.response_id = r.id AND s.criterion_hash = CASE WHEN u.score_set_id IS NULL THEN (
    SELECT n.criterion_hash FROM score n WHERE n.response_id = r.id ORDER BY n.created_at DESC, n.criterion_hash LIMIT 1
) ELSE i.criterion_hash END;

CREATE VIEW current_score AS
SELECT response_id, criterion_hash, outcome, score, points, total, run_id, subject_id, sample
FROM response_score WHERE criterion_hash IS NOT NULL;

CREATE TABLE run_counts (
    run_id TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id),
    FOREIGN KEY(run_id) REFERENCES run (id) DEFERRABLE
);

CREATE FUNCTION run_counts_answered() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_counts WHERE run_id = NEW.run_id; RETURN NULL; END $body$;

CREATE TRIGGER run_counts_answered AFTER INSERT ON response FOR EACH ROW EXECUTE FUNCTION run_counts_answered();

CREATE FUNCTION run_counts_failed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_counts WHERE run_id = NEW.run_id; RETURN NULL; END $body$;

CREATE TRIGGER run_counts_failed AFTER INSERT ON failure FOR EACH ROW EXECUTE FUNCTION run_counts_failed();

CREATE FUNCTION run_counts_mended() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_counts WHERE run_id = OLD.run_id; RETURN NULL; END $body$;

CREATE TRIGGER run_counts_mended AFTER DELETE ON failure FOR EACH ROW EXECUTE FUNCTION run_counts_mended();

CREATE FUNCTION run_counts_changed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_counts WHERE run_id = NEW.id; RETURN NULL; END $body$;

CREATE TRIGGER run_counts_changed AFTER UPDATE ON run FOR EACH ROW EXECUTE FUNCTION run_counts_changed();

DROP FUNCTION run_scores_added() CASCADE;

DROP FUNCTION run_scores_changed() CASCADE;

DROP FUNCTION run_scores_removed() CASCADE;

CREATE FUNCTION run_scores_added() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
    DELETE FROM run_counts WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id); RETURN NULL; END $body$;

CREATE TRIGGER run_scores_added AFTER INSERT ON score FOR EACH ROW EXECUTE FUNCTION run_scores_added();

CREATE FUNCTION run_scores_changed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id);
    DELETE FROM run_counts WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id); RETURN NULL; END $body$;

CREATE TRIGGER run_scores_changed AFTER UPDATE ON score FOR EACH ROW EXECUTE FUNCTION run_scores_changed();

CREATE FUNCTION run_scores_removed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = OLD.response_id);
    DELETE FROM run_counts WHERE run_id = (SELECT run_id FROM response WHERE id = OLD.response_id); RETURN NULL; END $body$;

CREATE TRIGGER run_scores_removed AFTER DELETE ON score FOR EACH ROW EXECUTE FUNCTION run_scores_removed();
