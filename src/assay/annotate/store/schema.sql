-- The tables of a study. A page is given to an annotator as a whole and answered as a whole; each of its units is an
-- assignment. Bodies are JSON in ASCII, so that every character survives in every database.

CREATE TABLE study (
    id TEXT PRIMARY KEY,
    schema_version INTEGER NOT NULL,
    created REAL NOT NULL,
    paused INTEGER NOT NULL DEFAULT 0,
    criteria TEXT NOT NULL
) STRICT;

CREATE TABLE protocol (
    version INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    sha TEXT NOT NULL,
    text TEXT NOT NULL,
    rules TEXT NOT NULL
) STRICT;

-- The last number given in each numbered table; a number is never given twice, whatever is deleted.
CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT;

-- The data that is judged: a flat record per output, without judgments.
CREATE TABLE record (
    number INTEGER PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;

-- live: assignments open, submitted or accepted; stored: submitted or accepted. Both are rebuilt at every start.
CREATE TABLE unit (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    sha TEXT NOT NULL,
    gold TEXT,
    item TEXT NOT NULL,
    stratum TEXT NOT NULL,
    block INTEGER NOT NULL,
    live INTEGER NOT NULL DEFAULT 0,
    stored INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX unit_by_need ON unit (live, gold, number) WHERE gold IS NULL;
CREATE INDEX unit_by_block ON unit (block, live) WHERE gold IS NULL;

CREATE TABLE annotator (
    number INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    panel TEXT NOT NULL,
    panel_hmac TEXT UNIQUE,
    state TEXT NOT NULL,
    stage TEXT NOT NULL DEFAULT '',
    consented REAL,
    block INTEGER,
    completion_code TEXT,
    enrolled REAL NOT NULL
) STRICT;

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    annotator INTEGER NOT NULL REFERENCES annotator (number),
    panel_session TEXT UNIQUE,
    started REAL NOT NULL
) STRICT;
CREATE INDEX session_by_annotator ON session (annotator);

CREATE TABLE stage (
    annotator INTEGER NOT NULL REFERENCES annotator (number),
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (annotator, name)
) STRICT;

CREATE TABLE page (
    number INTEGER PRIMARY KEY,
    nonce TEXT NOT NULL UNIQUE,
    annotator INTEGER NOT NULL REFERENCES annotator (number),
    place INTEGER NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES protocol (version),
    policy TEXT NOT NULL,
    opened REAL NOT NULL,
    lease_until REAL NOT NULL,
    draft TEXT
) STRICT;
CREATE INDEX page_by_annotator ON page (annotator, state);
CREATE INDEX page_by_lease ON page (lease_until) WHERE state = 'open';

CREATE TABLE assignment (
    number INTEGER PRIMARY KEY,
    page INTEGER NOT NULL REFERENCES page (number),
    annotator INTEGER NOT NULL REFERENCES annotator (number),
    unit INTEGER NOT NULL REFERENCES unit (number),
    slot INTEGER NOT NULL,
    state TEXT NOT NULL,
    order_seed INTEGER NOT NULL,
    probability REAL NOT NULL
) STRICT;
CREATE UNIQUE INDEX assignment_once ON assignment (annotator, unit) WHERE state <> 'released';
CREATE INDEX assignment_by_unit ON assignment (unit);
CREATE INDEX assignment_by_page ON assignment (page, slot);

CREATE TABLE answer (
    page INTEGER PRIMARY KEY REFERENCES page (number),
    revision INTEGER NOT NULL,
    body TEXT NOT NULL,
    body_sha TEXT NOT NULL,
    judgments_sha TEXT NOT NULL,
    checks TEXT NOT NULL,
    ms_visible INTEGER,
    at REAL NOT NULL
) STRICT;

CREATE TABLE answer_old (
    page INTEGER NOT NULL REFERENCES page (number),
    revision INTEGER NOT NULL,
    body TEXT NOT NULL,
    body_sha TEXT NOT NULL,
    judgments TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (page, revision)
) STRICT;

-- value: a JSON number or text; columns: what the form keeps with it.
CREATE TABLE judgment (
    assignment INTEGER NOT NULL REFERENCES assignment (number),
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    unit TEXT NOT NULL,
    other TEXT,
    criterion TEXT NOT NULL,
    value TEXT NOT NULL,
    columns TEXT NOT NULL,
    PRIMARY KEY (assignment, place)
) STRICT;

-- A chain: each row holds the hash of the row before and of its own time, kind and body. A body begins with salt, so
-- that its hash tells nothing about a person once the body is deleted.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    actor INTEGER,
    body TEXT,
    body_sha TEXT NOT NULL,
    chain TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_actor ON event (actor);
