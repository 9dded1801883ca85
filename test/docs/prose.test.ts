import { expect, it } from 'vitest';
import { anchorOf, inlineHtml, sectionsOf, toHtml, withTargets } from '#docs/markdown';

it.each([
  ['plain & "quoted" <b>', 'plain &amp; &quot;quoted&quot; &lt;b&gt;'],
  ['`a < b` and `c`', '<code>a &lt; b</code> and <code>c</code>'],
  ['see [the page](/docs#x).', 'see <a href="/docs#x">the page</a>.'],
  ['`[not](/a/link)`', '<code>[not](/a/link)</code>'],
  ['a lone ` sign', 'a lone ` sign'],
  ['[here](javascript:alert)', 'here'],
  ['https://example.org/ and ada@example.org', 'https://example.org/ and ada@example.org'],
  ['![an image](/x.png)', 'an image'],
])('%s', (text, html) => {
  expect(inlineHtml(text)).toBe(html);
});

it('renders paragraphs, lists and code', () => {
  const text = 'One.\n\n* first `item`\n  * nested\n* second\n\n```sh\ncurl \'a\' <b>\n\n  -H "c"\n```\n\nLast.';
  expect(toHtml(text)).toBe(
    [
      '<p>One.</p>',
      '<ul>\n<li>first <code>item</code><ul>\n<li>nested</li>\n</ul>\n</li>\n<li>second</li>\n</ul>',
      "<pre><code>curl 'a' &lt;b&gt;\n\n  -H &quot;c&quot;</code></pre>",
      '<p>Last.</p>',
    ].join('\n'),
  );
});

it('renders a narrow table as it is, and lets a wide table scroll', () => {
  expect(toHtml('| a | |\n| --- | --- |\n| 1 | 2 |')).toMatch(/^<table>\n<thead>\n<tr>\n<th>a<\/th>\n<td><\/td>/);
  const wide = toHtml('| a | `b` | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |');
  expect(wide).toMatch(/^<div class="wide" role="group" tabindex="0" aria-label="Table: a, b, c">\n<table>/);
});

it('gives headings the anchors of GitHub', () => {
  expect(anchorOf('When `CoinGecko` is down')).toBe('when-coingecko-is-down');
  expect(toHtml('## A section\n\n### The 2nd `part`')).toBe(
    '<h2><a href="#a-section">A section</a></h2>\n<h3 id="the-2nd-part"><a href="#the-2nd-part">The 2nd <code>part</code></a></h3>',
  );
});

it('splits a text at its sections, without its title and its contents', () => {
  const text =
    '# Title\n\n- [One](#one)\n- [Two](#two)\n\nWords.\n\n## One\n\n```sh\n## no heading\n```\n\n### Part\n\n## Two\n\nEnd.\n';
  const sections = sectionsOf(text);
  expect(sections.map(({ id, title, anchors }) => [id, title, anchors])).toEqual([
    ['', '', []],
    ['one', 'One', ['one', 'part']],
    ['two', 'Two', ['two']],
  ]);
  expect(sections[0].markdown.trim()).toBe('Words.');
  expect(sections[1]?.markdown).toContain('## no heading');
});

it('replaces the targets of links, except in code', () => {
  const text = 'See [a\nb](a.md#x) and [c](c.md).\n\n```md\n[a](a.md)\n```\n';
  const targets: Record<string, string> = { 'a.md#x': '/docs/a#x' };
  expect(withTargets(text, (target) => targets[target])).toBe(
    'See [a\nb](/docs/a#x) and c.\n\n```md\n[a](a.md)\n```\n',
  );
});
