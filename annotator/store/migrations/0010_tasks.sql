-- Bugs that hold several proven ones, and labels that a reviewer lets pass beside a bug's own.
ALTER TABLE bug ADD COLUMN parts JSON NOT NULL DEFAULT '[]';
ALTER TABLE bug_review ADD COLUMN labels JSON NOT NULL DEFAULT '[]';
