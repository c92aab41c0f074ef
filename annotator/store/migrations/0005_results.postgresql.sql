-- Scores of a run side by side, so that millions are read at once; whatever changes a score drops its run's.
CREATE TABLE run_scores (
    run_id TEXT COLLATE "C" NOT NULL,
    positions BYTEA NOT NULL,
    outcomes BYTEA NOT NULL,
    scores BYTEA NOT NULL,
    totals TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id),
    FOREIGN KEY(run_id) REFERENCES run (id) DEFERRABLE
);

CREATE FUNCTION run_scores_added() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id); RETURN NULL; END $body$;

CREATE TRIGGER run_scores_added AFTER INSERT ON score FOR EACH ROW EXECUTE FUNCTION run_scores_added();

CREATE FUNCTION run_scores_changed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = NEW.response_id); RETURN NULL; END $body$;

CREATE TRIGGER run_scores_changed AFTER UPDATE ON score FOR EACH ROW EXECUTE FUNCTION run_scores_changed();

CREATE FUNCTION run_scores_removed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = (SELECT run_id FROM response WHERE id = OLD.response_id); RETURN NULL; END $body$;

CREATE TRIGGER run_scores_removed AFTER DELETE ON score FOR EACH ROW EXECUTE FUNCTION run_scores_removed();

CREATE FUNCTION run_scores_resumed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN DELETE FROM run_scores WHERE run_id = NEW.id; RETURN NULL; END $body$;

CREATE TRIGGER run_scores_resumed AFTER UPDATE ON run FOR EACH ROW EXECUTE FUNCTION run_scores_resumed();

CREATE TABLE published_table (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE
);

CREATE INDEX ix_published_table_annotator_id ON published_table (annotator_id);

CREATE INDEX ix_published_table_change_id ON published_table (change_id);
