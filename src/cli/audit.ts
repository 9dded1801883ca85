import '#process/supported-node';

// Imported dynamically: an old Node fails at static imports before it reports its version.
const [{ runCommandLine }, { audit }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/users/audit-commands'),
]);
await runCommandLine(audit);
