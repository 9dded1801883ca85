import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FIGURES } from '#statistics/figures';

// The page needs a browser's types, so its modules cannot be imported here.
const CONSOLE = new URL('../../packages/console/', import.meta.url);
const modules = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, CONSOLE), 'utf8'))
  .join('\n');

it.each(FIGURES)('the page shows %s', (figure) => {
  expect(modules).toMatch(new RegExp(`\\.${figure}\\b`));
});
