import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Generates the database client from Prisma's schema. Run by `npm ci` and `npm run generate`.

const PRISMA = fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url));

const { status, error } = spawnSync(process.execPath, [PRISMA, 'generate'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  // Unless this variable names an existing program, Prisma downloads an engine that is not needed.
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
});
if (error) throw error;
process.exitCode = status ?? 1;
