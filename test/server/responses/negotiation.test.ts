import { describe, expect, test } from 'vitest';
import { acceptedCoding } from '#server/responses/negotiation';

describe('the content coding for an Accept-Encoding (RFC 9110, 12.5.3)', () => {
  test.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0.5, gzip;q=0.5', 'br'],
    ['br;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['*;q=0, gzip', 'gzip'],
    ['GZIP', 'gzip'],
    [' gzip ;q=0.8 , br ; q=0.9', 'br'],
    ['gzip;q=nonsense', 'identity'],
    ['deflate, zstd', 'identity'],
    ['identity;q=1, br;q=0.5', 'identity'],
    ['identity, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.8, br;q=0.1', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
  ])('%j is %s', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
    expect(acceptedCoding(header)).toBe(coding);
  });

  test('handles thousands of different headers without remembering all of them', () => {
    for (let i = 0; i < 2000; i++) expect(acceptedCoding(`x-${i}, gzip`)).toBe('gzip');
  });
});
