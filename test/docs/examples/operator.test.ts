import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPERATOR_TOPICS } from '#docs/site/topics';
import { type Block, blocksOf } from './blocks.ts';

/* The examples for operators change databases, containers and processes. Their commands are compared with the programs. */

const files = [
  ...new Set([
    'README.md',
    'CONTRIBUTING.md',
    'docs/development.md',
    'docs/assumptions.md',
    ...OPERATOR_TOPICS.map(({ file }) => file),
  ]),
];
const blocks: Block[] = files
  .flatMap((file) => blocksOf(file, readFileSync(file, 'utf8')))
  .filter(({ language }) => language === 'sh');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The lines of the examples that match a pattern, without comments. */
const lines = (pattern: RegExp) =>
  blocks.flatMap(({ page, code }) =>
    code
      .replaceAll(/\\\n/g, ' ')
      .split('\n')
      .flatMap((line) => line.replace(/\s+#.*$/, '').split('&&'))
      .filter((line) => pattern.test(line))
      .map((line) => ({ page, line: line.trim() })),
  );

it('each example is a valid shell script', () => {
  expect(blocks.length).toBeGreaterThan(30);
  for (const { page, heading, code } of blocks) {
    // Placeholders such as <tag> and [--id <id>] stand for words.
    const script = code.replaceAll(/<[^>\n]+>/g, 'word').replaceAll(/\[(--[^\]]+)\]/g, '$1');
    const { status, stderr } = spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' });
    expect(status, `${page}, ${heading}\n${code}\n${stderr}`).toBe(0);
  }
});

it('each npm script exists', () => {
  const called = lines(/\bnpm run /).map(({ page, line }) => ({
    page,
    name: /npm run ([\w:-]+)/.exec(line)?.[1] ?? '',
  }));
  expect(called.length).toBeGreaterThan(20);
  for (const { page, name } of called) expect(Object.keys(scripts), `${page}: npm run ${name}`).toContain(name);
});

/** The text that a command prints with `--help`, from its source. */
function helpOf(name: string): string {
  const source = scripts[name]?.replace(/^node build\/(.+)\.js$/, 'src/$1.ts') ?? '';
  const { stdout, status } = spawnSync(process.execPath, [source, '--help'], { encoding: 'utf8' });
  expect(status, name).toBe(0);
  return stdout;
}

it('each command of the operator has the subcommands and the options of the examples', () => {
  const helps = new Map<string, string>();
  for (const { page, line } of lines(/npm run \w+ -- /)) {
    const [, name = '', rest = ''] = /npm run (\w+) -- (.+)/.exec(line) ?? [];
    if (!scripts[name]?.startsWith('node build/cli/') || name === 'demo') continue;
    if (!helps.has(name)) helps.set(name, helpOf(name));
    const [subcommand = '', ...words] = rest.split(/\s+/);
    const help = helps.get(name) as string;
    expect(help, `${page}: ${line}`).toMatch(new RegExp(`\\b${subcommand}\\b`));
    for (const [option] of words.join(' ').matchAll(/--[a-z-]+/g)) expect(help, `${page}: ${line}`).toContain(option);
  }
  expect([...helps.keys()].sort()).toEqual(['archive', 'audit', 'database', 'tokens', 'users']);
});
