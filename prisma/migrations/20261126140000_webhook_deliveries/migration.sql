-- oldest-release: 0.1.0
-- The deliveries of webhooks, which users list and repeat. A release before this one sends webhooks without recording
-- them, and ignores test events and repeated webhooks, because their outbox messages have a kind of their own.

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "user_key" INTEGER NOT NULL,
    "message_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "resend_of" UUID,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attempted_at" TIMESTAMPTZ(3),
    "http_status" INTEGER,
    "reason" TEXT,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_delivery_user_key_created_at_id_idx" ON "webhook_delivery"("user_key", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_created_at_idx" ON "webhook_delivery"("created_at");

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_user_key_fkey" FOREIGN KEY ("user_key") REFERENCES "user"("key") ON DELETE RESTRICT ON UPDATE CASCADE;
