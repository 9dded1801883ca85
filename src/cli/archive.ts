import '#process/supported-node';

// Imported dynamically, because an old Node fails at static imports before it can report its version.
const [{ runCommandLine }, { archive }] = await Promise.all([
  import('./command-line.ts'),
  import('#cli/archive/archive'),
]);
const run = () => runCommandLine(archive);
if (process.argv[2] === 'import-candles') {
  const { withSmallHeap } = await import('#process/start');
  await withSmallHeap(run);
} else await run();
