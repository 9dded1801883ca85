import { describe, expect, it } from 'vitest';
import { QuotientError } from '#client/index';
import { ageText, oldest, staleReason } from '#console/api/api-call';
import { bigMoney, money } from '#console/core/currency';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { lastDays } from '#pages/dates';
import { change, fromNow, span, withDates } from '#pages/format';

const NOW = Date.parse('2026-03-15T12:00:00Z');

describe('money', () => {
  it.each([
    [67_585.239, 'usd', '$67,585.24'],
    [10, 'usd', '$10.00'],
    [1.001, 'usd', '$1.0010'],
    [0.0999, 'usd', '$0.0999'],
    [0.000_012_34, 'usd', '$0.00001234'],
    [0.000_000_000_012_345, 'usd', '$1.235E-11'],
    [0, 'usd', '$0.00'],
    [58_190.9, 'eur', '€58,190.90'],
    [10_482_470.2, 'jpy', '¥10,482,470'],
    [155.27, 'jpy', '¥155.27'],
    [0.034_523_117, 'btc', 'BTC\u00a00.03452312'],
    [1, 'eth', 'ETH\u00a01.0000'],
  ])('%d %s is %s', (value, currency, text) => expect(money(value, currency)).toBe(text));

  it('is compact for large amounts', () => {
    expect([54_920_000_000, 900].map((value) => bigMoney(value, 'usd'))).toEqual(['$54.92B', '$900.00']);
  });
});

it('formats a change with a sign', () => {
  expect([change(0.0158), change(-0.0093), change(0)]).toEqual(['+1.58%', '−0.93%', '0.00%']);
});

it.each([
  ['expired at 2026-11-22T09:05:07.123Z: renew it', 'expired at Nov 22, 2026, 9:05 AM: renew it'],
  ['no data before 2013-04-28.', 'no data before Apr 28, 2013.'],
  ['2012-01-01 to 2012-12-31', 'Jan 1, 2012 to Dec 31, 2012'],
  ['2026-99-99 is invalid', '2026-99-99 is invalid'],
  ['text without a date', 'text without a date'],
])('formats the dates in %j', (text, written) => expect(withDates(text)).toBe(written));

it('formats time spans in the largest unit', () => {
  expect([span(59 * SECOND), span(SECOND), span(60 * MINUTE), span(3 * HOUR), span(40 * DAY)]).toEqual([
    '59 seconds',
    '1 second',
    '60 minutes',
    '3 hours',
    '40 days',
  ]);
  expect(fromNow(new Date(NOW + 29 * DAY + HOUR), NOW)).toBe('in 29 days');
  expect(fromNow(new Date(NOW - 3 * HOUR), NOW)).toBe('3 hours ago');
});

describe('an age', () => {
  it('is a time, and includes the age after ten minutes', () => {
    const at = (ms: number) => ({ fetchedAt: new Date(NOW - ms), stale: undefined });
    expect(ageText(at(5 * MINUTE), NOW)).toBe('As of 11:55 AM UTC');
    expect(ageText(at(3 * HOUR), NOW)).toBe('As of 9:00 AM UTC, 3 hours ago');
    expect(ageText(at(2 * DAY), NOW)).toBe('As of Mar 13, 2026, 12:00 PM UTC, 2 days ago');
    expect(ageText({ fetchedAt: undefined, stale: undefined }, NOW)).toBe('');
  });

  it('states why data is stale, unless it is being refreshed', () => {
    expect(staleReason('quotient; fwd=stale; ttl=-300; detail=timeout')).toBe('timed out');
    expect(staleReason('quotient; fwd=stale; ttl=-1; detail=refreshing')).toBeUndefined();
    expect(staleReason('quotient; hit; ttl=42')).toBeUndefined();
    const stale = { fetchedAt: new Date(NOW - HOUR), stale: 'server error' };
    expect(ageText(stale, NOW)).toBe('60 minutes old (source: server error)');
  });

  it('states why data is not updated, and always its age', () => {
    const old = (error: QuotientError, fetchedAt?: Date) =>
      ageText({ fetchedAt, stale: undefined, failure: error }, NOW);
    const at = new Date(NOW - 12 * MINUTE);
    const failed = (code: string, status?: number) => new QuotientError(code, '', { status });
    expect(old(failed('network'), at)).toBe('As of 11:48 AM UTC, 12 minutes ago: the service is unreachable');
    expect(old(failed('api_key_revoked', 401), at)).toMatch(/: the key was revoked$/);
    expect(old(failed('api_key_invalid', 401), at)).toMatch(/: the key is no longer valid$/);
    expect(old(failed('overloaded', 503), at)).toMatch(/: the service reports overloaded$/);
    expect(old(failed('timeout'))).toBe('Not updated: the service did not respond in time');
  });

  it('of several responses is that of the oldest', () => {
    const recent = { fetchedAt: new Date(NOW), stale: undefined };
    const old = { fetchedAt: new Date(NOW - DAY), stale: 'timeout' };
    expect(oldest([recent, old, { fetchedAt: undefined, stale: undefined }])).toEqual(old);
  });
});

it('lists the calls of 31 days, including days without calls', () => {
  const days = lastDays(
    [
      { date: '2026-03-15', calls: 3 },
      { date: '2026-03-01', calls: 7 },
    ],
    NOW,
  );
  expect(days).toHaveLength(31);
  expect([days[0], days[16], days[30]]).toEqual([
    { date: '2026-02-13', calls: 0 },
    { date: '2026-03-01', calls: 7 },
    { date: '2026-03-15', calls: 3 },
  ]);
});
