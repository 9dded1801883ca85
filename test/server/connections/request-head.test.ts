import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { checkRequest, headersSize, LIMITS } from '#server/connections/request-head';

const HOST = ['Host', 'quotient'];

/** The parts of a request that the checks use. */
function request({ url = '/v1/tokens', rawHeaders = HOST, httpVersion = '1.1' }): FastifyRequest {
  return { url, query: {}, raw: { rawHeaders, headers: {}, httpVersion } } as unknown as FastifyRequest;
}

test('a URI can have 8 KB', () => {
  const url = '/'.padEnd(LIMITS.uri, 'x');
  expect(() => checkRequest(request({ url }))).not.toThrow();
  expect(() => checkRequest(request({ url: `${url}x` }))).toThrow(/longer than 8192 bytes/);
});

test('header fields can have 16 KB, including separators', () => {
  expect(headersSize(HOST)).toBe('Host: quotient\r\n'.length);
  const value = 'x'.repeat(LIMITS.headers - 'Host: quotient\r\nX: \r\n'.length);
  expect(() => checkRequest(request({ rawHeaders: [...HOST, 'X', value] }))).not.toThrow();
  expect(() => checkRequest(request({ rawHeaders: [...HOST, 'X', `${value}x`] }))).toThrow(/longer than 16384 bytes/);
});

describe('the field Host (RFC 9112, 3.2)', () => {
  test('can be omitted only in HTTP/1.0', () => {
    expect(() => checkRequest(request({ rawHeaders: [], httpVersion: '1.0' }))).not.toThrow();
    expect(() => checkRequest(request({ rawHeaders: [] }))).toThrow('header.host is missing');
  });

  test.each(['1.0', '1.1'])('must occur once: HTTP/%s', (httpVersion) => {
    const rawHeaders = [...HOST, 'HOST', 'quotient'];
    expect(() => checkRequest(request({ rawHeaders, httpVersion }))).toThrow('more than once');
  });
});
