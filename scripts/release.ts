import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildClient } from './build-client.ts';
import { writeContext, writeImageSbom } from './release-artifacts.ts';
import { findMismatches } from './release-versions.ts';

// Builds the files of a release into dist/release: `npm run release -- [tag] [--repository URL]`. It publishes nothing.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'dist/release');

/** The files are built from the commit, so they must not differ from the checkout. */
function findChanges(): string[] {
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  return status === '' ? [] : [`These files are not committed. Commit or remove them:\n${status.trimEnd()}`];
}

async function build(repository: string | undefined): Promise<void> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const client = join(ROOT, 'dist/client');
  await buildClient(client, repository);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', FOLDER, client], { stdio: 'pipe' });
  await writeContext(join(FOLDER, `quotient-${version}-image.tar.gz`));
  await writeImageSbom(join(FOLDER, `quotient-${version}.cdx.json`));

  const sums: string[] = [];
  for (const name of (await readdir(FOLDER)).sort()) {
    const hash = createHash('sha256').update(await readFile(join(FOLDER, name)));
    sums.push(`${hash.digest('hex')}  ${name}\n`);
  }
  await writeFile(join(FOLDER, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(`dist/release contains:\n${sums.join('')}`);
}

const { values, positionals } = parseArgs({ options: { repository: { type: 'string' } }, allowPositionals: true });
const [tag] = positionals;
const mismatches = findMismatches(ROOT, tag);
const faults = mismatches.length > 0 ? mismatches : findChanges();
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
} else {
  await build(values.repository);
}
