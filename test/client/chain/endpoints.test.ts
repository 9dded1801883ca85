import { expect, test } from 'vitest';
import { restEndpoint, rpcEndpoint } from '#client/index';

const apiKey = `qt_${'a'.repeat(38)}`;
const urlKey = `qu_${'b'.repeat(38)}`;

test('an endpoint sends a key in a header, and a URL key in the path', () => {
  const baseUrl = 'https://example.org/market/';
  expect(rpcEndpoint({ baseUrl, apiKey })).toEqual({
    url: 'https://example.org/market/v1/node/rpc',
    headers: { 'X-API-KEY': apiKey },
  });
  expect(restEndpoint({ baseUrl: new URL(baseUrl), apiKey: urlKey })).toEqual({
    url: `https://example.org/market/k/${urlKey}/v1/node/rest`,
    headers: {},
  });
});

test.each([
  ['no key', { baseUrl: 'https://example.org' }, 'invalid_request'],
  ['a key with a line break', { baseUrl: 'https://example.org', apiKey: 'qt_\n' }, 'api_key_invalid'],
  ['no URL', { apiKey }, 'invalid_request'],
  ['a URL with a query', { baseUrl: 'https://example.org/?a=b', apiKey }, 'invalid_request'],
])('an endpoint with %s is rejected', (_name, options, code) => {
  expect(() => rpcEndpoint(options as never)).toThrow(expect.objectContaining({ code }));
});
