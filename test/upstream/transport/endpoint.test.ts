import { expect, it } from 'vitest';
import { createTargets } from '#upstream/transport/upstream-request';

it.each([
  ['https://api.coingecko.com/api/v3', 'api.coingecko.com', 'https'],
  ['http://127.0.0.1:1317', '127.0.0.1', 'http'],
  ['http://[2001:db8:85a3::8a2e:370:7334]:1317', '[2001:db8:85a3::8a2e:370:7334]', 'http'],
  ['https://3f1c9a0d5b7e4f62a8.nodes.example/3f1c9a0d5b7e4f62a8?key=secret', '***.nodes.example', 'https'],
  ['https://ada:secret@nodes.example', 'nodes.example', 'https'],
])('the spans of %s have a host without secrets', (url, address, scheme) => {
  expect(createTargets(url).endpoint).toEqual({ 'server.address': address, 'url.scheme': scheme });
});
