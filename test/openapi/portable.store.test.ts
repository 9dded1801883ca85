import { describe, expect, it } from 'vitest';
import type { Document } from '../../fixtures/published.ts';
import { describedBy, SETTINGS } from './settings.ts';

/* Tools that were written for OpenAPI 3.0 do not read these keywords. */

type Node = { [keyword: string]: unknown };

/** All objects of a document, except those in examples. */
function* objectsIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Node;
  for (const [name, member] of Object.entries(value))
    if (!/^(examples?|value|default)$/.test(name)) yield* objectsIn(member);
}

describe.each(Object.entries(SETTINGS))('the description of a service %s', (_name, settings) => {
  it('has no numeric exclusiveMinimum, no list of types, and no pattern beside a format', async () => {
    const objects = [...objectsIn(JSON.parse(await describedBy(settings)))];
    expect(objects.length).toBeGreaterThan(1000);
    const unreadable = objects.filter(
      ({ exclusiveMinimum, exclusiveMaximum, type, pattern, format, propertyNames }) =>
        typeof exclusiveMinimum === 'number' ||
        typeof exclusiveMaximum === 'number' ||
        Array.isArray(type) ||
        (typeof pattern === 'string' && typeof format === 'string') ||
        (typeof propertyNames === 'object' && propertyNames !== null),
    );
    expect(unreadable).toEqual([]);
  });
});

it('values that the schemas with these keywords allow are still allowed, and others are not', async () => {
  const document = JSON.parse(await describedBy({})) as Document;
  const { User, LatestPrice } = document.components.schemas as Record<string, { properties: Record<string, Node> }>;
  expect(User?.properties.key).toMatchObject({ type: 'integer', minimum: 1 });
  expect(User?.properties.createdAt).toMatchObject({ type: 'string', format: 'date-time' });
  expect(LatestPrice?.properties.market_cap).toMatchObject({ anyOf: [{ type: 'number' }, { type: 'null' }] });
});

it('the server is PUBLIC_URL, with its path', async () => {
  const servers = async (settings: Record<string, string>) =>
    (JSON.parse(await describedBy(settings)) as Document).servers.map(({ url }) => url);
  const given = { PUBLIC_URL: 'https://quotient.example.org/market', BASE_PATH: '/market' };
  expect(await servers(given)).toEqual(['https://quotient.example.org/market']);
  expect(await servers({ BASE_PATH: '/market' })).toEqual(['/market']);
});
