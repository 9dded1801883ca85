-- CreateTable
CREATE TABLE "latest_statistics" (
    "token" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "record" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "latest_statistics_pkey" PRIMARY KEY ("token")
);

-- CreateTable
CREATE TABLE "chain_count" (
    "token" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "transaction_count_all_time" BIGINT,
    "unique_addresses_all_time" BIGINT,

    CONSTRAINT "chain_count_pkey" PRIMARY KEY ("token","source","at")
);
