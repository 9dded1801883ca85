-- What is to be sent to somebody outside, tokens that are mailed, registrations that wait for theirs, and how many mails
-- an address was sent.
-- AlterTable
ALTER TABLE "user" ADD COLUMN     "verified_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "outbox_message" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "user_key" INTEGER,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "given_up_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_message_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pending_registration" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "plan" "plan" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_registration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mail_token" (
    "hash" CHAR(64) NOT NULL,
    "user_key" INTEGER,
    "registration_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_token_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "mail_allowance" (
    "subject" CHAR(64) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "mail_allowance_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE INDEX "outbox_message_kind_due_at_idx" ON "outbox_message"("kind", "due_at");

-- CreateIndex
CREATE INDEX "mail_token_user_key_idx" ON "mail_token"("user_key");

-- CreateIndex
CREATE INDEX "mail_token_registration_id_idx" ON "mail_token"("registration_id");

-- AddForeignKey
ALTER TABLE "mail_token" ADD CONSTRAINT "mail_token_registration_id_fkey" FOREIGN KEY ("registration_id") REFERENCES "pending_registration"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whose address it is, whatever its upper and lower case: for recovery.
CREATE INDEX "user_email_idx" ON "user"(lower("email" COLLATE "C")) WHERE "email" IS NOT NULL;
