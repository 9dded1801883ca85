import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const PACKAGES = ['client', 'console', 'cosmos', 'operator', 'pages', 'sandbox'];
const IMPORT = /(?:from|import\(?) ?'((?:\.|#)[^']+)'/g;

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated/'))
    .map((name) => join(folder, name));

/** The modules of packages that a file imports, relative to the root of the repository. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, name = '']) =>
      name.startsWith('#')
        ? name.replace(/^#(client|console|cosmos|sandbox)\/(.*)$/, 'packages/$1/$2.ts')
        : normalize(join(dirname(file), name)),
    )
    .filter((target) => existsSync(target) && target.startsWith('packages/'));

const packageOf = (file: string) => file.split('/')[1] ?? '';

function exportsOf(name: string): unknown[] {
  const { exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
  return Object.values(exports).map((target) => join('packages', name, String(target)));
}
// The exports of the published client are its build output, so its source entry is listed here.
const PUBLIC = [...['cosmos', 'pages', 'sandbox'].flatMap(exportsOf), 'packages/client/index.ts'];

test.each([...PACKAGES.map((name) => `packages/${name}`), 'src', 'bench', 'fixtures'])(
  '%s imports only exported modules of other packages',
  (folder) => {
    const inner = filesIn(folder).flatMap((file) =>
      importsOf(file).filter((target) => packageOf(target) !== packageOf(file) && !PUBLIC.includes(target)),
    );
    expect(inner).toEqual([]);
  },
);
