-- oldest-release: 0.1.0
-- The periods in which a part of the service was not operational, for the status page. A release before this one
-- neither reads nor writes them.

-- CreateTable
CREATE TABLE "incident" (
    "id" SERIAL NOT NULL,
    "component" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "incident_pkey" PRIMARY KEY ("id")
);

-- A component has at most one incident that has not ended, even if several processes see the failure at once.
CREATE UNIQUE INDEX "incident_open_idx" ON "incident"("component") WHERE "ended_at" IS NULL;
