-- Long imports that are part of the project, but whose subjects are not all visible yet: they become so in short parts.
CREATE TABLE arrival (
    change_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (change_id),
    FOREIGN KEY(change_id) REFERENCES change (id) DEFERRABLE
);
