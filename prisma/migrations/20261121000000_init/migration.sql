-- CreateEnum
CREATE TYPE "plan" AS ENUM ('monthly', 'yearly');

-- CreateEnum
CREATE TYPE "grain" AS ENUM ('minute', 'hour', 'day');

-- CreateTable
CREATE TABLE "user" (
    "key" SERIAL NOT NULL,
    "name" TEXT,
    "email" TEXT,
    "plan" "plan" NOT NULL,
    "limit" INTEGER NOT NULL,
    "anchor" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "valid_until" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "erased_at" TIMESTAMPTZ(3),
    "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "api_key" (
    "hash" CHAR(64) NOT NULL,
    "user_key" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "usage" (
    "user_key" INTEGER NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "outstanding" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_pkey" PRIMARY KEY ("user_key","period_start")
);

-- CreateTable
CREATE TABLE "lease" (
    "id" UUID NOT NULL,
    "user_key" INTEGER NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "date" DATE NOT NULL,
    "granted" INTEGER NOT NULL,
    "spent" INTEGER NOT NULL DEFAULT 0,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "closed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_day" (
    "user_key" INTEGER NOT NULL,
    "date" DATE NOT NULL,
    "calls" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("user_key","date")
);

-- CreateTable
CREATE TABLE "point" (
    "token" TEXT NOT NULL,
    "grain" "grain" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "price" DOUBLE PRECISION,
    "market_cap" DOUBLE PRECISION,
    "volume" DOUBLE PRECISION,
    "settled" BOOLEAN NOT NULL,

    CONSTRAINT "point_pkey" PRIMARY KEY ("token","grain","at")
);

-- CreateTable
CREATE TABLE "coverage" (
    "token" TEXT NOT NULL,
    "grain" "grain" NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "thru" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "coverage_pkey" PRIMARY KEY ("token","grain","from")
);

-- CreateTable
CREATE TABLE "latest" (
    "token" TEXT NOT NULL,
    "record" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "latest_pkey" PRIMARY KEY ("token")
);

-- CreateTable
CREATE TABLE "refresh" (
    "what" TEXT NOT NULL,
    "fetched_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 0,
    "holder" UUID,
    "until" TIMESTAMPTZ(6),

    CONSTRAINT "refresh_pkey" PRIMARY KEY ("what")
);

-- CreateTable
CREATE TABLE "budget" (
    "upstream" TEXT NOT NULL,
    "minute_start" TIMESTAMPTZ(3) NOT NULL,
    "minute_spent" INTEGER NOT NULL,
    "month_start" TIMESTAMPTZ(3) NOT NULL,
    "month_spent" INTEGER NOT NULL,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("upstream")
);

-- CreateIndex
CREATE INDEX "user_changed_at_idx" ON "user"("changed_at");

-- CreateIndex
CREATE INDEX "api_key_user_key_idx" ON "api_key"("user_key");

-- CreateIndex
CREATE INDEX "lease_user_key_period_start_idx" ON "lease"("user_key", "period_start");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage" ADD CONSTRAINT "usage_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_day" ADD CONSTRAINT "usage_day_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;
