-- oldest-release: 0.1.0

-- A row reports the spent calls of up to 64 leases of one process and keeps them alive, so that a tick writes one row for
-- all of them.
-- CreateTable
CREATE TABLE "lease_group" (
    "id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "closed" BOOLEAN NOT NULL DEFAULT false,
    "spent" INTEGER[],

    CONSTRAINT "lease_group_pkey" PRIMARY KEY ("id")
);

-- The row changes every second. With room left on its page, no index is written.
ALTER TABLE "lease_group" SET (fillfactor = 40);

-- Null in the leases of processes of earlier releases, which report each lease in its own row.
-- AlterTable
ALTER TABLE "lease" ADD COLUMN     "group_id" UUID,
ADD COLUMN     "group_seq" INTEGER,
ADD COLUMN     "slot" SMALLINT;

-- Each lease with the spent and unbooked calls that its process has reported, in the lease's row or in its group's. The
-- row of a lease in a group expires 880 s later than the lease, because earlier releases know only this row.
CREATE VIEW "reported_lease" AS
SELECT l.id, l.user_key, l.period_start, l.date, l.granted, l.spent + r.calls AS spent,
    l.unbooked + r.calls AS unbooked, l.resting, l.closed,
    CASE WHEN l.group_id IS NULL THEN l.expires_at
        ELSE greatest(l.expires_at - interval '880 s', g.expires_at) END AS expires_at
FROM lease l LEFT JOIN lease_group g ON g.id = l.group_id
    CROSS JOIN LATERAL (
        SELECT CASE WHEN g.seq > l.group_seq THEN coalesce(g.spent[l.slot] - l.spent, 0) ELSE 0 END AS calls) r;
