import { setTimeout as wait } from 'node:timers/promises';
import { atMost, type Figure, median, quantile } from '../table.ts';
import type { OpenCallers } from './callers.ts';
import { apart, atRandom, pages } from './schedule.ts';

/** What a key rests at least before a call that is measured, in ms. */
const REST = 9_000;
/** Longer than a process remembers an account without a lease, in ms. */
const LONG_REST = 66_000;
/** A key that calls alone is so far from the others, in ms. */
const APART = 310;
const PAGE = 16;

const quantiles = (figure: string, took: readonly number[], bars: Readonly<Record<string, number>>) =>
  Object.entries(bars).map(([p, bar]) =>
    atMost(`${figure}, ${p}`, quantile(took, Number(p.slice(1)) / 100), bar, 'ms'),
  );

/** A key calls, rests, and calls again, alone with the hot ones: three times, and one that is not measured. */
async function alone({ keys, call }: OpenCallers): Promise<Figure[]> {
  const round = (n: number) => apart(keys.alone, { ms: APART, from: n * keys.alone.length * APART });
  const { took, beside } = await call(round(0), [...round(1), ...round(2), ...round(3)]);
  return [...quantiles('a key alone that rested 9 s', took, { p50: 2, p90: 10 }), beside];
}

/** Many keys in turn, so that each rests for about eleven seconds: twice, and once that is not measured. */
async function polling({ keys, call }: OpenCallers): Promise<Figure[]> {
  const rate = 100;
  const turn = (keys.polling.length / rate) * 1000;
  const calls = atRandom(keys.polling, { rate, ms: 3 * turn, inTurn: true });
  const n = keys.polling.length;
  const { took, beside } = await call(calls.slice(0, n), calls.slice(n));
  const figure = '1,100 keys at 100 a second, each a first call after resting 9 s and more';
  return [...quantiles(figure, took, { p50: 5, p99: 50 }), beside];
}

/** A key that rested opens a page with so many calls at once. */
async function page({ keys, call }: OpenCallers): Promise<Figure[]> {
  const ms = 1.5 * APART;
  const from = Math.max(REST + ms, keys.page.length * ms);
  const { took, beside } = await call(apart(keys.page, { ms }), pages(apart(keys.page, { ms, from }), PAGE));
  const slowest = keys.page.map((_, i) => Math.max(...took.slice(i * PAGE, (i + 1) * PAGE)));
  return [
    atMost('sixteen calls at once on a key that rested 9 s, the slowest, median', median(slowest), 30, 'ms'),
    beside,
  ];
}

/** Keys that this process has never seen, each once. */
async function unseen({ keys, call }: OpenCallers): Promise<Figure[]> {
  const rate = 1_000;
  const ms = (keys.unseen.length / rate) * 1000;
  const calls = atRandom(keys.unseen, { rate, ms: 2 * ms, inTurn: true }).slice(0, keys.unseen.length);
  const { took, beside } = await call([], calls);
  const figure = '10,000 keys never seen by this process, 1,000 a second';
  return [...quantiles(figure, took, { p50: 15, p99: 100 }), beside];
}

/** Has the keys of the long rest called once; gives what measures them, later. */
export async function beginLongRest({ keys, call }: OpenCallers): Promise<() => Promise<Figure[]>> {
  await call([], apart(keys.long, { ms: 20 }));
  const calledAt = performance.now();
  return async () => {
    await wait(Math.max(0, calledAt + LONG_REST - performance.now()));
    const { took, beside } = await call([], apart(keys.long, { ms: APART }));
    const figure = 'a key alone whose lease was given back and forgotten';
    return [...quantiles(figure, took, { p50: 8, p90: 25 }), beside];
  };
}

export const FIRST_CALLS = { alone, polling, page, unseen } as const;
