-- What was spent from a lease is noted in its own row, and booked in "usage" and "usage_day" when it is granted more,
-- closed or reclaimed: a key that is in use has one row written a second and not three.
ALTER TABLE "lease" ADD COLUMN     "unbooked" INTEGER NOT NULL DEFAULT 0;
