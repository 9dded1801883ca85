-- Reference rates of currencies, filled when somebody asks for another currency than the dollar.
-- CreateTable
CREATE TABLE "exchange_rates" (
    "date" DATE NOT NULL,
    "rates" JSONB NOT NULL,

    CONSTRAINT "exchange_rates_pkey" PRIMARY KEY ("date")
);

-- CreateTable
CREATE TABLE "exchange_rate_span" (
    "source" TEXT NOT NULL,
    "from" DATE NOT NULL,

    CONSTRAINT "exchange_rate_span_pkey" PRIMARY KEY ("source")
);
