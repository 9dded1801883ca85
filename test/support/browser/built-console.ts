import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole } from '../../../scripts/build-console.ts';

/** The console, built of the sources as they are now, in a folder of its own. */
export async function buildTestConsole() {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-console-'));
  await buildConsole(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
