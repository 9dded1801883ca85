import { readdirSync, readFileSync } from 'node:fs';
import { transformSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { spawnService } from '../support/service/service-process.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  engines: { node: string };
};

/** The modules of the built service that `npm run` runs, as sources. */
const entries = Object.values(manifest.scripts).flatMap((script) => {
  const name = /^node build\/(\S+)\.js$/.exec(script)?.[1];
  return name ? [`src/${name}.ts`] : [];
});

/** Node with another version number, and without a built-in module that an old Node lacks. */
const pretending = (version: string) => [
  '--no-experimental-sqlite',
  '--import',
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`,
];

it('reports in one line that an older version of Node is too old', async () => {
  const oldest = manifest.engines.node.replace('>=', '');
  for (const entry of entries) {
    const refused = spawnService({}, [...pretending('22.18.1'), entry, '--help']);
    expect(await refused.exited).toEqual([2, null]);
    await refused.logged(/Node/);
    expect(refused.lines).toEqual([`Quotient needs Node ${oldest} or newer; this is ${process.version}.`]);
  }
});

it.each(['22.19.0', '100.0.0'])('runs on Node %s', async (version) => {
  const help = spawnService({}, [...pretending(version), 'src/main.ts', '--help']);
  expect(await help.exited).toEqual([0, null]);
});

it('is checked before anything else runs', () => {
  expect(entries).toContain('src/main.ts');
  const files = readdirSync('src/cli').filter((name) => name.endsWith('.ts'));
  const commands = files.filter((name) => read(`src/cli/${name}`).includes('supported-node'));
  expect(entries.sort()).toEqual(['src/main.ts', ...commands.map((name) => `src/cli/${name}`)].sort());
  for (const entry of entries)
    expect([entry, read(entry)]).toEqual([entry, expect.stringMatching(/^import '#process\/supported-node';\n/)]);
});

it.each(['src/main.ts', 'src/process/supported-node.ts', 'scripts/prepare.js'])('an old Node can parse %s', (file) => {
  const written = (target: string) => transformSync(file, read(file), { target });
  const { code, warnings, errors } = written('es2020');
  expect({ warnings, errors }).toEqual({ warnings: [], errors: [] });
  expect(code).toBe(written('esnext').code);
  // All imports of a module are parsed before it runs.
  const imports = [...read(file).matchAll(/^import .*'(.+)';$/gm)].map(([, name]) => name);
  expect(imports.filter((name) => !name?.startsWith('node:') && name !== '#process/supported-node')).toEqual([]);
});
