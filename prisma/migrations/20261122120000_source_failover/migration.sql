-- Which source of latest prices is told: one row for all processes, none as long as the first in the line always was. A
-- release before this one does not know the table and tells the first.
-- CreateTable
CREATE TABLE "source_failover" (
    "what" TEXT NOT NULL,
    "told" TEXT NOT NULL,
    "good_answers" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3),
    "differences" JSONB NOT NULL,

    CONSTRAINT "source_failover_pkey" PRIMARY KEY ("what")
);
