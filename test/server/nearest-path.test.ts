import { expect, it } from 'vitest';
import { nearestPath } from '#server/responses/problem-responses';

const KNOWN = ['/', '/docs', '/docs/problems', '/status', '/openapi.json', '/v1/tokens', '/v1/prices/latest/token'];

it.each([
  ['/doc', '/docs'],
  ['/Docs/', '/docs'],
  ['//docs//problems/', '/docs/problems'],
  ['/stauts', '/status'],
  ['/v1/token', '/v1/tokens'],
  ['/v1/price/latest/token', '/v1/prices/latest/token'],
  ['/tokens', '/v1/tokens'],
  ['/api/v1/tokens', '/v1/tokens'],
  ['/market/docs', '/docs'],
  ['/', undefined],
  ['/wp-login.php', undefined],
  ['/v2', undefined],
  [`/${'x'.repeat(5000)}`, undefined],
])('the suggestion for %s is %s', (path, meant) => {
  expect(nearestPath(path, KNOWN)).toBe(meant);
});
