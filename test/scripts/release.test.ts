import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeContext } from '../../scripts/release-artifacts.ts';
import { findMismatches } from '../../scripts/release-versions.ts';

const FILES = ['package.json', 'package-lock.json', 'packages/client/package.json', 'Dockerfile', 'CHANGELOG.md'];
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quotient-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Copies the files that state the version. The newest section of the changelog has a date. */
function checkout() {
  const folder = temporaryFolder();
  for (const file of FILES) cpSync(file, join(folder, file), { recursive: true });
  const edit = (file: string, pattern: string | RegExp, text: string) => {
    const before = readFileSync(join(folder, file), 'utf8');
    const after = before.replace(pattern, text);
    expect(after, file).not.toBe(before);
    writeFileSync(join(folder, file), after);
  };
  edit('CHANGELOG.md', /^## .*$/m, `## ${version} - 2026-12-01`);
  return { edit, mismatches: (tag?: string) => findMismatches(folder, tag) };
}

it('the checkout states the same version everywhere', () => {
  expect(findMismatches('.')).toEqual([]);
});

it('a release with its tag and the date in the changelog has no mismatch', () => {
  expect(checkout().mismatches(`v${version}`)).toEqual([]);
});

it.each([
  ['packages/client/package.json', /"version": "[^"]*"/, '"version": "9.9.9"'],
  ['packages/client/package.json', /"version": "[^"]*",/, ''],
  ['package-lock.json', /("": \{\s+"name": "quotient",\s+"version": )"[^"]*"/, '$1"9.9.9"'],
  ['Dockerfile', /image\.version="[^"]*"/, 'image.version="9.9.9"'],
  ['CHANGELOG.md', /^## .*$/m, '## 9.9.9 - 2026-12-01'],
  ['CHANGELOG.md', /^## .*$/m, '## Unreleased'],
  ['CHANGELOG.md', /^## .*$/m, ''],
])('another version in %s is a mismatch (%s → %s)', (file, pattern, text) => {
  const { edit, mismatches } = checkout();
  edit(file, pattern, text);
  const faults = mismatches();
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(file);
  expect(faults[0]).toContain(version);
});

it('a new version in package.json alone differs from every other place', () => {
  const { edit, mismatches } = checkout();
  edit('package.json', /"version": "[^"]*"/, '"version": "9.9.9"');
  expect(mismatches()).toHaveLength(5);
});

it('a release candidate has no date in the changelog, and a tagged release has one', () => {
  const { edit, mismatches } = checkout();
  edit('CHANGELOG.md', /^## .*$/m, `## ${version} - Unreleased`);
  expect(mismatches()).toEqual([]);
  expect(mismatches(`v${version}`)).toHaveLength(1);
  expect(mismatches('v9.9.9')).toHaveLength(2);
});

it('the command stops at a mismatch, and states it', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.ts', 'v9.9.9'], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`package.json has version ${version}, but the tag is v9.9.9.`);
});

it('the image context contains the sources and the Dockerfile, and no tests', async () => {
  const archive = join(temporaryFolder(), 'context.tar.gz');
  await writeContext(archive);
  const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n');
  expect(files).toEqual(expect.arrayContaining(['Dockerfile', 'package-lock.json', 'src/cli/quotient.ts']));
  expect(files.filter((file) => /^(test|bench|docs)\/.*\.(ts|png)$/.test(file))).toEqual([]);
});
