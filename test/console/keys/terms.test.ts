import { expect, it } from 'vitest';
import { isForUrls, originsIn, termsIn } from '#console/keys/terms';
import { DAY } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:00:00Z');

function fields(given: Record<string, string>) {
  const values: Record<string, string> = { label: 'Shop', expiry: 'never', ...given };
  return Object.assign((name: string) => values[name] ?? '', {
    all: (name: string) => (values[name] ?? '').split(' ').filter((value) => value !== ''),
  });
}
const terms = (given: Record<string, string>) => termsIn(fields(given), NOW);

it('reads the terms of a key', () => {
  expect(terms({ scopes: 'prices node', dailyLimit: '500', allowedOrigins: 'https://a.example' })).toEqual({
    label: 'Shop',
    scopes: ['prices', 'node'],
    expiresAt: null,
    dailyLimit: 500,
    allowedOrigins: ['https://a.example'],
  });
  expect(terms({ dailyLimit: '' }).dailyLimit).toBeNull();
  for (const purpose of ['spreadsheet', 'coingecko', 'wallet']) expect(isForUrls(fields({ purpose }))).toBe(true);
  for (const purpose of ['program', '']) expect(isForUrls(fields({ purpose }))).toBe(false);
});

it.each([
  ['never', '', null],
  ['keep', '', undefined],
  ['7', '', new Date(NOW + 7 * DAY)],
  ['date', '2026-03-15', new Date('2026-03-16T00:00:00Z')],
])('reads the expiry %s %s', (expiry, expiresAt, expected) => {
  expect(terms({ expiry, expiresAt }).expiresAt).toEqual(expected);
});

it.each([
  ['', []],
  [' https://a.example \n', ['https://a.example']],
  ['https://a.example\nhttp://localhost:5173', ['https://a.example', 'http://localhost:5173']],
  ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
])('reads the origins %j', (text, origins) => expect(originsIn(text)).toEqual(origins));
