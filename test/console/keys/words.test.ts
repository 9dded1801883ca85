import { expect, it } from 'vitest';
import type { ApiKey } from '#client/index';
import {
  adviceFor,
  callsOn,
  corsInWords,
  exposuresInWords,
  isForPages,
  keyInUse,
  purposeInWords,
  scopesInWords,
  useInWords,
  validityInWords,
} from '#console/keys/words';
import { DAY, MINUTE } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const owner: ApiKey = {
  id: 1,
  label: null,
  scopes: ['account', 'prices', 'node'],
  start: 'qt_AbCd',
  createdAt: new Date(NOW - 40 * DAY),
  lastUsedAt: new Date(NOW - 5 * MINUTE),
  expiresAt: null,
  dailyLimit: null,
  allowedOrigins: null,
  url: false,
  exposedAt: null,
  replacedAt: null,
};
const shop: ApiKey = {
  ...owner,
  id: 2,
  label: 'Shop',
  scopes: ['prices'],
  start: 'qt_EfGh',
  lastUsedAt: null,
};

it.each([
  [owner, 'Account', 'full access'],
  [shop, 'Programs', 'reads prices'],
  [{ ...shop, allowedOrigins: [] }, 'Programs', 'reads prices'],
  [{ ...shop, allowedOrigins: ['https://a.example'] }, 'Web pages', 'reads prices'],
  [{ ...shop, url: true, scopes: ['node' as const] }, 'URLs', 'uses the node'],
  [{ ...shop, scopes: ['prices' as const, 'node' as const] }, 'Programs', 'reads prices, uses the node'],
])('states the purpose and the scopes of key %#', (key, purpose, scopes) => {
  expect([purposeInWords(key), scopesInWords(key)]).toEqual([purpose, scopes]);
});

it('reads the calls of a date', () => {
  const usage = { daily: [{ date: '2026-03-15', calls: 7 }] };
  expect([callsOn('2026-03-15', usage), callsOn('2026-03-16', usage), callsOn('2026-03-15', undefined)]).toEqual([
    7, 0, 0,
  ]);
});

it('recommends the terms of a new key', () => {
  const allowedOrigins = ['https://a.example'];
  expect(isForPages({ allowedOrigins: [] })).toBe(false);
  expect(adviceFor({ ...shop, allowedOrigins })).toMatch(/^A key for a web page/);
  expect(adviceFor({ scopes: ['prices', 'node'], allowedOrigins })).toMatch(/^A key for a web page/);
  expect(adviceFor(shop)).toMatch(/^A key for a program\. For a web page, enter the origin/);
  expect(adviceFor(shop, true)).toMatch(/^A key for a program that cannot send headers/);
  expect(adviceFor({ scopes: ['node'], allowedOrigins: null })).toMatch(/^A key for a program/);
  expect(adviceFor({ scopes: [], allowedOrigins: null })).toBe('');
});

it('names the origins that the operator has not allowed', () => {
  expect(corsInWords({ blockedOrigins: ['https://a.example'] })).toMatch(/https:\/\/a\.example.*CORS_ORIGINS/);
  expect(corsInWords({ blockedOrigins: [] })).not.toContain('CORS_ORIGINS');
});

it('states the last use, which the service reports to the minute', () => {
  expect([
    useInWords(owner, NOW),
    useInWords(shop, NOW, true),
    useInWords({ ...shop, lastUsedAt: new Date(NOW - MINUTE) }, NOW),
    useInWords(shop, NOW),
  ]).toEqual(['5 minutes ago', 'just now', 'just now', 'not used yet']);
});

it('states how others can have read an owner key', () => {
  const exposedAt = new Date(NOW);
  expect(exposuresInWords(owner)).toEqual([]);
  expect(exposuresInWords({ ...owner, seenOrigin: 'https://a.example', exposedAt })).toEqual([
    expect.stringMatching(/^A web page on https:\/\/a\.example has used the owner key qt_AbCd…\. /),
    expect.stringMatching(/^A URL contained the owner key qt_AbCd… on Mar 15, 2026, 12:00 PM\. /),
  ]);
  expect(exposuresInWords({ ...owner, start: null, exposedAt })[0]).toMatch(/^A URL contained an owner key on /);
});

it('states the expiry of a new key', () => {
  const own = new Date(NOW);
  const account = new Date(NOW + DAY);
  expect([validityInWords(own, account), validityInWords(null, account), validityInWords(null, undefined)]).toEqual([
    'It expires on Mar 15, 2026, 12:00 PM and cannot be renewed.',
    'It is valid until Mar 16, 2026, 12:00 PM. Renewing the account extends it.',
    'It is valid as long as the account is active.',
  ]);
});

it('matches a key by its start, unless the start is ambiguous', () => {
  const old = { ...owner, id: 3, start: null };
  expect(keyInUse([shop, owner], 'qt_AbCdEFG')).toBe(owner);
  expect(keyInUse([shop, old], 'qt_AbCdEFG')).toBe(old);
  expect(keyInUse([shop, old, { ...old, id: 4 }], 'qt_AbCdEFG')).toBeUndefined();
  expect(keyInUse([owner, { ...shop, start: owner.start }], 'qt_AbCdEFG')).toBeUndefined();
  expect(keyInUse([shop], 'qt_AbCdEFG')).toBeUndefined();
});
