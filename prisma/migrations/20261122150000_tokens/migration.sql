-- The tokens that are served. The five that were compiled in are there from the start, in the order they had.
-- CreateTable
CREATE TABLE "token" (
    "name" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "begins" DATE NOT NULL,
    "listed" DATE NOT NULL,
    "pair" TEXT,
    "position" SERIAL NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3),

    CONSTRAINT "token_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "token_position_key" ON "token"("position");

INSERT INTO "token" ("name", "symbol", "title", "begins", "listed", "pair") VALUES
    ('bitcoin', 'btc', 'Bitcoin', '2009-01-03', '2013-04-28', 'XXBTZUSD'),
    ('arweave', 'ar', 'Arweave', '2018-06-08', '2020-01-31', 'ARUSD'),
    ('ethereum', 'eth', 'Ethereum', '2015-07-30', '2015-08-07', 'XETHZUSD'),
    ('solana', 'sol', 'Solana', '2020-03-16', '2020-04-11', 'SOLUSD'),
    ('usd-coin', 'usdc', 'USDC', '2018-08-03', '2018-10-05', 'USDCUSD');
