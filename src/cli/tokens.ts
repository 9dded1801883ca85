import '#process/supported-node';

// Imported dynamically: an old Node fails at static imports before it reports its version.
const [{ runCommandLine }, { tokens }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/token-commands'),
]);
await runCommandLine(tokens);
