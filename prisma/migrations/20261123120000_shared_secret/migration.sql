-- CreateTable
CREATE TABLE "shared_secret" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "shared_secret_pkey" PRIMARY KEY ("name")
);
