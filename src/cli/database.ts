import '#process/supported-node';

const [{ runCommandLine }, { database }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/database/database-commands'),
]);
await runCommandLine(database);
