import { expect, it } from 'vitest';
import { parseDockerIgnore } from './docker-ignore.ts';

const admitted = (text: string, ...paths: string[]) => paths.filter(parseDockerIgnore(text));

it('excludes a file by its path from the root, and a folder with its content', () => {
  const text = '# a comment\n\nREADME.md\n/docs/\nbench/results\n';
  expect(admitted(text, 'README.md', 'src/README.md', 'docs/a/b.md', 'bench/results/x', 'bench/run.ts')).toEqual([
    'src/README.md',
    'bench/run.ts',
  ]);
});

it('matches * and ? within a segment, and ** across segments', () => {
  expect(admitted('*.md', 'a.md', 'docs/a.md')).toEqual(['docs/a.md']);
  expect(admitted('**/.env*', '.env', '.env.local', 'src/deep/.env', 'src/env.ts')).toEqual(['src/env.ts']);
  expect(admitted('a/**/b', 'a/b', 'a/x/y/b/file', 'b', 'a/x')).toEqual(['b', 'a/x']);
  expect(admitted('log?', 'log1', 'log', 'log12')).toEqual(['log', 'log12']);
});

it('lets the last matching rule decide', () => {
  const text = '*\n!src/\nsrc/generated';
  expect(admitted(text, 'package.json', 'src/main.ts', 'src/generated/a.ts')).toEqual(['src/main.ts']);
});

it('rejects syntax that it does not support', () => {
  for (const pattern of ['[ab].ts', 'a\\ b', ' a', 'a ', 'a/../b', './a', 'a**', 'src/**', '!', '/'])
    expect(() => parseDockerIgnore(pattern), pattern).toThrow(/^\.dockerignore: .* is not supported$/);
});
