-- Who told each sample. What is stored was told by CoinGecko, and so is what a release before this one adds meanwhile.
ALTER TABLE "point" ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'coingecko',
ADD COLUMN     "provisional" BOOLEAN NOT NULL DEFAULT false;

-- Latest prices and coverage are of a source from now on, under names of their own: a release before this one goes on
-- with "latest" and "coverage" until it is replaced, since it needs their keys as they are. The next release drops them.
-- CreateTable
CREATE TABLE "source_coverage" (
    "token" TEXT NOT NULL,
    "grain" "grain" NOT NULL,
    "source" TEXT NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "thru" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "source_coverage_pkey" PRIMARY KEY ("token","grain","source","from")
);

-- CreateTable
CREATE TABLE "source_latest" (
    "token" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "record" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "fetched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "source_latest_pkey" PRIMARY KEY ("token","source")
);

INSERT INTO "source_coverage" ("token", "grain", "source", "from", "thru")
SELECT "token", "grain", 'coingecko', "from", "thru" FROM "coverage";

INSERT INTO "source_latest" ("token", "source", "record", "at", "fetched_at")
SELECT "token", 'coingecko', "record", "at", "fetched_at" FROM "latest";
