import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createFailover } from '#statistics/failover';
import type { StatisticsSource, StatisticsSourceName } from '#statistics/statistics-sources';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../fixtures/clock.ts';

const TIMEOUT = 60_000;

/** A source that responds, or fails with a cause. `given` lists the timeout of each sample. */
function source(
  name: StatisticsSourceName,
  script: () => FailureCause | Error | undefined,
  at: () => number = () => now(),
) {
  const given: number[] = [];
  return {
    name,
    figuresByToken: { ar: ['block_height'] },
    given,
    async sample(_symbol, withinMs) {
      given.push(withinMs ?? Number.NaN);
      const outcome = script();
      if (outcome instanceof Error) throw outcome;
      if (outcome) throw new UpstreamFailure(name, outcome, 'as the test has it');
      return { at: at(), figures: { block_height: 7 } };
    },
    close: async () => undefined,
  } satisfies StatisticsSource & { given: number[] };
}

/** The time of the source order that the test has created. */
let now = (): number => Number.NaN;

/** A source order. Unlisted tokens are remembered as in the store. */
function line(...sources: StatisticsSource[]) {
  const clock = createTestClock('2026-05-15T14:00:00Z');
  now = clock.now;
  const unlisted = new Map<string, number>();
  const intervals = new Map<string, number>();
  const dropped: string[] = [];
  const sampling = createFailover({
    sources: sources.map((source) => ({
      ...source,
      interval: () => intervals.get(source.name) ?? HOUR,
      dropped: ({ count }) => void (count > 0 && dropped.push(source.name)),
    })),
    cache: {
      unlistedAt: (name, symbol) => unlisted.get(`${name}:${symbol}`),
      recordUnlisted: async (name, symbol, at) => void unlisted.set(`${name}:${symbol}`, at),
    },
    timeoutMs: TIMEOUT,
    clock,
  });
  return { sampling, clock, intervals, dropped };
}

const fine = () => undefined;
const limited = (retryAfter: number) =>
  new UpstreamFailure('arweave-node', 'rate_limited', 'asked too often', { retryAfter });

test('each source gets its share of the remaining time, so that the next one has time if it hangs', async () => {
  const first = source('cryptocompare', () => 'timeout');
  const second = source('arweave-node', fine);
  const sampled = await line(first, second).sampling.sample('ar');
  expect(sampled.source).toBe('arweave-node');
  expect([...sampled.passedOver]).toEqual([['cryptocompare', 'timeout']]);
  expect(first.given[0]).toBeLessThanOrEqual(TIMEOUT / 2);
  // The source failed immediately, so the next one gets its unused time.
  expect(second.given[0]).toBeGreaterThan(TIMEOUT / 2);
});

test('an internal error does not count as a failure of the source', async () => {
  const second = source('arweave-node', fine);
  const broken = source('cryptocompare', () => new Error('no database'));
  await expect(line(broken, second).sampling.sample('ar')).rejects.toThrow('no database');
  expect(second.given).toEqual([]);
});

test('a source that does not list a chain is called again on the next UTC day, even after the clock was set back', async () => {
  const first = source('cryptocompare', () => 'not_listed');
  const { sampling, clock } = line(first, source('arweave-node', fine));
  for (let i = 0; i < 3; i++) {
    expect([...(await sampling.sample('ar')).passedOver]).toEqual([['cryptocompare', 'not_listed']]);
  }
  expect(first.given).toHaveLength(1);
  clock.goTo('2026-05-15T23:59:59.999Z');
  await sampling.sample('ar');
  expect(first.given).toHaveLength(1);
  clock.goTo('2026-05-16T00:00:00Z');
  await sampling.sample('ar');
  await sampling.sample('ar');
  expect(first.given).toHaveLength(2);
  clock.advance(-3 * DAY);
  await sampling.sample('ar');
  await sampling.sample('ar');
  expect(first.given).toHaveLength(3);
});

test('a source that failed when it was last needed is a warning, until an earlier source responds', async () => {
  const causes: (FailureCause | undefined)[] = ['not_listed', 'timeout', 'server_error', undefined];
  const { sampling } = line(
    source('cryptocompare', () => causes[0]),
    source('arweave-node', () => causes[1]),
    source('arweave-node-2', () => causes[2]),
    source('arweave-node-3', () => causes[3]),
  );
  expect(sampling.warnings().map(warningText)).toEqual([]);
  await sampling.sample('ar');
  expect(sampling.warnings().map(warningText)).toEqual(['arweave-node: timeout', 'arweave-node-2: server_error']);
  causes[1] = undefined;
  await sampling.sample('ar');
  expect(sampling.warnings().map(warningText)).toEqual([]);
  causes.fill('refused');
  await expect(sampling.sample('ar')).rejects.toThrow('arweave-node-3');
  expect(sampling.warnings().map(warningText)).toEqual([
    'arweave-node: refused',
    'arweave-node-2: refused',
    'arweave-node-3: refused',
  ]);
});

test('the interval of samples depends on the budget of the first source that lists the chain and has calls left', async () => {
  let cause: FailureCause | undefined;
  const { sampling, intervals } = line(
    source('cryptocompare', () => cause),
    source('arweave-node', fine),
  );
  intervals.set('cryptocompare', 3 * HOUR);
  expect(sampling.interval('ar')).toBe(3 * HOUR);
  intervals.set('cryptocompare', Number.POSITIVE_INFINITY);
  expect(sampling.interval('ar')).toBe(HOUR);
  intervals.set('arweave-node', Number.POSITIVE_INFINITY);
  expect(sampling.interval('ar')).toBe(Number.POSITIVE_INFINITY);
  intervals.set('cryptocompare', 3 * HOUR);
  intervals.set('arweave-node', 2 * HOUR);
  cause = 'not_listed';
  await sampling.sample('ar');
  expect(sampling.interval('ar')).toBe(2 * HOUR);
});

describe('an outdated sample', () => {
  const NOW = Date.parse('2026-05-15T14:00:00Z');
  const old = (name: 'cryptocompare' | 'arweave-node' | 'arweave-node-2', age: number) =>
    source(name, fine, () => NOW - age);

  test.each([
    ['cryptocompare', 3 * DAY],
    ['arweave-node', 3 * HOUR],
    ['arweave-node-2', 3 * HOUR],
  ] as const)('is older than three intervals of its source: %s', async (name, age) => {
    expect(await line(old(name, age)).sampling.sample('ar')).not.toHaveProperty('failure');
    const { failure } = await line(old(name, age + 1)).sampling.sample('ar');
    expect(failure).toMatchObject({ upstream: name, reason: 'stale' });
  });
});

test('a sample from the future, or from before the chain began, is dropped, and the next source is called', async () => {
  const soon = Date.parse('2026-05-15T14:02:00Z');
  let at = soon;
  const first = source('cryptocompare', fine, () => at);
  const { sampling, dropped } = line(first, source('arweave-node', fine));
  expect((await sampling.sample('ar')).source).toBe('cryptocompare');
  for (at of [soon + 1000, 8.64e15, 0, Date.parse('2018-06-07T23:59:59Z')]) {
    const { source: name, passedOver } = await sampling.sample('ar');
    expect([name, ...passedOver]).toEqual(['arweave-node', ['cryptocompare', 'unexpected']]);
  }
  expect(dropped).toEqual(Array(4).fill('cryptocompare'));
});

test.each<[string, UpstreamFailure[], number]>([
  ['the sooner of two that state a time', [limited(7), limited(60)], 7],
  ['the sooner, in either order', [limited(60), limited(7)], 7],
  ['one that states no time', [new UpstreamFailure('cryptocompare', 'server_error', 'a fault'), limited(60)], 0],
  ['not one that does not list it', [limited(60), new UpstreamFailure('arweave-node', 'not_listed', 'no')], 60],
])(
  'if all fail, the reported failure is that of the source that can be called again first: %s',
  async (_what, failures, rest) => {
    const [first, second] = failures;
    const { sampling } = line(
      source('cryptocompare', () => first),
      source('arweave-node', () => second),
    );
    const failure = (await sampling.sample('ar').catch((error: unknown) => error)) as UpstreamFailure;
    expect(failure.retryAfter ?? 0).toBe(rest);
    expect(failure.reason).not.toBe('not_listed');
  },
);
