import '#process/supported-node';

// Imported dynamically: static imports are parsed before any module runs, and an old Node cannot parse some modules.
void import('#process/start').then(({ start }) => start(process.argv.slice(2), () => import('./serve.ts')));
