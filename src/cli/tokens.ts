import '#process/supported-node';

// Imported dynamically, because an old Node fails at static imports before it can report its version.
const [{ runCommandLine }, { tokens }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/tokens/token-commands'),
]);
await runCommandLine(tokens);
