-- oldest-release: 0.1.0

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "allowed_origins" TEXT[];
