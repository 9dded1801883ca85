import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = { version?: string };

/** The newest section of the changelog, such as `## 0.1.0 - 2026-11-24` or `## 0.1.0 - Unreleased`. */
const SECTION = /^## (\S+)(?: - (\S+))?$/m;
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * Compares all places in the checkout `root` that state the version of the release: the manifests, the lock file, the
 * image's label and the changelog. With a tag, the changelog must also state the release date. Returns one message per
 * mismatch.
 */
export function findMismatches(root: string, tag?: string): string[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const { version = '' } = JSON.parse(read('package.json')) as Manifest;
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Manifest> };
  const client = JSON.parse(read('packages/client/package.json')) as Manifest;
  const [, section, released] = SECTION.exec(read('CHANGELOG.md')) ?? [];
  const label = /image\.version="([^"]*)"/.exec(read('Dockerfile'))?.[1];

  const stated: [place: string, version: string | undefined][] = [
    ['packages/client/package.json', client.version],
    ['package-lock.json', packages['']?.version],
    ['packages/client in package-lock.json', packages['packages/client']?.version],
    ['the label in the Dockerfile', label],
    ['the newest section of CHANGELOG.md', section],
  ];
  const faults = stated
    .filter(([, other]) => other !== version)
    .map(([place, other]) => `package.json has version ${version}, but ${place} has ${other ?? 'none'}.`);
  if (!/^\d+\.\d+\.\d+$/.test(version)) faults.push(`The version ${version} is not of the form major.minor.patch.`);
  if (tag === undefined) return faults;
  if (tag !== `v${version}`) faults.push(`package.json has version ${version}, but the tag is ${tag}.`);
  if (!DATE.test(released ?? '')) {
    faults.push(`The newest section of CHANGELOG.md has no date: write "## ${version} - YYYY-MM-DD".`);
  }
  return faults;
}
