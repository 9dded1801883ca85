import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { residentSize } from '../measuring/resident-size.ts';
import { atMost, type Figure, quantile, seen } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { openStand } from '../stand/stand.ts';
import { startNeighbour } from './hostile/neighbour.ts';
import type { Order, Report } from './stream/readers-process.ts';

const [STREAMS, STALLED, PER_USER] = [5_000, 20, 10];
const TOKENS = ['bitcoin', 'arweave', 'ethereum', 'solana', 'usd-coin'];
/** How long the streams are measured, and how long the service may take to return their memory, in ms. */
const [MEASURED, RETURNED] = [20_000, 60_000];
/** How often a new price is made, in ms. It is fetched once a second. */
const MADE_EVERY = 20;
const BARS = { delay: 500, memory: 64, neighbour: 1.5 };

async function startReaders(url: string) {
  const child = fork(new URL('./stream/readers-process.ts', import.meta.url).pathname, {
    env: { PATH: process.env.PATH, READERS_URL: url, READERS_TOKENS: TOKENS.join() },
    execArgv: [],
  });
  return {
    async order(what: Order): Promise<Report> {
      const reported = once(child, 'message') as Promise<[Report]>;
      child.send(what);
      return (await reported)[0];
    },
    close: () => child.kill(),
  };
}

/** A response of CoinGecko in which the price of bitcoin is the time at which the response was made. */
const markets = (at: number) =>
  TOKENS.map((id, i) => ({
    id,
    symbol: id.slice(0, 3),
    current_price: i === 0 ? (at % 1e9) / 1000 : 100 + i,
    market_cap: 1e12,
    total_volume: 1e10,
    circulating_supply: 1e7,
    total_supply: 2e7,
    max_supply: 2.1e7,
    ath: 1e6,
    ath_change_percentage: -10,
    ath_date: '2026-01-01T00:00:00.000Z',
    atl: 1,
    atl_change_percentage: 1000,
    atl_date: '2015-01-01T00:00:00.000Z',
    last_updated: new Date(at).toISOString(),
  }));

/** The smallest resident size of a process during a time, in MB. */
async function leastSize(pid: number, ms: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + ms; performance.now() < end; await wait(500))
    least = Math.min(least, (await residentSize(pid)) ?? least);
  return least;
}

/**
 * Measures 5,000 streams of five tokens on one process, of which 20 read nothing, while a price changes every second. The
 * time from a price to its events includes its fetch and its storage, so it is an upper bound.
 */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, STREAMS / PER_USER + 2);
  const [neighbourKey = '', greedyKey = '', ...keys] = stand.keys;
  const make = () => {
    stand.sandbox.faults.clear();
    stand.sandbox.faults.always({ kind: 'status', status: 200, body: markets(Date.now()) }, { path: '/coins/markets' });
  };
  make();
  const making = setInterval(make, MADE_EVERY);
  const { url, pid } = await stand.startService({
    COINGECKO_REFRESH: 'latest=1s',
    COINGECKO_CALLS_PER_MINUTE: '100000',
    COINGECKO_CALLS_PER_MONTH: '1000000000',
  });
  const readers = await startReaders(url);
  const neighbour = await startNeighbour(url, neighbourKey);
  try {
    const { spell: quiet } = await neighbour.during(() => wait(MEASURED));
    const before = (await residentSize(pid)) ?? Number.NaN;

    const { open } = await readers.order({ do: 'open', keys, streams: STREAMS, stalled: STALLED });
    await wait(2_000);
    await readers.order({ do: 'report' });
    const { spell, result } = await neighbour.during(async () => {
      await wait(MEASURED);
      return readers.order({ do: 'report' });
    });
    const during = (await residentSize(pid)) ?? Number.NaN;
    await readers.order({ do: 'close' });
    const after = await leastSize(pid, RETURNED);

    const greedy = await readers.order({ do: 'attempt', key: greedyKey, attempts: STREAMS });
    const { delays } = result;
    const failures = quiet.failures.length + spell.failures.length;
    return [
      seen('streams opened, and events received in 20 s', `${open}, ${delays.length}`),
      seen('from a price to its event: p50', `${quantile(delays, 0.5).toFixed(0)} ms`),
      atMost('… p99', quantile(delays, 0.99), BARS.delay, 'ms'),
      atMost(`memory of ${STREAMS} streams, ${STALLED} of which are stalled`, during - before, BARS.memory, 'MB'),
      atMost('… after they were closed', after - before, before / 5, 'MB'),
      seen("neighbour's p99 without streams", `${quiet.p99.toPrecision(3)} ms`),
      atMost('… with streams, as a ratio', spell.p99 / quiet.p99, BARS.neighbour, ''),
      atMost('… failed calls', failures, 0, ''),
      atMost(`streams that a user holds after ${STREAMS} attempts`, greedy.open, PER_USER, ''),
      seen('… refused', String(greedy.refused)),
    ];
  } finally {
    clearInterval(making);
    readers.close();
    await neighbour.close();
    await stand.close();
  }
}
