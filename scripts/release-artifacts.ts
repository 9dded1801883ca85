import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// The files of a release in addition to the client's package.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const execute = promisify(execFile);
const run = (cwd: string, command: string, ...args: string[]) => execute(command, args, { cwd });
const NPM_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];

/**
 * Writes the committed build context of the image, for `docker build - < file`. Docker applies `.dockerignore` to
 * folders but not to archives, and an archive must contain the Dockerfile.
 */
export async function writeContext(file: string): Promise<void> {
  const lines = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n');
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#') && line !== 'Dockerfile');
  const excluded = patterns.map((pattern) => `:(exclude,glob)${pattern}`);
  await run(ROOT, 'git', 'archive', '--format=tar.gz', `--output=${file}`, 'HEAD', '.', ...excluded);
}

/** Lists the packages that are installed in `folder` as a CycloneDX document. The tool has a lock file of its own. */
export async function writeSbom(folder: string, file: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'quotient-sbom-'));
  try {
    await cp(join(ROOT, 'scripts/sbom'), work, { recursive: true });
    await run(work, 'npm', 'ci', '--omit=optional', ...NPM_FLAGS);
    const options = ['--mc-type', 'application', '--output-reproducible', '--output-file', file];
    await run(folder, join(work, 'node_modules/.bin/cyclonedx-npm'), '--omit', 'dev', 'optional', 'peer', ...options);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Writes the SBOM of the packages in the image. Installs the packages as the Dockerfile does. */
export async function writeImageSbom(file: string): Promise<void> {
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const omitted = dockerfile.match(/--omit=\w+/g);
  if (!omitted) throw new Error('the Dockerfile omits no packages');
  const folder = await mkdtemp(join(tmpdir(), 'quotient-packages-'));
  try {
    for (const name of ['package.json', 'package-lock.json']) await cp(join(ROOT, name), join(folder, name));
    await run(folder, 'npm', 'ci', ...omitted, ...NPM_FLAGS);
    await writeSbom(folder, file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
