-- oldest-release: 0.1.0

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "daily_limit" INTEGER;

-- CreateTable
CREATE TABLE "usage_detail" (
    "user_key" INTEGER NOT NULL,
    "date" DATE NOT NULL,
    "key_id" INTEGER NOT NULL,
    "path" SMALLINT NOT NULL,
    "calls" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_detail_pkey" PRIMARY KEY ("user_key","date","key_id","path")
);

-- A row is updated every few seconds: with room on its page, an update touches no index.
ALTER TABLE "usage_detail" SET (fillfactor = 70);

-- AddForeignKey
ALTER TABLE "usage_detail" ADD CONSTRAINT "usage_detail_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The lease's spent calls by key and path. `key_id` and `path` have all calls that are not in `details`: key, path and
-- calls in turn, as of the last settlement. Null in the leases of processes of earlier releases.
-- AlterTable
ALTER TABLE "lease" ADD COLUMN     "details" INTEGER[],
ADD COLUMN     "key_id" INTEGER,
ADD COLUMN     "path" SMALLINT;

-- The reported details of each lease, by slot: the numbers of a lease are separated by spaces, the leases by semicolons.
-- Null if no lease has details.
-- AlterTable
ALTER TABLE "lease_group" ADD COLUMN     "details" TEXT;

-- As before, with the reported details and those that are booked.
CREATE OR REPLACE VIEW "reported_lease" AS
SELECT l.id, l.user_key, l.period_start, l.date, l.granted, l.spent + r.calls AS spent,
    l.unbooked + r.calls AS unbooked, l.resting, l.closed,
    CASE WHEN l.group_id IS NULL THEN l.expires_at
        ELSE greatest(l.expires_at - interval '880 s', g.expires_at) END AS expires_at,
    l.key_id, l.path, l.details AS booked_details, r.details
FROM lease l LEFT JOIN lease_group g ON g.id = l.group_id
    CROSS JOIN LATERAL (
        SELECT CASE WHEN g.seq > l.group_seq THEN coalesce(g.spent[l.slot] - l.spent, 0) ELSE 0 END AS calls,
            CASE WHEN g.seq > l.group_seq AND g.spent[l.slot] IS NOT NULL
                THEN string_to_array(nullif(split_part(g.details, ';', l.slot), ''), ' ')::int[]
                ELSE l.details END AS details) r;
