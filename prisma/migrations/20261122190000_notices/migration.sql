-- CreateEnum
CREATE TYPE "notice_kind" AS ENUM ('usage', 'validity');

-- CreateTable
CREATE TABLE "notice_settings" (
    "user_key" INTEGER NOT NULL,
    "email" BOOLEAN NOT NULL,
    "webhook_url" TEXT,
    "thresholds" INTEGER[],
    "secret" TEXT,
    "previous_secret" TEXT,
    "previous_until" TIMESTAMPTZ(3),

    CONSTRAINT "notice_settings_pkey" PRIMARY KEY ("user_key")
);

-- CreateTable
CREATE TABLE "notice" (
    "id" UUID NOT NULL,
    "user_key" INTEGER NOT NULL,
    "kind" "notice_kind" NOT NULL,
    "concerns" TIMESTAMPTZ(3) NOT NULL,
    "threshold" INTEGER NOT NULL,
    "used" INTEGER,
    "limit" INTEGER,
    "seen_at" TIMESTAMPTZ(6) NOT NULL,
    "told_at" TIMESTAMPTZ(3),
    "mailed_at" TIMESTAMPTZ(3),
    "posted_at" TIMESTAMPTZ(3),

    CONSTRAINT "notice_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "notice_user_key_kind_concerns_threshold_key" ON "notice"("user_key", "kind", "concerns", "threshold");

-- CreateIndex
CREATE INDEX "notice_told_at_idx" ON "notice"("told_at");

-- Who is to be told is looked for in the running periods alone: those of years before are passed over.
CREATE INDEX "usage_period_start_idx" ON "usage"("period_start");

-- AddForeignKey
ALTER TABLE "notice_settings" ADD CONSTRAINT "notice_settings_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice" ADD CONSTRAINT "notice_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;
