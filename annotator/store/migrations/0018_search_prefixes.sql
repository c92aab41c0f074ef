-- Search knows which subjects a word is in, no longer where in them: nothing asks for that, and it was most of the index.
-- In its place the first letters of words have lists of their own, from one letter to five, so that what is found first
-- is known without reading the lists of all words that begin alike.
DROP TABLE subject_search;

CREATE VIRTUAL TABLE subject_search USING fts5(
    title, key, prompt, content='', detail=none, tokenize="unicode61 tokenchars '_'", prefix='1 2 3 4 5'
);

DELETE FROM search_gap;

INSERT INTO subject_search (rowid, title, key, prompt)
SELECT s.row, s.title, s.key, t.prompt FROM subject s JOIN subjecttext t ON t.subject_id = s.id;

-- Of the hits of a search those that were taken back are left out without looking up all others.
CREATE INDEX ix_subject_gone ON subject (row) WHERE active = 0;
