import { expect, it } from 'vitest';
import type { Schema } from '#docs/openapi/schemas';
import { boundsOf, choicesHtml, fieldsHtml, typeOf } from '#docs/reference/schema-html';

const named = {
  Price: {
    type: 'object',
    properties: { price: { type: 'number', description: 'In `USD`' } },
    required: ['price'],
  },
};

it.each<[Schema, string]>([
  [{ type: 'string' }, 'string'],
  [{ type: ['number', 'null'] }, 'number or null'],
  [{ anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }, 'date-time or null'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Price' } }, 'array of object'],
  [{ enum: ['a', 'b'] }, 'string'],
  [{ const: true }, 'true'],
  [{}, 'any'],
])('%j has the type %s', (schema, type) => {
  expect(typeOf(schema, named)).toBe(type);
});

it.each<[Schema, string]>([
  [{ minimum: 1, maximum: 36500 }, '1 to 36500'],
  [{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'from 0'],
  [{ exclusiveMinimum: 0 }, 'from 1'],
  [{ maxLength: 254 }, 'at most 254 characters'],
  [{ minLength: 1, maxLength: 100 }, '1 to 100 characters'],
  [{ maxItems: 10 }, 'at most 10 items'],
  [{}, ''],
])('%j has the constraint: %s', (schema, bounds) => {
  expect(boundsOf(schema)).toBe(bounds);
});

it('lists a few choices and folds many', () => {
  expect(choicesHtml({ enum: ['a', 'b'] })).toBe('<p><code>a</code> <code>b</code></p>');
  const many = Array.from({ length: 41 }, (_, place) => `c${place}`);
  expect(choicesHtml({ enum: many })).toMatch(/^<details><summary>41 values<\/summary>.+c40/);
  expect(choicesHtml({})).toBe('');
});

it('lists the fields of an object, with nested objects folded', () => {
  const html = fieldsHtml(
    {
      type: 'object',
      properties: { at: { type: 'string' }, prices: { type: 'array', items: { $ref: '#/x/Price' } } },
      required: ['prices'],
    },
    named,
  );
  expect(html).toContain('<code>at</code><span class="type">string, optional</span>');
  expect(html).toContain('<code>prices</code><span class="type">array of object</span>');
  expect(html).toContain('<details><summary>Fields of <code>prices</code></summary>');
  expect(html).toContain('<code>price</code><span class="type">number</span></th><td>In <code>USD</code></td>');
});

it('lists the fields of array items, and no fields for other types', () => {
  expect(fieldsHtml({ type: 'array', items: { $ref: '#/x/Price' } }, named)).toContain('<code>price</code>');
  expect(fieldsHtml({ type: 'string' }, named)).toBe('');
});
