import '#process/supported-node';

// Static imports are parsed before any module runs, so modules that an old Node cannot parse are imported dynamically.
void import('#process/start').then(({ start }) => start(process.argv.slice(2), () => import('./serve.ts')));
