import '#process/supported-node';

// Imported dynamically, because an old Node fails at static imports before it can report its version.
const { runDemo } = await import('./run-demo.ts');
await runDemo();
