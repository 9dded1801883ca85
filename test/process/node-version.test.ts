import { readFileSync } from 'node:fs';
import { transformSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { spawnService } from '../support/service/service-process.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  bin: { quotient: string };
  engines: { node: string };
};

/** The module that npm and the image run, as a source. */
const ENTRY = manifest.bin.quotient.replace(/^build\/(.*)\.js$/, 'src/$1.ts');

/** Node with another version number, and without a built-in module that an old Node lacks. */
const pretending = (version: string) => [
  '--no-experimental-sqlite',
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`,
];

it('reports in one line that an older version of Node is too old', async () => {
  const oldest = manifest.engines.node.replace('>=', '');
  const refused = spawnService({}, [...pretending('22.18.1'), ENTRY, '--help']);
  expect(await refused.exited).toEqual([2, null]);
  await refused.logged(/Node/);
  expect(refused.lines).toEqual([`Quotient needs Node ${oldest} or newer; this is ${process.version}.`]);
});

it.each(['22.19.0', '100.0.0'])('runs on Node %s', async (version) => {
  const help = spawnService({}, [...pretending(version), ENTRY, '--help']);
  expect(await help.exited).toEqual([0, null]);
});

it('is checked before anything else runs', () => {
  expect(read(ENTRY)).toMatch(/^#!\/usr\/bin\/env -S node --\nimport '#process\/supported-node';\n/);
});

it.each([ENTRY, 'src/process/supported-node.ts', 'scripts/prepare.js'])('an old Node can parse %s', (file) => {
  const written = (target: string) => transformSync(file, read(file), { target });
  const { code, warnings, errors } = written('es2020');
  expect({ warnings, errors }).toEqual({ warnings: [], errors: [] });
  expect(code).toBe(written('esnext').code);
  // All imports of a module are parsed before it runs.
  const imports = [...read(file).matchAll(/^import .*'(.+)';$/gm)].map(([, name]) => name);
  expect(imports.filter((name) => !name?.startsWith('node:') && name !== '#process/supported-node')).toEqual([]);
});
