-- CreateTable
CREATE TABLE "candle" (
    "token" TEXT NOT NULL,
    "grain" "grain" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "open" DOUBLE PRECISION NOT NULL,
    "high" DOUBLE PRECISION NOT NULL,
    "low" DOUBLE PRECISION NOT NULL,
    "close" DOUBLE PRECISION NOT NULL,
    "volume" DOUBLE PRECISION NOT NULL,
    "source" TEXT NOT NULL,
    "settled" BOOLEAN NOT NULL,

    CONSTRAINT "candle_pkey" PRIMARY KEY ("token","grain","at")
);

-- CreateTable
CREATE TABLE "candle_coverage" (
    "token" TEXT NOT NULL,
    "grain" "grain" NOT NULL,
    "source" TEXT NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    "thru" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "candle_coverage_pkey" PRIMARY KEY ("token","grain","source","from")
);
