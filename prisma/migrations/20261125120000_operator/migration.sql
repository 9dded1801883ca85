-- oldest-release: 0.1.0
-- The operator's changes: suspension, plan changes, credits, and the audit log. A release before this one ignores
-- suspensions, credits and changes of the plan that have not started.

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "next_from" TIMESTAMPTZ(3),
ADD COLUMN     "next_limit" INTEGER,
ADD COLUMN     "next_plan" "plan",
ADD COLUMN     "suspended_at" TIMESTAMPTZ(3),
ADD COLUMN     "suspended_reason" TEXT;

-- The limit of one period, where it differs from the user's, and its credits: the ledger reads them in the row that it
-- locks anyway.
-- AlterTable
ALTER TABLE "usage" ADD COLUMN     "credits" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "limit" INTEGER;

-- CreateTable
CREATE TABLE "credit" (
    "id" SERIAL NOT NULL,
    "user_key" INTEGER NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "calls" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_event" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "user_key" INTEGER,
    "before" JSONB,
    "after" JSONB,
    "request_id" TEXT,

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "announcement" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "text" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "announcement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "source_outcome" (
    "source" TEXT NOT NULL,
    "succeeded_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "cause" TEXT,

    CONSTRAINT "source_outcome_pkey" PRIMARY KEY ("source")
);

-- CreateTable
CREATE TABLE "user_activity" (
    "user_key" INTEGER NOT NULL,
    "calls" BIGINT NOT NULL,
    "used" INTEGER NOT NULL,
    "resets_at" TIMESTAMPTZ(3) NOT NULL,
    "slot" INTEGER NOT NULL,
    "slots" INTEGER[],
    "last_hour" INTEGER NOT NULL,

    CONSTRAINT "user_activity_pkey" PRIMARY KEY ("user_key")
);

-- CreateIndex
CREATE INDEX "user_next_from_idx" ON "user"("next_from") WHERE "next_from" IS NOT NULL;

-- CreateIndex
CREATE INDEX "user_suspended_idx" ON "user"("key") WHERE "suspended_at" IS NOT NULL;

-- A search for the start of any word of a name.
CREATE INDEX "user_name_words_idx" ON "user" USING GIN (to_tsvector('simple', "name")) WHERE "name" IS NOT NULL;

-- CreateIndex
CREATE INDEX "api_key_start_idx" ON "api_key"("start" COLLATE "C") WHERE "start" IS NOT NULL;

-- CreateIndex
CREATE INDEX "outbox_message_created_at_id_idx" ON "outbox_message"("created_at", "id");

-- CreateIndex
CREATE INDEX "credit_user_key_idx" ON "credit"("user_key");

-- CreateIndex
CREATE INDEX "audit_event_at_id_idx" ON "audit_event"("at", "id");

-- CreateIndex
CREATE INDEX "audit_event_user_key_at_id_idx" ON "audit_event"("user_key", "at", "id");

-- CreateIndex
CREATE INDEX "audit_event_actor_at_id_idx" ON "audit_event"("actor", "at", "id");

-- CreateIndex
CREATE INDEX "audit_event_action_at_id_idx" ON "audit_event"("action", "at", "id");

-- CreateIndex
CREATE INDEX "user_activity_used_user_key_idx" ON "user_activity"("used", "user_key");

-- CreateIndex
CREATE INDEX "user_activity_last_hour_user_key_idx" ON "user_activity"("last_hour", "user_key");

-- CreateIndex
CREATE INDEX "user_activity_resets_at_idx" ON "user_activity"("resets_at");

-- AddForeignKey
ALTER TABLE "credit" ADD CONSTRAINT "credit_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_activity" ADD CONSTRAINT "user_activity_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;
