-- Each step brings a project from the version before to the named one, in files and on servers alike. A step is never
-- changed once it has landed.

-- Schema version 21.
-- A proof holds until the reference or the tests are edited; until now, an edit left an item proven.
UPDATE subject SET proven = 0 WHERE proven = 1 AND EXISTS (
    SELECT 1 FROM revision r
    WHERE r.subject_id = subject.id AND r.active = 1 AND NOT EXISTS (
        SELECT 1 FROM proof p
        WHERE p.subject_id = subject.id AND p.created_at >= r.created_at
            AND coalesce(p.prompt_id, '') = coalesce(subject.prompt_id, '')
            AND p.content_hash = coalesce(
                (SELECT c.content_hash FROM criterion c WHERE c.id = subject.criterion_id), subject.content_hash
            )
    )
);
