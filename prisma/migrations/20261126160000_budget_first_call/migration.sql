-- oldest-release: 0.1.0
-- The minute of the first call to an upstream, from which a new installation computes its average rate. A release before
-- this one leaves it null, as if the service had always called the upstream.

-- AlterTable
ALTER TABLE "budget" ADD COLUMN     "first_call_at" TIMESTAMPTZ(3);
