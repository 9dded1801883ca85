import { fileURLToPath } from 'node:url';
import { buildServedClient } from './build-client.ts';
import { buildConsole } from './build-console.ts';
import { buildOperatorPage } from './build-operator.ts';
import { buildService } from './build-service.ts';

// Written first, because the console needs the client's generated types.

const folder = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

await import('./client-types.ts');
await Promise.all([
  buildService(folder('build')),
  buildConsole(folder('dist/console')),
  buildOperatorPage(folder('dist/operator')),
  buildServedClient(),
]);
