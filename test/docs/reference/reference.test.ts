import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Document } from '#docs/reference/document';
import { openReference } from '#docs/reference/reference';

const RESPONSE = '#/components/responses/400';
const problems = { 400: { $ref: RESPONSE } };

/** A description with two operations, one of which has `text` in every text member. */
function documentWith(text: string): Document {
  const schema = {
    type: 'object',
    properties: { [text]: { type: 'string', description: text } },
    description: text,
  };
  const parameter = { name: text, in: 'query', required: true, description: text, example: text };
  const content = { 'application/json': { schema, example: { [text]: text } } };
  const headers = { RateLimit: { $ref: '#/components/headers/RateLimit' } };
  const one = {
    ...{
      operationId: 'one',
      summary: text,
      tags: ['prices'],
      description: text,
      'x-price': text,
      'x-scope': 'prices' as const,
    },
    parameters: [
      { ...parameter, schema: { type: 'string', default: text } },
      { ...parameter, schema: { type: 'string', enum: [text] } },
    ],
    requestBody: { content: { 'application/json': { schema } } },
    security: [{ ApiKey: [text] }],
    responses: { 200: { description: text, content, headers }, ...problems },
  };
  const other = { operationId: 'other', summary: 'Other', tags: ['prices'], responses: problems };
  const example = { 'application/problem+json': { schema: {}, examples: { invalid_request: {} } } };
  return {
    tags: [{ name: 'prices', description: text }],
    paths: { '/v1/one': { delete: one }, '/v1/other': { get: other } },
    components: {
      schemas: {},
      headers: { RateLimit: { description: text, schema: {}, example: text } },
      responses: { 400: { description: '', content: example } },
    },
  };
}

/** All HTML of the reference. */
function htmlOf(text: string): string {
  const { common, group } = openReference(documentWith(text), '/market');
  return [common().html, group('prices').html].join('\n');
}

const TAG = /<\/?[a-z][a-z0-9]*((?: [a-z-]+(?:="[^"<>]*")?)*)>/g;

/** Expects well-formed tags: without them, the text contains no angle brackets. */
function expectWellFormed(html: string): void {
  expect(html.replace(TAG, '')).not.toMatch(/[<>]/);
  const attributes = new Set(
    [...html.matchAll(TAG)].flatMap(([, all = '']) =>
      [...all.matchAll(/ ([a-z-]+)(?:="[^"]*")?/g)].map(([, name]) => name),
    ),
  );
  for (const name of attributes) expect(name).not.toMatch(/^on|^style$|^src/);
}

it.each([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '`</code><b>`',
  '[here](javascript:alert(1))',
  '</textarea><script>',
])('escapes %s in every text member', (text) => {
  expectWellFormed(htmlOf(text));
  expect(htmlOf(text)).not.toContain('href="javascript:');
});

it('escapes any text', () => {
  const pieces = fc.constantFrom('<', '>', '"', "'", '`', '&', '[', '](', ')', '/', '=', ' ', '</', '<!--', 'on', 'x');
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => expectWellFormed(htmlOf(text))),
    { numRuns: 300 },
  );
});

it('states the cost and the key of a call, and asks for confirmation before irreversible calls', () => {
  const html = htmlOf('words');
  expect(html).toContain('<p class="terms">Costs words · Key with the scope <code>prices</code></p>');
  expect(html).toContain('<p class="terms">Free · No key required</p>');
  expect(html.match(/data-question="[^"]+cannot be undone\."/g)).toHaveLength(1);
  expect(html).toContain('data-path="/market/v1/one"');
});

it('lists a problem common to all paths once', () => {
  const html = htmlOf('words');
  expect(html.match(/href="\/market\/docs\/problems#invalid_request"/g)).toHaveLength(1);
  expect(html.match(/href="\/market\/docs\/reference#shared-problems"/g)).toHaveLength(2);
});

it('renders a description as paragraphs and a folded list', () => {
  const html = htmlOf('One.\n\nTwo.\n\n* three\n  * four');
  expect(html).toContain(
    '<p>One.</p>\n<p>Two.</p>\n<details><summary>Details</summary>\n<ul>\n<li>three<ul>\n<li>four</li>\n</ul>\n</li>\n</ul></details>',
  );
});

it('states the same facts in Markdown', () => {
  const { common, group } = openReference(documentWith('some words'), '/market');
  const { markdown } = group('prices');
  for (const text of ['## some words', '`DELETE /market/v1/one`', 'Costs some words · Key with the scope `prices`'])
    expect(markdown).toContain(text);
  expect(markdown).toContain('| `some words` | string, required | some words Values: `some words`.');
  expect(markdown).toContain("```sh\ncurl -X DELETE -H 'X-API-KEY: qt_your_key'");
  expect(common().markdown).toContain('- 400 `invalid_request`');
  expect(common().markdown).toContain('- `RateLimit`: some words');
});

it('escapes the cells of tables in Markdown', () => {
  const { group } = openReference(documentWith('a | b'), '');
  expect(group('prices').markdown).toContain('| `a \\| b` | string, required |');
});
