import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildService } from '../../scripts/build-service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that contains the built service. */
    builtService: string;
  }
}

/**
 * Builds the service once, into a folder with the contents of the image, without sources. The attacks run against the
 * built service, as `npm start` runs it.
 */
export default async function setUp(project: TestProject) {
  const root = await mkdtemp(join(tmpdir(), 'quotient-built-'));
  await buildService(join(root, 'build'));
  await cp('package.json', join(root, 'package.json'));
  await cp('prisma/migrations', join(root, 'prisma/migrations'), { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  project.provide('builtService', root);
  return () => rm(root, { recursive: true, force: true });
}
