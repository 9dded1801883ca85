import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Document } from '#docs/openapi/schemas';
import { openReference } from '#docs/reference/reference';
import { amount } from '../support/long.ts';

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
    operationId: 'one',
    summary: text,
    tags: ['prices'],
    description: text,
    'x-price': text,
    'x-scope': 'prices' as const,
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
    { numRuns: amount(60, 1_000) },
  );
});
