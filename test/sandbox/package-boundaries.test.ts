import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const PACKAGES = ['client', 'console', 'cosmos', 'sandbox'];
const IMPORT = /(?:from|import\(?) ?'((?:\.|#)[^']+)'/g;

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated/'))
    .map((name) => join(folder, name));

/** The modules of packages that a file imports, from the root of the checkout. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, name = '']) =>
      name.startsWith('#') ? name.replace(/^#(\w+)\/(.*)$/, 'packages/$1/$2.ts') : normalize(join(dirname(file), name)),
    )
    .filter((target) => existsSync(target) && target.startsWith('packages/'));

const packageOf = (file: string) => file.split('/')[1] ?? '';

function exportsOf(name: string): unknown[] {
  const { exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
  return Object.values(exports).map((target) => join('packages', name, String(target)));
}
// The client is published, so its package names what is built of it.
const PUBLIC = [...['cosmos', 'sandbox'].flatMap(exportsOf), 'packages/client/index.ts'];

test.each([...PACKAGES.map((name) => `packages/${name}`), 'src', 'bench', 'fixtures'])(
  '%s imports of other packages what they export',
  (folder) => {
    const inner = filesIn(folder).flatMap((file) =>
      importsOf(file).filter((target) => packageOf(target) !== packageOf(file) && !PUBLIC.includes(target)),
    );
    expect(inner).toEqual([]);
  },
);
