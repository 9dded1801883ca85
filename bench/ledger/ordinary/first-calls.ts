import { setTimeout as wait } from 'node:timers/promises';
import { atMost, type Figure, median, quantile } from '../../measuring/table.ts';
import type { OpenCallers } from './callers.ts';
import { atRandom, pages, spaced } from './schedule.ts';

/** The minimum idle time of a key before a measured call, in ms. */
const REST = 9_000;
/** An idle time, in ms, after which a process no longer caches an account without a lease. */
const LONG_REST = 66_000;
/** The interval between calls of single keys, in ms. */
const INTERVAL = 310;
const PAGE = 16;

const quantiles = (figure: string, took: readonly number[], bars: Readonly<Record<string, number>>) =>
  Object.entries(bars).map(([p, bar]) =>
    atMost(`${figure}, ${p}`, quantile(took, Number(p.slice(1)) / 100), bar, 'ms'),
  );

/** Each key makes a call and is then idle. Only the hot keys are busy. Measures three rounds after a warm-up round. */
async function alone({ keys, call }: OpenCallers): Promise<Figure[]> {
  const round = (n: number) => spaced(keys.alone, { ms: INTERVAL, from: n * keys.alone.length * INTERVAL });
  const { took, beside } = await call(round(0), [...round(1), ...round(2), ...round(3)]);
  return [...quantiles('one key after a rest of 9 s', took, { p50: 2, p90: 10 }), beside];
}

/** Rotates through many keys, each idle for about eleven seconds. Measures two rounds after a warm-up round. */
async function polling({ keys, call }: OpenCallers): Promise<Figure[]> {
  const rate = 100;
  const turn = (keys.polling.length / rate) * 1000;
  const calls = atRandom(keys.polling, { rate, ms: 3 * turn, rotate: true });
  const n = keys.polling.length;
  const { took, beside } = await call(calls.slice(0, n), calls.slice(n));
  const figure = '1,100 keys at 100 calls a second, each after a rest of 9 s or more';
  return [...quantiles(figure, took, { p50: 5, p99: 20 }), beside];
}

/** After an idle time, a page makes sixteen concurrent calls with the key. */
async function page({ keys, call }: OpenCallers): Promise<Figure[]> {
  const ms = 1.5 * INTERVAL;
  const from = Math.max(REST + ms, keys.page.length * ms);
  const { took, beside } = await call(spaced(keys.page, { ms }), pages(spaced(keys.page, { ms, from }), PAGE));
  const slowest = keys.page.map((_, i) => Math.max(...took.slice(i * PAGE, (i + 1) * PAGE)));
  return [
    atMost('sixteen simultaneous calls of a key after a rest of 9 s, the slowest, median', median(slowest), 30, 'ms'),
    beside,
  ];
}

/** Keys that are new to the process make one call each. */
async function unseen({ keys, call }: OpenCallers): Promise<Figure[]> {
  const rate = 1_000;
  const ms = (keys.unseen.length / rate) * 1000;
  const calls = atRandom(keys.unseen, { rate, ms: 2 * ms, rotate: true }).slice(0, keys.unseen.length);
  const { took, beside } = await call([], calls);
  const figure = '10,000 keys that are new to the process, 1,000 a second';
  return [...quantiles(figure, took, { p50: 15, p99: 100 }), beside];
}

/**
 * Makes one call with each key of the row `long`. Returns a function that measures the next calls after the idle time.
 */
export async function startLongRest({ keys, call }: OpenCallers): Promise<() => Promise<Figure[]>> {
  await call([], spaced(keys.long, { ms: 20 }));
  const calledAt = performance.now();
  return async () => {
    await wait(Math.max(0, calledAt + LONG_REST - performance.now()));
    const { took, beside } = await call([], spaced(keys.long, { ms: INTERVAL }));
    const figure = 'one key with a returned lease';
    return [...quantiles(figure, took, { p50: 8, p90: 25 }), beside];
  };
}

export const FIRST_CALLS = { alone, polling, page, unseen } as const;
