import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPS, readOps } from './files.ts';

const PAGE = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8');

/** The files that the page shows, each with its text on the page. */
const shown = [...PAGE.matchAll(/`ops\/(\S+)`:\n\n```\w+\n(.*?)```\n/gs)];

it.each(shown.map(([, file = '', text = '']) => [file, text]))('the page shows ops/%s as it is', (file, text) => {
  expect(text).toBe(readOps(file));
});

it('the page names every file that an operator installs', () => {
  expect(shown.length).toBeGreaterThan(10);
  const files = globSync('{systemd,nginx,caddy,kubernetes,compose,backup}/*', { cwd: OPS });
  const named = files.filter((file) => PAGE.includes(`ops/${file}`));
  expect(files.filter((file) => !named.includes(file) && file !== 'caddy/Caddyfile')).toEqual([]);
});
