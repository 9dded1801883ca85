import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../../scripts/build-console.ts';
import { buildOperatorPage } from '../../../scripts/build-operator.ts';

declare module 'vitest' {
  interface ProvidedContext {
    consoleFolder: string;
    operatorPageFolder: string;
  }
}

/** Builds the pages from the current sources, once for all browser tests. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-pages-'));
  const [consoleFolder, operatorPageFolder] = [join(folder, 'console'), join(folder, 'operator')];
  await Promise.all([buildConsole(consoleFolder), buildOperatorPage(operatorPageFolder)]);
  project.provide('consoleFolder', consoleFolder);
  project.provide('operatorPageFolder', operatorPageFolder);
  return () => rm(folder, { recursive: true, force: true });
}
