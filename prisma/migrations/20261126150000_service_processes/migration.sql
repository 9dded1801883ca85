-- oldest-release: 0.1.0
-- The running processes of the service, which ask each other for the last requests of a user. A release before this one
-- neither reads nor writes them.

-- CreateTable
CREATE TABLE "service_process" (
    "id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "service_process_pkey" PRIMARY KEY ("id")
);
