import { beforeEach, describe, expect, test } from 'vitest';
import { memo } from '#core/memo';
import { withinDeadline } from '#database/deadline';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';

let clock: TestClock;
let calls: PromiseWithResolvers<string>[];
beforeEach(() => {
  clock = createTestClock('2026-05-15T14:00:00Z');
  calls = [];
});

function make(): Promise<string> {
  const call = Promise.withResolvers<string>();
  calls.push(call);
  return call.promise;
}

test('callers share one call, and its value for the configured time after its end', async () => {
  const value = memo(make, { ttl: 1000, clock });
  const first = value();
  clock.advance(60_000);
  expect(value(), 'while the call is in progress').toBe(first);
  calls[0]?.resolve('one');
  await first;
  clock.advance(999);
  expect(value()).toBe(first);
  clock.advance(1);
  expect(value()).not.toBe(first);
  expect(calls).toHaveLength(2);
});

test('with a time of 0, only the call is shared', async () => {
  const value = memo(make, { ttl: 0, clock });
  const first = value();
  expect(value()).toBe(first);
  calls[0]?.resolve('one');
  await first;
  void value();
  expect(calls).toHaveLength(2);
});

test('a new version starts a new call, whatever the outcome of the previous version’s call', async () => {
  const value = memo(make, { ttl: 1000, clock });
  const first = value(1);
  const second = value(2);
  expect(calls).toHaveLength(2);
  calls[1]?.resolve('two');
  await second;
  calls[0]?.reject(new Error('late'));
  await expect(first).rejects.toThrow('late');
  expect(await value(2)).toBe('two');
  expect(calls).toHaveLength(2);
});

describe('an error', () => {
  test('is not cached: the next caller starts another call', async () => {
    const value = memo(make, { ttl: 1000, clock });
    const first = value();
    calls[0]?.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    void value();
    expect(calls).toHaveLength(2);
  });

  test('is kept like a value if configured', async () => {
    const check = memo(make, { ttl: 1000, clock, keepsErrors: true, share: withinDeadline });
    const first = Array.from({ length: 20 }, () => check());
    expect(calls).toHaveLength(1);
    calls[0]?.reject(new Error('disk full'));
    for (const one of first) await expect(one).rejects.toMatchObject({ code: 'database_unavailable' });
    clock.advance(999);
    await expect(check()).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(calls).toHaveLength(1);
    clock.advance(1);
    check().catch(() => undefined);
    expect(calls).toHaveLength(2);
  });
});

test('a call that passes the deadline of its callers remains the only one until it ends', async () => {
  const share = (call: Promise<string>) => withinDeadline(call, undefined, 1);
  const check = memo(make, { ttl: 1000, clock, keepsErrors: true, share });
  await expect(check()).rejects.toMatchObject({ code: 'database_unavailable' });
  clock.advance(60_000);
  await expect(check()).rejects.toMatchObject({ code: 'database_unavailable' });
  expect(calls).toHaveLength(1);
});
