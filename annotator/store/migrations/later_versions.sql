-- Each step brings a project from the version before to the named one, in files and on servers alike. A step is never
-- changed once it has landed. Those after version 22 begin with DELETE FROM block_digest, as they change rows.

-- Schema version 21.
-- A proof names the edits of reference and tests with which it was made. Until now, an edit left an item proven; proofs
-- made until now hold if no edit followed and none from before was undone.
ALTER TABLE proof ADD COLUMN edits VARCHAR;

UPDATE subject SET proven = coalesce((
    SELECT CASE p.outcome WHEN 'pass' THEN 1 ELSE 0 END FROM proof p
    WHERE p.subject_id = subject.id AND coalesce(p.prompt_id, '') = coalesce(subject.prompt_id, '')
        AND p.content_hash = coalesce(
            (SELECT c.content_hash FROM criterion c WHERE c.id = subject.criterion_id), subject.content_hash
        )
        AND NOT EXISTS (
            SELECT 1 FROM revision r WHERE r.subject_id = subject.id AND (
                (r.active = 1 AND r.created_at > p.created_at) OR (r.active = 0 AND r.created_at <= p.created_at)
            )
        )
    ORDER BY p.created_at DESC, p.id DESC LIMIT 1
), 0) WHERE id IN (SELECT subject_id FROM revision);

-- Schema version 22.
CREATE TABLE block_digest (
    table_name VARCHAR NOT NULL,
    block INTEGER NOT NULL,
    last_row INTEGER NOT NULL,
    digest VARCHAR NOT NULL,
    PRIMARY KEY (table_name, block)
);
