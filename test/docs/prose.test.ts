import { expect, it } from 'vitest';
import { inlineHtml, toHtml } from '#docs/markdown';

it.each([
  ['plain & "quoted" <b>', 'plain &amp; &quot;quoted&quot; &lt;b&gt;'],
  ['`a < b` and `c`', '<code>a &lt; b</code> and <code>c</code>'],
  ['see [the page](/docs#x).', 'see <a href="/docs#x">the page</a>.'],
  ['`[not](/a/link)`', '<code>[not](/a/link)</code>'],
  ['a lone ` sign', 'a lone ` sign'],
])('%s', (text, html) => {
  expect(inlineHtml(text)).toBe(html);
});

it('renders paragraphs, lists and code', () => {
  const text = 'One.\n\n* first `item`\n* second\n\n```sh\ncurl \'a\' <b>\n\n  -H "c"\n```\n\nLast.';
  expect(toHtml(text)).toBe(
    [
      '<p>One.</p>',
      '<ul>\n<li>first <code>item</code></li>\n<li>second</li>\n</ul>',
      "<pre><code>curl 'a' &lt;b&gt;\n\n  -H &quot;c&quot;</code></pre>",
      '<p>Last.</p>',
    ].join('\n'),
  );
});

it('renders a list within a list item', () => {
  expect(toHtml('* `a`\n  * one\n  * two\n* b')).toBe(
    '<ul>\n<li><code>a</code>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul></li>\n<li>b</li>\n</ul>',
  );
});
