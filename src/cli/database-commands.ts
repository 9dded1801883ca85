import { backupUsage, runBackup, runRestore } from '#cli/configured-database';
import { copyUsage, runCopy } from '#cli/database-copy';
import type { CommandLine } from './command-line.ts';

const USAGE = `Copies the database, backs it up and restores it.

${copyUsage}
${backupUsage}
Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory, 130 interrupted.
`;

export const database: CommandLine = {
  name: 'database',
  usage: USAGE,
  commands: { copy: runCopy, backup: runBackup, restore: runRestore },
};
