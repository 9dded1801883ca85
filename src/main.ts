import '#process/supported-node';

// All imports of a module are read before any of it is run: what an old Node cannot read is imported afterwards.
void import('#process/start').then(({ start }) => start(process.argv.slice(2), () => import('./serve.ts')));
