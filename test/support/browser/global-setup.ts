import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../../scripts/build-console.ts';

declare module 'vitest' {
  interface ProvidedContext {
    consoleFolder: string;
  }
}

/** Builds the console from the current sources, once for all browser tests. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-console-'));
  await buildConsole(folder);
  project.provide('consoleFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
