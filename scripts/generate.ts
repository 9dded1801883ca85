import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/*
 * Generates the database client from Prisma's schema. `npm ci` runs it, and `npm run generate`.
 */

const PRISMA = fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url));

const { status, error } = spawnSync(process.execPath, [PRISMA, 'generate'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  // An engine that is not needed here would be downloaded, were it not said where one is: any program will do.
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
});
if (error) throw error;
process.exitCode = status ?? 1;
