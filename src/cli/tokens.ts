import '#process/supported-node';

const [{ runCommandLine }, { tokens }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/tokens/token-commands'),
]);
await runCommandLine(tokens);
