import '#process/supported-node';

const [{ runCommandLine }, { audit }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/users/audit-commands'),
]);
await runCommandLine(audit);
