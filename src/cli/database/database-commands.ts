import { backup, restore } from '#cli/database/database-backup';
import { copy } from '#cli/database/database-copy';
import { databaseStatus, distributeDatabase } from '#cli/database/database-distribute';
import type { CommandLine } from '../command-line.ts';

export const database: CommandLine = {
  name: 'database',
  summary: 'Copies the database, backs it up, restores it and distributes it over a cluster.',
  commands: [copy, backup, restore, distributeDatabase, databaseStatus],
  notes: 'Exit codes: 0 done, 1 failed, 2 wrong usage, settings or data directory, 130 interrupted.\n',
};
