import '#process/supported-node';

// Imports are parsed before any module runs, so syntax that an old Node cannot parse is imported dynamically.
void import('#process/start').then(({ start }) => start(process.argv.slice(2), () => import('./serve.ts')));
