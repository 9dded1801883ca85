import '#process/supported-node';

// Imported dynamically, because an old Node fails at static imports before it can report its version.
const [{ runCommandLine }, { archive }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/archive/archive'),
]);
await runCommandLine(archive);
