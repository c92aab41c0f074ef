-- Whose turn a candidate is; how many subjects of each kind there are, kept in step by triggers, so that the counts
-- beside filters cost the same in a project of any size; and an index that finds decisions by a faster clock.
CREATE TABLE allotment (
    id TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    annotator_id TEXT COLLATE "C" NOT NULL,
    change_id TEXT COLLATE "C" NOT NULL,
    active SMALLINT NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C",
    PRIMARY KEY (id),
    FOREIGN KEY(annotator_id) REFERENCES annotator (id) DEFERRABLE,
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE,
    FOREIGN KEY(subject_id) REFERENCES subject (id) DEFERRABLE,
    FOREIGN KEY(person_id) REFERENCES annotator (id) DEFERRABLE
);

CREATE INDEX ix_allotment_change_id ON allotment (change_id);

CREATE INDEX ix_allotment_subject_id ON allotment (subject_id);

ALTER TABLE subject ADD COLUMN holder_id TEXT COLLATE "C";

CREATE INDEX ix_decision_created_at ON decision (created_at);

DROP INDEX ix_subject_stage;

DROP INDEX ix_subject_queue;

CREATE INDEX ix_subject_verdict ON subject (verdict) WHERE active = 1;

CREATE INDEX ix_subject_language ON subject (language) WHERE active = 1;

CREATE INDEX ix_subject_area ON subject (area) WHERE active = 1;

CREATE INDEX ix_subject_domain ON subject (domain) WHERE active = 1;

CREATE INDEX ix_subject_difficulty ON subject (difficulty) WHERE active = 1;

CREATE INDEX ix_subject_views ON subject (views DESC NULLS LAST) WHERE active = 1;

CREATE INDEX ix_subject_title ON subject (lower(title)) WHERE active = 1;

CREATE INDEX ix_subject_holder_id ON subject (holder_id) WHERE active = 1 AND holder_id IS NOT NULL;

CREATE TABLE subject_count (
    task TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    domain TEXT COLLATE "C" NOT NULL,
    area TEXT COLLATE "C" NOT NULL,
    difficulty TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    holder_id TEXT COLLATE "C" NOT NULL,
    has_prompt SMALLINT NOT NULL,
    has_criterion SMALLINT NOT NULL,
    proven SMALLINT NOT NULL,
    subjects BIGINT NOT NULL,
    PRIMARY KEY (task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven)
);

INSERT INTO subject_count
SELECT task, language, domain, area, difficulty, coalesce(verdict, ''), coalesce(holder_id, ''),
    CASE WHEN prompt_id IS NULL THEN 0 ELSE 1 END, CASE WHEN criterion_id IS NULL THEN 0 ELSE 1 END, proven, count(*)
FROM subject WHERE active = 1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;

CREATE FUNCTION subject_count_added() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO subject_count VALUES (
        NEW.task, NEW.language, NEW.domain, NEW.area, NEW.difficulty, coalesce(NEW.verdict, ''),
        coalesce(NEW.holder_id, ''), CASE WHEN NEW.prompt_id IS NULL THEN 0 ELSE 1 END,
        CASE WHEN NEW.criterion_id IS NULL THEN 0 ELSE 1 END, NEW.proven, 1
    ) ON CONFLICT (
        task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven
    ) DO UPDATE SET subjects = subject_count.subjects + 1; RETURN NULL; END $body$;

CREATE TRIGGER subject_count_added AFTER INSERT ON subject FOR EACH ROW WHEN (NEW.active = 1) EXECUTE FUNCTION subject_count_added();

CREATE FUNCTION subject_count_changed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN UPDATE subject_count SET subjects = subjects - 1 WHERE OLD.active = 1
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
    ) DO UPDATE SET subjects = subject_count.subjects + 1; RETURN NULL; END $body$;

CREATE TRIGGER subject_count_changed AFTER UPDATE ON subject FOR EACH ROW WHEN ((OLD.active, OLD.task, OLD.language, OLD.domain, OLD.area, OLD.difficulty, OLD.verdict, OLD.holder_id,
     OLD.prompt_id IS NOT NULL, OLD.criterion_id IS NOT NULL, OLD.proven)
    IS DISTINCT FROM
    (NEW.active, NEW.task, NEW.language, NEW.domain, NEW.area, NEW.difficulty, NEW.verdict, NEW.holder_id,
     NEW.prompt_id IS NOT NULL, NEW.criterion_id IS NOT NULL, NEW.proven)) EXECUTE FUNCTION subject_count_changed();

CREATE FUNCTION subject_count_removed() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN UPDATE subject_count SET subjects = subjects - 1 WHERE
        task = OLD.task AND language = OLD.language AND domain = OLD.domain AND area = OLD.area
        AND difficulty = OLD.difficulty AND verdict = coalesce(OLD.verdict, '')
        AND holder_id = coalesce(OLD.holder_id, '') AND has_prompt = CASE WHEN OLD.prompt_id IS NULL THEN 0 ELSE 1 END
        AND has_criterion = CASE WHEN OLD.criterion_id IS NULL THEN 0 ELSE 1 END AND proven = OLD.proven; RETURN NULL; END $body$;

CREATE TRIGGER subject_count_removed AFTER DELETE ON subject FOR EACH ROW WHEN (OLD.active = 1) EXECUTE FUNCTION subject_count_removed();
