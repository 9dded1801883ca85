-- The schema of release 0.1.0. Tables are grouped by the folder in `src/` that owns them. `schema.prisma` describes each
-- column. Each hash is a SHA-256.
--
-- A lower fill factor leaves room on the page for new versions of a row. An update of columns without an index is then a
-- heap-only update, which writes no index.

-- users

CREATE TYPE "plan" AS ENUM ('monthly', 'yearly');

CREATE TABLE "user" (
    "key" SERIAL PRIMARY KEY,
    "name" TEXT,
    "email" TEXT,
    "plan" "plan" NOT NULL,
    "limit" INTEGER NOT NULL,
    "anchor" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "valid_until" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "erased_at" TIMESTAMPTZ(3),
    "verified_at" TIMESTAMPTZ(3),
    "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "suspended_at" TIMESTAMPTZ(3),
    "suspended_reason" TEXT,
    "next_plan" "plan",
    "next_limit" INTEGER,
    "next_from" TIMESTAMPTZ(3)
);

-- Processes poll the latest changes.
CREATE INDEX "user_changed_at_idx" ON "user" ("changed_at");
-- Finds a user by email address, case-insensitively. Erased users have no address.
CREATE INDEX "user_email_idx" ON "user" (lower("email" COLLATE "C")) WHERE "email" IS NOT NULL;
-- Finds a user by the beginning of any word of the name. Erased users have no name.
CREATE INDEX "user_name_words_idx" ON "user" USING GIN (to_tsvector('simple', "name")) WHERE "name" IS NOT NULL;
-- Few users have a pending change of the plan, and few are suspended.
CREATE INDEX "user_next_from_idx" ON "user" ("next_from") WHERE "next_from" IS NOT NULL;
CREATE INDEX "user_suspended_idx" ON "user" ("key") WHERE "suspended_at" IS NOT NULL;

-- keys

CREATE TYPE "scope" AS ENUM ('account', 'prices', 'node');

-- Fill factor: the row of a key in use is updated once a minute.
CREATE TABLE "api_key" (
    "hash" BYTEA PRIMARY KEY CHECK (octet_length("hash") = 32),
    "id" SERIAL NOT NULL,
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE CASCADE,
    "label" TEXT,
    "daily_limit" INTEGER,
    "allowed_origins" TEXT[],
    "url" BOOLEAN NOT NULL DEFAULT false,
    "scopes" "scope"[] NOT NULL DEFAULT '{account,prices,node}',
    "start" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "seen_origin" TEXT,
    "exposed_at" TIMESTAMPTZ(3),
    "node_date" DATE,
    "node_requests" INTEGER NOT NULL DEFAULT 0,
    "replaced_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3)
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX "api_key_id_key" ON "api_key" ("id");
CREATE INDEX "api_key_user_key_idx" ON "api_key" ("user_key");
-- Finds keys by a prefix. A cleared key has no start.
CREATE INDEX "api_key_start_idx" ON "api_key" ("start" COLLATE "C") WHERE "start" IS NOT NULL;

CREATE TABLE "stream_ticket" (
    "hash" BYTEA PRIMARY KEY CHECK (octet_length("hash") = 32),
    "key_hash" BYTEA NOT NULL REFERENCES "api_key" ON DELETE CASCADE ON UPDATE CASCADE,
    "expires_at" TIMESTAMPTZ(3) NOT NULL
);

CREATE INDEX "stream_ticket_key_hash_idx" ON "stream_ticket" ("key_hash");
CREATE INDEX "stream_ticket_expires_at_idx" ON "stream_ticket" ("expires_at");

-- ledger

-- A cluster distributes the ledger's tables by user, and allows no cascade of its key.
-- Fill factor of the ledger's tables: the rows of a key in use are updated every few seconds, within their page.
CREATE TABLE "usage" (
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE NO ACTION,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "limit" INTEGER,
    "credits" INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY ("user_key", "period_start")
) WITH (fillfactor = 40);

-- The search for due usage notices reads only current periods.
CREATE INDEX "usage_period_start_idx" ON "usage" ("period_start");

CREATE TABLE "process" (
    "id" UUID PRIMARY KEY,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "address" TEXT,
    "swept_at" TIMESTAMPTZ(6)
);

-- `report` and `spent` are neighbours: WAL contains only the bytes of a row between its first and its last change.
CREATE TABLE "lease" (
    "user_key" INTEGER NOT NULL,
    "process" UUID NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "date" DATE NOT NULL,
    "report" INTEGER NOT NULL,
    "spent" INTEGER NOT NULL,
    "granted" INTEGER NOT NULL,
    "key_id" INTEGER NOT NULL,
    "path" SMALLINT NOT NULL,
    "details" INTEGER[],
    PRIMARY KEY ("user_key", "process", "period_start", "date")
) WITH (fillfactor = 40);

-- The sweep reads the leases of an expired process.
CREATE INDEX "lease_process_idx" ON "lease" ("process");

CREATE TABLE "usage_day" (
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE NO ACTION,
    "date" DATE NOT NULL,
    "calls" INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY ("user_key", "date")
) WITH (fillfactor = 40);

CREATE TABLE "usage_detail" (
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE NO ACTION,
    "date" DATE NOT NULL,
    "key_id" INTEGER NOT NULL,
    "path" SMALLINT NOT NULL,
    "calls" INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY ("user_key", "date", "key_id", "path")
) WITH (fillfactor = 70);

-- notifications

CREATE TABLE "outbox_message" (
    "id" UUID PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "user_key" INTEGER,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "given_up_at" TIMESTAMPTZ(3)
);

CREATE INDEX "outbox_message_kind_due_at_idx" ON "outbox_message" ("kind", "due_at");
CREATE INDEX "outbox_message_created_at_id_idx" ON "outbox_message" ("created_at", "id");

CREATE TABLE "pending_registration" (
    "id" UUID PRIMARY KEY,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "plan" "plan" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL
);

CREATE TABLE "one_time_code" (
    "hash" BYTEA PRIMARY KEY CHECK (octet_length("hash") = 32),
    "user_key" INTEGER,
    "registration_id" UUID REFERENCES "pending_registration" ON DELETE CASCADE ON UPDATE CASCADE,
    "expires_at" TIMESTAMPTZ(3) NOT NULL
);

CREATE INDEX "one_time_code_user_key_idx" ON "one_time_code" ("user_key");
CREATE INDEX "one_time_code_registration_id_idx" ON "one_time_code" ("registration_id");

CREATE TABLE "mail_allowance" (
    "subject" BYTEA PRIMARY KEY CHECK (octet_length("subject") = 32),
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL
);

CREATE TABLE "notice_settings" (
    "user_key" INTEGER PRIMARY KEY REFERENCES "user" ON DELETE RESTRICT ON UPDATE CASCADE,
    "email" BOOLEAN NOT NULL,
    "webhook_url" TEXT,
    "thresholds" INTEGER[],
    "secret" TEXT,
    "previous_secret" TEXT,
    "previous_until" TIMESTAMPTZ(3)
);

CREATE TYPE "notice_kind" AS ENUM ('usage', 'validity');

CREATE TABLE "notice" (
    "id" UUID PRIMARY KEY,
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE CASCADE,
    "kind" "notice_kind" NOT NULL,
    "concerns" TIMESTAMPTZ(3) NOT NULL,
    "threshold" INTEGER NOT NULL,
    "used" INTEGER,
    "limit" INTEGER,
    "seen_at" TIMESTAMPTZ(6) NOT NULL,
    "reported_at" TIMESTAMPTZ(3),
    "mailed_at" TIMESTAMPTZ(3),
    "posted_at" TIMESTAMPTZ(3)
);

CREATE UNIQUE INDEX "notice_user_key_kind_concerns_threshold_key"
    ON "notice" ("user_key", "kind", "concerns", "threshold");
CREATE INDEX "notice_reported_at_idx" ON "notice" ("reported_at");

CREATE TABLE "webhook_delivery" (
    "id" UUID PRIMARY KEY,
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE CASCADE,
    "message_id" UUID NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('notice', 'test', 'resend')),
    "resend_of" UUID,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attempted_at" TIMESTAMPTZ(3),
    "http_status" INTEGER,
    "reason" TEXT,
    "delivered_at" TIMESTAMPTZ(3)
);

CREATE INDEX "webhook_delivery_user_key_created_at_id_idx" ON "webhook_delivery" ("user_key", "created_at", "id");
CREATE INDEX "webhook_delivery_created_at_idx" ON "webhook_delivery" ("created_at");

-- catalogue

CREATE TABLE "token" (
    "name" TEXT PRIMARY KEY,
    "symbol" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "begins" DATE NOT NULL,
    "listed" DATE NOT NULL,
    "pairs" JSONB NOT NULL DEFAULT '{}',
    "position" SERIAL NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3),
    "successor" TEXT,
    "unpriced_at" TIMESTAMPTZ(3),
    "added_at" TIMESTAMPTZ(3)
);

CREATE UNIQUE INDEX "token_position_key" ON "token" ("position");

CREATE TABLE "token_request" (
    "user_key" INTEGER NOT NULL,
    "token" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    PRIMARY KEY ("user_key", "token")
);

CREATE INDEX "token_request_requested_at_idx" ON "token_request" ("requested_at");

CREATE TABLE "listed_coin" (
    "id" TEXT PRIMARY KEY,
    "symbol" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "platforms" JSONB NOT NULL
);

CREATE TABLE "coin_address" (
    "platform" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "coin" TEXT NOT NULL,
    PRIMARY KEY ("platform", "address")
);

-- The tokens that a new installation serves, in their order.
INSERT INTO "token" ("name", "symbol", "title", "begins", "listed", "pairs") VALUES
    ('bitcoin', 'btc', 'Bitcoin', '2009-01-03', '2013-04-28', '{"kraken": "XXBTZUSD", "coinbase": "BTC-USD"}'),
    ('arweave', 'ar', 'Arweave', '2018-06-08', '2020-01-31', '{"kraken": "ARUSD"}'),
    ('ethereum', 'eth', 'Ethereum', '2015-07-30', '2015-08-07', '{"kraken": "XETHZUSD", "coinbase": "ETH-USD"}'),
    ('solana', 'sol', 'Solana', '2020-03-16', '2020-04-11', '{"kraken": "SOLUSD", "coinbase": "SOL-USD"}'),
    ('usd-coin', 'usdc', 'USDC', '2018-08-03', '2018-10-05', '{"kraken": "USDCUSD"}');

-- prices

CREATE TYPE "series_interval" AS ENUM ('minute', 'hour', 'day');

CREATE TABLE "point" (
    "token" TEXT NOT NULL,
    "interval" "series_interval" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "price" DOUBLE PRECISION,
    "market_cap" DOUBLE PRECISION,
    "volume" DOUBLE PRECISION,
    "final" BOOLEAN NOT NULL,
    "source" TEXT NOT NULL,
    "provisional" BOOLEAN NOT NULL,
    PRIMARY KEY ("token", "interval", "at"),
    -- The primary source may replace a provisional row.
    CHECK (NOT ("final" AND "provisional"))
);

CREATE TABLE "point_coverage" (
    "token" TEXT NOT NULL,
    "interval" "series_interval" NOT NULL,
    "source" TEXT NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "thru" TIMESTAMPTZ(3) NOT NULL,
    PRIMARY KEY ("token", "interval", "source", "from")
);

CREATE TABLE "candle" (
    "token" TEXT NOT NULL,
    "interval" "series_interval" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "open" DOUBLE PRECISION NOT NULL,
    "high" DOUBLE PRECISION NOT NULL,
    "low" DOUBLE PRECISION NOT NULL,
    "close" DOUBLE PRECISION NOT NULL,
    "volume" DOUBLE PRECISION NOT NULL,
    "final" BOOLEAN NOT NULL,
    "source" TEXT NOT NULL,
    PRIMARY KEY ("token", "interval", "at")
);

CREATE TABLE "candle_coverage" (
    "token" TEXT NOT NULL,
    "interval" "series_interval" NOT NULL,
    "source" TEXT NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "thru" TIMESTAMPTZ(3) NOT NULL,
    PRIMARY KEY ("token", "interval", "source", "from")
);

CREATE TABLE "latest_price" (
    "token" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "record" JSONB NOT NULL,
    "market" JSONB,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,
    "held_price" DOUBLE PRECISION,
    PRIMARY KEY ("token", "source")
);

CREATE TABLE "source_failover" (
    "resource" TEXT PRIMARY KEY,
    "served" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3),
    "differences" JSONB NOT NULL
);

CREATE TABLE "exchange_rates" (
    "date" DATE PRIMARY KEY,
    "rates" JSONB NOT NULL
);

CREATE TABLE "exchange_rate_span" (
    "source" TEXT PRIMARY KEY,
    "from" DATE NOT NULL
);

-- statistics

CREATE TABLE "latest_statistics" (
    "token" TEXT PRIMARY KEY,
    "source" TEXT NOT NULL,
    "record" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL
);

CREATE TABLE "chain_count" (
    "token" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "transaction_count_all_time" BIGINT,
    "unique_addresses_all_time" BIGINT,
    PRIMARY KEY ("token", "source", "at")
);

-- operator

CREATE TABLE "credit" (
    "id" SERIAL PRIMARY KEY,
    "user_key" INTEGER NOT NULL REFERENCES "user" ON DELETE RESTRICT ON UPDATE CASCADE,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "calls" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL
);

CREATE INDEX "credit_user_key_idx" ON "credit" ("user_key");

CREATE TABLE "audit_event" (
    "id" BIGSERIAL PRIMARY KEY,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "user_key" INTEGER,
    "before" JSONB,
    "after" JSONB,
    "request_id" TEXT
);

-- The log is read from its newest event, whole or by one filter.
CREATE INDEX "audit_event_at_id_idx" ON "audit_event" ("at", "id");
CREATE INDEX "audit_event_user_key_at_id_idx" ON "audit_event" ("user_key", "at", "id");
CREATE INDEX "audit_event_actor_at_id_idx" ON "audit_event" ("actor", "at", "id");
CREATE INDEX "audit_event_action_at_id_idx" ON "audit_event" ("action", "at", "id");

CREATE TABLE "announcement" (
    "id" INTEGER PRIMARY KEY DEFAULT 1,
    "text" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    -- There is only one announcement.
    CHECK ("id" = 1)
);

CREATE TABLE "user_activity" (
    "user_key" INTEGER PRIMARY KEY REFERENCES "user" ON DELETE RESTRICT ON UPDATE CASCADE,
    "calls" BIGINT NOT NULL,
    "used" INTEGER NOT NULL,
    "resets_at" TIMESTAMPTZ(3) NOT NULL,
    "slot" INTEGER NOT NULL,
    "slots" INTEGER[],
    "last_hour" INTEGER NOT NULL
);

CREATE INDEX "user_activity_used_user_key_idx" ON "user_activity" ("used", "user_key");
CREATE INDEX "user_activity_last_hour_user_key_idx" ON "user_activity" ("last_hour", "user_key");
CREATE INDEX "user_activity_resets_at_idx" ON "user_activity" ("resets_at");

-- status

CREATE TABLE "incident" (
    "id" SERIAL PRIMARY KEY,
    "component" TEXT NOT NULL,
    "state" TEXT NOT NULL CHECK ("state" IN ('degraded', 'down')),
    "reason" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3)
);

-- A component has at most one incident that has not ended, even if several processes see the failure at once.
CREATE UNIQUE INDEX "incident_open_idx" ON "incident" ("component") WHERE "ended_at" IS NULL;

CREATE TABLE "observed_day" (
    "component" TEXT NOT NULL,
    "date" DATE NOT NULL,
    PRIMARY KEY ("component", "date")
);

-- upstream

CREATE TABLE "refresh" (
    "resource" TEXT PRIMARY KEY,
    "fetched_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 0,
    "holder" UUID,
    "until" TIMESTAMPTZ(6)
);

CREATE TABLE "budget" (
    "upstream" TEXT PRIMARY KEY,
    "minute_start" TIMESTAMPTZ(3) NOT NULL,
    "minute_spent" INTEGER NOT NULL,
    "month_start" TIMESTAMPTZ(3) NOT NULL,
    "month_spent" INTEGER NOT NULL,
    "first_call_at" TIMESTAMPTZ(3)
);

CREATE TABLE "source_outcome" (
    "source" TEXT PRIMARY KEY,
    "succeeded_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "cause" TEXT
);

-- database

CREATE TABLE "shared_secret" (
    "name" TEXT PRIMARY KEY,
    "value" TEXT NOT NULL
);
