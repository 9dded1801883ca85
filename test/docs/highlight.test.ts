import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { escapeHtml } from '#core/forms/record-fields';
import { highlightHtml } from '#docs/highlight';

/** The marked parts of code, as `kind:text`. */
const marksIn = (code: string, language: string) =>
  [...highlightHtml(code, language).matchAll(/<span class="(\w+)">(.*?)<\/span>/gs)].map(([, kind, text]) =>
    `${kind}:${text}`.replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
  );

it.each<[string, string, string[]]>([
  [
    'sh',
    `# Reads it's price\nKEY=qt_your_key\ncurl -H "X-API-KEY: $KEY" \\\n  'https://a.example/v1#x' | jq .`,
    [
      "comment:# Reads it's price",
      'name:KEY',
      'word:curl',
      'name:-H',
      'string:"X-API-KEY: $KEY"',
      "string:'https://a.example/v1#x'",
      'word:jq',
    ],
  ],
  ['json', '{"a": -1.5, "b": [true, "c"]}', ['name:"a"', 'literal:-1.5', 'name:"b"', 'literal:true', 'string:"c"']],
  [
    'ts',
    "// It's a call\nconst url = 'https://a.example'; return `a/1`;",
    ["comment:// It's a call", 'word:const', "string:'https://a.example'", 'word:return', 'string:`a/1`'],
  ],
  ['python', 'import json # x\nprint(None, "a#b")', ['word:import', 'comment:# x', 'literal:None', 'string:"a#b"']],
  ['yaml', "image: a # don't\n  - name: 8", ['name:image', "comment:# don't", 'name:name', 'literal:8']],
  ['nginx', 'proxy_pass http://a;\n  set $b "c";', ['word:proxy_pass', 'word:set', 'name:$b', 'string:"c"']],
  ['sql', "SELECT 1 -- it's\nFROM a", ['word:SELECT', 'literal:1', "comment:-- it's", 'word:FROM']],
])('the marks in %s', (language, code, marks) => expect(marksIn(code, language)).toEqual(marks));

it('does not change the text of any sample', () => {
  const folder = new URL('../../docs/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const samples = files.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
  ]);
  expect(samples.length).toBeGreaterThan(100);
  for (const [, language = '', code = ''] of samples) {
    const html = highlightHtml(code, language);
    expect(html, code).toContain('<span');
    expect(html.replaceAll(/<\/?span[^>]*>/g, '')).toBe(escapeHtml(code));
  }
});
