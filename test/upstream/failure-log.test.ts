import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { identifyDatabaseFailure } from '#database/connection/unreachable';
import { DEADLINE, withinDeadline } from '#database/deadline';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createFailureLog, type FailureLog } from '#upstream/failures/failure-log';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';

type Line = { level: string; message: string } & Record<string, unknown>;
let lines: Line[];
let clock: TestClock;
let failures: FailureLog;
beforeEach(() => {
  lines = [];
  clock = createTestClock('2026-05-15T14:10:06Z');
  const write = (level: string) => (facts: object, message: string) => void lines.push({ ...facts, level, message });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  failures = createFailureLog({ log, clock, identifyDatabaseFailure, deadline: DEADLINE });
  for (const upstream of ['coingecko', 'kraken']) failures.observe(upstream);
});
afterEach(() => failures.close());

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const away = (cause?: unknown) =>
  new Problem('database_unavailable', 'The database is not responding.', {
    ...(cause !== undefined && { cause }),
  });
const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
const down = (upstream = 'coingecko') => new UpstreamFailure(upstream, 'unreachable', 'no connection');

/** Advances the clock second by second, as the failure log sees it. */
async function pass(seconds: number, each: () => void = () => undefined): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(SECOND);
    each();
    await nextTurn();
    failures.review();
    await nextTurn();
  }
}

describe('a cause', () => {
  test('is logged in one line immediately, and then in one line per ten seconds with the number of failures', async () => {
    await pass(30, () => {
      for (let call = 0; call < 500; call++) failures.failed('request', away(refused));
      failures.failed('settlement', away(refused));
    });
    expect(lines).toMatchObject([
      { level: 'warn', message: 'database failed', cause: 'unreachable', count: 501, sinceMs: 0 },
      { count: 5010, sinceMs: 10_000, work: { request: 5000, settlement: 10 } },
      { count: 5010, sinceMs: 20_000 },
    ]);
    expect(lines[0]).toMatchObject({ reason: refused.message });
  });

  test('is logged separately from other causes', async () => {
    await pass(5, () => {
      failures.failed('request', away(refused));
      failures.failed('request', away(starting));
    });
    expect(lines.map(({ cause }) => cause)).toEqual(['unreachable', '57P03']);
  });

  test('counts the requests that were rejected because it had just occurred', async () => {
    failures.failed('settlement', away(starting));
    failures.failed('request', away());
    await nextTurn();
    expect(lines).toMatchObject([{ cause: '57P03', count: 2 }]);
  });

  test('covers the whole upstream, whichever fetch fails', async () => {
    for (let token = 0; token < 1000; token++) failures.failed('fetch', down(), { what: `chart:${token}` });
    failures.failed('fetch', down('kraken'), { what: 'kraken:latest' });
    await nextTurn();
    expect(lines).toMatchObject([
      {
        message: 'upstream failed',
        upstream: 'coingecko',
        cause: 'unreachable',
        count: 1000,
        what: 'chart:999',
      },
      { message: 'upstream failed', upstream: 'kraken', count: 1 },
    ]);
  });

  test('that is a timeout is named so, for both kinds of database errors', async () => {
    await withinDeadline(new Promise(() => undefined), undefined, 1).catch((late) => failures.failed('request', late));
    failures.failed('request', away(new Error('Query read timeout')));
    await nextTurn();
    expect(lines).toMatchObject([{ cause: 'timeout', count: 2 }]);
  });
});

test('a fetch and the request that waited for it are logged in one line, which names both', async () => {
  const failure = down();
  failures.failed('fetch', failure, { what: 'chart:bitcoin' });
  failures.failed('request', new Problem('upstream_unavailable', 'no', { cause: failure }), { reqId: 'r-1' });
  await nextTurn();
  await pass(11);
  expect(lines).toMatchObject([{ what: 'chart:bitcoin', reqId: 'r-1', work: { fetch: 1, request: 1 } }]);
});

test('a request that is rejected because the database does not respond counts as its failure', async () => {
  failures.failed('request', new Problem('overloaded', 'Too many keys are being looked up.', { cause: away(refused) }));
  await nextTurn();
  expect(lines).toMatchObject([{ message: 'database failed', cause: 'unreachable', work: { request: 1 } }]);
});

test('an error of a loop is logged with its stack, and a rejected request with its code', async () => {
  const fault = new TypeError('x is undefined');
  failures.failed('data poll', fault);
  failures.failed('request', new Problem('overloaded', 'Too many keys are being looked up.'));
  await nextTurn();
  expect(lines).toMatchObject([
    { message: 'data poll failed', cause: 'TypeError', err: fault },
    { message: 'request failed', cause: 'overloaded', count: 1 },
  ]);
  // The error has no recovery, so the next error, hours later, is a new outage.
  await pass(20);
  clock.advance(HOUR);
  failures.failed('data poll', fault);
  await nextTurn();
  expect(lines[2]).toMatchObject({ message: 'data poll failed', sinceMs: 0 });
});

test.each(['another process', 'node', 'statistics'])(
  'a failure of %s, which is not an upstream, is logged for the work, and a later one is new',
  async (name) => {
    const failure = new UpstreamFailure(name, 'timeout', 'not in time');
    const fail = () => {
      failures.failed('fetch', failure, { what: 'chart:bitcoin' });
      failures.failed('request', new Problem('upstream_timeout', 'no', { cause: failure }));
    };
    fail();
    await nextTurn();
    await pass(20);
    clock.advance(HOUR);
    fail();
    await nextTurn();
    const line = { message: 'fetch failed', cause: 'timeout', reason: `${name}: not in time`, sinceMs: 0 };
    expect(lines).toMatchObject([
      { ...line, work: { fetch: 1, request: 1 } },
      { ...line, work: { fetch: 1, request: 1 } },
    ]);
    for (const one of lines) expect(one).not.toHaveProperty('upstream');
  },
);

test('a failure of work has the given level, and a failure of the database is a warning', async () => {
  failures.failed('delivery', new Error('status 500'), { reason: 'status 500' }, 'info');
  failures.failed('delivery', refused, {}, 'info');
  await nextTurn();
  expect(lines).toMatchObject([
    { level: 'info', message: 'delivery failed' },
    { level: 'warn', message: 'database failed' },
  ]);
});

describe('a recovery', () => {
  test('is logged once, last, with its duration and the number of failures', async () => {
    await pass(12, () => failures.failed('request', away(refused)));
    failures.worked('database');
    await pass(30, () => failures.worked('database'));
    expect(lines.slice(2)).toEqual([{ level: 'info', message: 'database recovered', durationMs: 11_000, count: 12 }]);
  });

  test('waits until the work that started before it has failed', async () => {
    await pass(3, () => {
      failures.failed('request', away(refused));
      failures.worked('database');
    });
    await pass(6);
    expect(lines).toHaveLength(1);
    await pass(1);
    expect(lines.slice(1)).toMatchObject([{ message: 'database recovered', durationMs: 2000 }]);
  });

  test('of a cause that fails every few seconds is logged in one line per ten seconds', async () => {
    await pass(60, () => {
      if (clock.elapsed() % (8 * SECOND) === 0) failures.failed('request', down());
      else failures.worked('coingecko');
    });
    const kinds = Map.groupBy(lines, ({ message }) => message);
    expect(kinds.get('upstream failed')?.length).toBeLessThanOrEqual(6);
    expect(kinds.get('upstream recovered')?.length).toBeLessThanOrEqual(6);
    await pass(20, () => failures.worked('coingecko'));
    expect(lines.at(-1)).toMatchObject({ message: 'upstream recovered' });
    const order = lines.map(({ message }) => message);
    expect(order.slice(1).filter((message, i) => message === order[i])).toEqual([]);
  });

  test('is checked once a second during a failure, one check at a time', async () => {
    let checks = 0;
    let response = Promise.withResolvers<void>();
    failures.watch('database', () => {
      checks += 1;
      return response.promise;
    });
    await pass(5);
    expect(checks).toBe(0);
    failures.failed('request', away(refused));
    await pass(5);
    expect(checks).toBe(1);
    response.reject(away(refused));
    response = Promise.withResolvers<void>();
    response.resolve();
    await pass(10);
    expect(lines.at(-1)).toMatchObject({ message: 'database recovered', count: 2 });
  });

  test('is not reported for an upstream that was not used again', async () => {
    failures.failed('fetch', down());
    await pass(60);
    clock.advance(7 * HOUR);
    await pass(1);
    failures.worked('coingecko');
    await pass(10);
    expect(lines).toHaveLength(1);
  });
});

test('the remaining counts are logged at the end', async () => {
  await pass(3, () => failures.failed('settlement', away(refused)));
  failures.close();
  expect(lines.map(({ count }) => count)).toEqual([1, 2]);
});
