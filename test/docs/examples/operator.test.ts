import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formsOf } from '#cli/arguments';
import { GROUPS } from '#cli/commands';
import { OPERATOR_TOPICS } from '#docs/site/topics';
import { commandsPage } from '../../../scripts/commands-page.ts';
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
  expect(called.length).toBeGreaterThan(5);
  for (const { page, name } of called) expect(Object.keys(scripts), `${page}: npm run ${name}`).toContain(name);
});

it('each command of the operator has the subcommands and the options of the examples', async () => {
  const commands = (await Promise.all(GROUPS.map(({ load }) => load()))).flatMap((group) => group.commands);
  const called = lines(/\bquotient [a-z]/).flatMap(({ page, line }) => {
    const words = /\bquotient ([a-z].*)$/.exec(line)?.[1]?.split(/\s+/) ?? [];
    const command = commands.find(({ name }) => [words[0], `${words[0]} ${words[1]}`].includes(name));
    return GROUPS.some(({ name }) => name === words[0]) ? [{ page, line, words, command }] : [];
  });
  for (const { page, line, words, command } of called) {
    expect(command, `${page}: ${line}`).toBeDefined();
    const options = command ? formsOf(command).options.map(({ name }) => `--${name}`) : [];
    for (const [option] of words.join(' ').matchAll(/--[a-z-]+/g))
      expect(options, `${page}: ${line}`).toContain(option);
  }
  const groups = new Set(called.map(({ words }) => words[0]));
  expect([...groups]).toEqual(expect.arrayContaining(['archive', 'audit', 'database', 'tokens', 'users']));
});

it('docs/commands.md is the page of the table of commands', async () => {
  // `node scripts/commands-page.ts` writes it.
  expect(readFileSync('docs/commands.md', 'utf8')).toBe(await commandsPage());
});
