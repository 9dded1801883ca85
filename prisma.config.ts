import { defineConfig } from 'prisma/config';

// Only Prisma's own commands read this file; the service takes DATABASE_URL through src/settings.ts.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost:5432/quotient' },
});
