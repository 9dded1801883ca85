import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Installs the packages of a folder that has its own lock file, unless they are installed. For scripts that npm runs. */
export function installPackages(folder: string): void {
  if (changedAt(join(folder, 'node_modules/.package-lock.json')) > changedAt(join(folder, 'package-lock.json'))) return;
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error('run this script with npm run');
  const args = [npm, 'ci', '--prefix', resolve(folder), '--no-audit', '--no-fund', '--prefer-offline'];
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a program with Node, and exits with its code. */
export function runProgram(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): never {
  const options = { stdio: 'inherit', env: { ...process.env, ...env } } as const;
  const { status } = spawnSync(process.execPath, [file, ...args], options);
  process.exit(status ?? 1);
}
