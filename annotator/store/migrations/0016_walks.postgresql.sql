-- A filtered queue in the order of views or titles is found on a walk along that order. What filters look at stands in
-- the index, so that nothing is looked up on the way; the row makes the order whole. Verdicts and holders are left out:
-- they change with every decision.
DROP INDEX ix_subject_views;

DROP INDEX ix_subject_title;

CREATE INDEX ix_subject_views ON subject (views DESC NULLS LAST, row, language, task, domain, area, difficulty, active)
WHERE active = 1;

CREATE INDEX ix_subject_title ON subject (lower(title), row, language, task, domain, area, difficulty, active)
WHERE active = 1;
