import { describe, expect, it } from 'vitest';
import type { ApiKey } from '#client/index';
import { thresholdsIn } from '#console/account/allowance';
import {
  adviceFor,
  corsInWords,
  isForPages,
  keyInUse,
  lifeInWords,
  originsInWords,
  scopesInWords,
  usageInWords,
  validityInWords,
} from '#console/account/key-texts';
import { mailLinkIn } from '#console/account/sign-in';
import { factsOf } from '#console/core/facts';
import { DAY, HOUR, MINUTE } from '#core/clock';

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

describe('a key', () => {
  it('lists its scopes', () => {
    expect(
      [owner.scopes, shop.scopes, ['node' as const], ['prices' as const, 'node' as const]].map((scopes) =>
        scopesInWords({ scopes }),
      ),
    ).toEqual([
      'full access, including account management',
      'reads prices',
      'uses the node',
      'reads prices and uses the node',
    ]);
  });

  it('states its calls and its limit', () => {
    const usage = { id: 2, label: 'Shop', start: null, calls: 1200, daily: [{ date: '2026-03-15', calls: 1 }] };
    expect(usageInWords({ ...shop, dailyLimit: 500 }, usage, NOW)).toBe('1 call today of 500 a day, 1,200 in 31 days.');
    expect(usageInWords(shop, usage, NOW + DAY)).toBe('0 calls today, 1,200 in 31 days.');
    expect(usageInWords(shop, undefined, NOW)).toBe('0 calls today, 0 in 31 days.');
  });

  it('is for web pages only if it has origins', () => {
    const allowedOrigins = ['https://a.example'];
    expect([owner, shop, { ...shop, allowedOrigins: [] }].map(isForPages)).toEqual([false, false, false]);
    expect(isForPages({ ...shop, allowedOrigins })).toBe(true);
    expect(adviceFor({ ...shop, allowedOrigins })).toMatch(/^A key for a web page/);
    expect(adviceFor({ scopes: ['prices', 'node'], allowedOrigins })).toMatch(/^A key for a web page/);
    expect(adviceFor(shop)).toMatch(/^A key for a program\. For a web page, enter the origin/);
    expect(adviceFor({ scopes: ['node'], allowedOrigins: null })).toMatch(/^A key for a program/);
    expect(adviceFor({ scopes: [], allowedOrigins: null })).toBe('');
  });

  it('names the origins that the operator has not allowed', () => {
    expect(corsInWords({ blockedOrigins: ['https://a.example'] })).toMatch(/https:\/\/a\.example.*CORS_ORIGINS/);
    expect(corsInWords({ blockedOrigins: [] })).not.toContain('CORS_ORIGINS');
  });

  it('shows its dates', () => {
    const ends = new Date(NOW + HOUR);
    expect([
      lifeInWords(owner, NOW),
      lifeInWords(shop, NOW, true),
      lifeInWords({ ...shop, lastUsedAt: new Date(NOW - MINUTE) }, NOW),
      lifeInWords({ ...shop, expiresAt: ends }, NOW),
      lifeInWords({ ...owner, replacedAt: new Date(NOW), expiresAt: ends }, NOW),
    ]).toEqual([
      'Created Feb 3, 2026, used 5 minutes ago, expires with the account.',
      'Created Feb 3, 2026, used just now, expires with the account.',
      'Created Feb 3, 2026, used just now, expires with the account.',
      'Created Feb 3, 2026, not used yet, expires Mar 15, 2026, 1:00 PM.',
      'Created Feb 3, 2026, used 5 minutes ago, replaced, read-only until Mar 15, 2026, 1:00 PM.',
    ]);
  });

  it('lists the origins of its web pages', () => {
    expect(originsInWords({ allowedOrigins: ['https://a.example', 'http://localhost:5173'] })).toBe(
      'Only for web pages on https://a.example, http://localhost:5173.',
    );
  });

  it('states its expiry', () => {
    const mine = new Date(NOW);
    const accounts = new Date(NOW + DAY);
    expect([
      validityInWords(mine, accounts),
      validityInWords(null, accounts),
      validityInWords(null, undefined),
    ]).toEqual([
      'It expires on Mar 15, 2026, 12:00 PM and cannot be renewed.',
      'It is valid until Mar 16, 2026, 12:00 PM. Renewing the account extends it.',
      'It is valid as long as the account is active.',
    ]);
  });

  it('is matched by its start, unless the start is ambiguous', () => {
    const old = { ...owner, id: 3, start: null };
    expect(keyInUse([shop, owner], 'qt_AbCdEFG')).toBe(owner);
    expect(keyInUse([shop, old], 'qt_AbCdEFG')).toBe(old);
    expect(keyInUse([shop, old, { ...old, id: 4 }], 'qt_AbCdEFG')).toBeUndefined();
    expect(keyInUse([owner, { ...shop, start: owner.start }], 'qt_AbCdEFG')).toBeUndefined();
    expect(keyInUse([shop], 'qt_AbCdEFG')).toBeUndefined();
  });
});

describe('an emailed link', () => {
  it.each([
    ['#recover=aB0-_', { purpose: 'recover', code: 'aB0-_' }],
    ['#verify=x', { purpose: 'verify', code: 'x' }],
    ['', undefined],
    ['#recover=', undefined],
    ['#recover=<b>', undefined],
    [`#recover=${'x'.repeat(201)}`, undefined],
    ['#content', undefined],
    ['#delete=x', undefined],
  ])('%s', (fragment, link) => expect(mailLinkIn(fragment)).toEqual(link));
});

it.each([
  ['80, 100', [80, 100]],
  [' 50%,80 % ; 100 ', [50, 80, 100]],
  ['', []],
  ['ten', [Number.NaN]],
])('thresholds %j', (text, thresholds) => expect(thresholdsIn(text)).toEqual(thresholds));

it('reads the registration mode and the mail setting from the page', () => {
  const facts = (dataset: Record<string, string>) => factsOf({ dataset });
  expect(facts({ registration: 'verified', mail: '' })).toEqual({
    registration: 'verified',
    sendsMail: true,
  });
  expect(facts({ registration: 'closed' })).toEqual({ registration: 'closed', sendsMail: false });
  expect(facts({})).toEqual({ registration: 'open', sendsMail: false });
});
