import type { Command } from '#cli/arguments';
import { backup, restore } from '#cli/database/database-backup';
import { copy } from '#cli/database/database-copy';
import { databaseStatus, distributeDatabase } from '#cli/database/database-distribute';

export const commands: readonly Command[] = [copy, backup, restore, distributeDatabase, databaseStatus];
