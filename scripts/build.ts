import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { buildService } from './build-service.ts';

/*
 * Builds all that the service runs on: itself into `build/`, and its page into `dist/console`, which is made of the client,
 * of which a part is generated.
 */

const folder = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

await import('./client-types.ts');
await Promise.all([buildService(folder('build')), buildConsole(folder('dist/console'))]);
