import type { TestProject } from 'vitest/node';
import { buildServiceFolder } from '../support/service/built-service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that contains the built service. */
    builtService: string;
  }
}

/** Builds the service once. The attacks run against the built service, as `npm start` runs it. */
export default async function setUp(project: TestProject) {
  const { root, remove } = await buildServiceFolder();
  project.provide('builtService', root);
  return remove;
}
