-- Search knows which subjects a word is in, no longer where in them: nothing asks for that, and it was most of the index.
-- In its place the first letters of words have lists of their own, from one letter to five, so that what is found first
-- is known without reading the lists of all words that begin alike.
CREATE INDEX ix_subject_gone ON subject (row) WHERE active = 0;
