import '#process/supported-node';

const { runDemo } = await import('./demo/run-demo.ts');
await runDemo();
