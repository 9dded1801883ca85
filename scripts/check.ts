import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Lint, import rules and types: `npm run check`. All checks run even if one fails.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIOME = 'node_modules/@biomejs/biome/bin/biome';
const TSC = 'node_modules/typescript/bin/tsc';

const CHECKS = [
  [BIOME, 'check', '.'],
  ['scripts/check-imports.ts'],
  [TSC],
  ...['packages/client', 'packages/console', 'packages/pages', 'packages/operator', 'src/web/assets'].map((project) => [
    TSC,
    '-p',
    project,
  ]),
];

for (const args of CHECKS) {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
