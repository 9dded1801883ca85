import '#process/supported-node';

// Imported dynamically: an old Node fails at static imports before it reports its version.
const { runDemo } = await import('./run-demo.ts');
await runDemo();
