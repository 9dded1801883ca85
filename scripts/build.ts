import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { buildService } from './build-service.ts';

// The console needs the client's generated types, so they are written first.

const folder = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

await import('./client-types.ts');
await Promise.all([buildService(folder('build')), buildConsole(folder('dist/console'))]);
