import { expect, it } from 'vitest';
import { urlOf } from '#process/announcement';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
  ['0.0.0.0', 'http://localhost:8080'],
  ['::', 'http://localhost:8080'],
  ['192.0.2.1', 'http://192.0.2.1:8080'],
])('a service that listens at %s is announced at %s', (address, url) => {
  expect(urlOf({ address, port: 8080 })).toBe(url);
});
