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
