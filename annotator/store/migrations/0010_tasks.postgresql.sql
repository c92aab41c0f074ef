-- Bugs that hold several proven ones, and labels that a reviewer lets pass beside a bug's own.
ALTER TABLE bug ADD COLUMN parts TEXT COLLATE "C" NOT NULL DEFAULT '[]';

ALTER TABLE bug_review ADD COLUMN labels TEXT COLLATE "C" NOT NULL DEFAULT '[]';
