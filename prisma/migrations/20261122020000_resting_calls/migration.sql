-- A key that is idle may keep a few calls, so that its next call does not wait: "usage" has how many rest of a period, over
-- all processes, and each lease its part of them.
ALTER TABLE "usage" ADD COLUMN     "resting" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "lease" ADD COLUMN     "resting" INTEGER NOT NULL DEFAULT 0;
