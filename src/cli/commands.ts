import type { Group } from './arguments.ts';

/** All commands, for parsing, `--help`, completion and `docs/commands.md`. Commands on data use the service's database. */
export const GROUPS: readonly Group[] = [
  { name: 'serve', summary: 'Starts the service.', load: () => import('./serve-command.ts') },
  {
    name: 'demo',
    summary: 'Starts the service with simulated data sources and a temporary database.',
    load: () => import('./demo/demo-command.ts'),
  },
  { name: 'users', summary: 'Manages users.', load: () => import('./users/user-commands.ts') },
  { name: 'tokens', summary: 'Manages the served tokens.', load: () => import('./tokens/token-commands.ts') },
  {
    name: 'archive',
    summary: 'Manages the archive of prices and candles.',
    load: () => import('./archive/archive-commands.ts'),
  },
  {
    name: 'database',
    summary: 'Copies the database, backs it up, restores it and distributes it over a cluster.',
    load: () => import('./database/database-commands.ts'),
  },
  {
    name: 'audit',
    summary: 'Shows the changes that the operator made.',
    load: () => import('./users/audit-commands.ts'),
  },
  {
    name: 'completion',
    summary: 'Prints a script that completes the commands.',
    load: async () => (await import('./completion.ts')).completionOf(GROUPS),
  },
];
