-- Several keys of a user, each with scopes. The keys there are become owner keys.
-- A key in use is written once a minute: with room on its page no index is touched (see `room_for_updates`).
ALTER TABLE "api_key" SET (fillfactor = 70);

-- CreateEnum
CREATE TYPE "scope" AS ENUM ('account', 'prices', 'node');

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "id" SERIAL NOT NULL,
ADD COLUMN     "label" TEXT,
ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "scopes" "scope"[] NOT NULL DEFAULT ARRAY['account', 'prices', 'node']::"scope"[],
ADD COLUMN     "seen_origin" TEXT,
ADD COLUMN     "start" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "api_key_id_key" ON "api_key"("id");
