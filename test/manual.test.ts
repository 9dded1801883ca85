import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, test } from 'vitest';
import { SETTING_NAMES } from '#settings';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = globSync(['*.md', 'docs/*.md', '{src,packages,test}/**/README.md'], {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules') || path === 'CHANGELOG.md',
});
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, '');

/** The anchors of a page's headings, as GitHub generates them. */
const anchorsOf = (page: string) =>
  [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(PAGES)('every link of %s leads to an existing file and heading', (page) => {
  const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(PAGES)('%s names only files and folders that exist', (page) => {
  const named = [...withoutCode(read(page)).matchAll(/`((?:src|packages|docs|test|scripts|ops|fixtures)\/[\w./-]+)`/g)];
  expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('the README fits on two screens, and its picture is small', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(110);
  expect(statSync(join(ROOT, 'docs/console.png')).size).toBeLessThan(200_000);
});

it('docs/settings.md lists exactly the existing settings', () => {
  const rows = read('docs/settings.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual([...SETTING_NAMES].sort());
});
