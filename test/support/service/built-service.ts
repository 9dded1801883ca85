import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildService } from '../../../scripts/build-service.ts';

/** Builds the current service into a folder with the contents of the image, without sources. */
export async function buildServiceFolder() {
  const root = await mkdtemp(join(tmpdir(), 'quotient-built-'));
  await buildService(join(root, 'build'));
  await cp('package.json', join(root, 'package.json'));
  await cp('prisma/migrations', join(root, 'prisma/migrations'), { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
