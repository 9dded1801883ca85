import { expect, it } from 'vitest';
import { originsIn, termsIn } from '#console/account/key-fields';
import { noteFor } from '#console/account/purpose-code';
import { DAY } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:00:00Z');

function terms(fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ label: 'Shop', expiry: 'never', ...fields })) form.set(name, value);
  return termsIn(form, NOW);
}

it('reads the terms of a key', () => {
  expect(terms({ scopes: 'node', dailyLimit: '500', allowedOrigins: 'https://a.example' })).toEqual({
    label: 'Shop',
    scopes: ['node'],
    expiresAt: null,
    dailyLimit: 500,
    allowedOrigins: ['https://a.example'],
    url: false,
  });
  expect(terms({ dailyLimit: '' }).dailyLimit).toBeUndefined();
  for (const purpose of ['spreadsheet', 'coingecko', 'wallet']) expect(terms({ purpose }).url).toBe(true);
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

const key = (scopes: ('account' | 'prices' | 'node')[], allowedOrigins: string[] | null = null) => ({
  scopes,
  allowedOrigins,
  url: false,
});

it('recommends a restriction for a key of a web page, and names the origins of a restricted key', () => {
  expect(noteFor('page', key(['prices']))).toMatch(/^Restrict the key to the origin of your page/);
  expect(noteFor('page', key(['prices'], ['https://a.example', 'https://b.example']))).toMatch(
    /^The code works only in web pages on https:\/\/a\.example, https:\/\/b\.example\./,
  );
});
