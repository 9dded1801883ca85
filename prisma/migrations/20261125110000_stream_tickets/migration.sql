-- Tickets for streams, which browsers send in the URL instead of a key.
-- oldest-release: 0.1.0
-- CreateTable
CREATE TABLE "stream_ticket" (
    "hash" CHAR(64) NOT NULL,
    "key_hash" CHAR(64) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_ticket_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "stream_ticket_key_hash_idx" ON "stream_ticket"("key_hash");

-- CreateIndex
CREATE INDEX "stream_ticket_expires_at_idx" ON "stream_ticket"("expires_at");

-- AddForeignKey
ALTER TABLE "stream_ticket" ADD CONSTRAINT "stream_ticket_key_hash_fkey" FOREIGN KEY ("key_hash") REFERENCES "api_key"("hash") ON DELETE CASCADE ON UPDATE CASCADE;
