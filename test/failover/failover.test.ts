import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member } from './member.ts';
import type { ServicePair } from './service-pair.ts';
import { openStand, type Stand } from './stand.ts';
import type { Traffic } from './traffic.ts';
import { until } from './until.ts';

/*
 * A PostgreSQL cluster with synchronous replication loses its primary while clients call and users register. One pair
 * of service processes reaches the primary through HAProxy. The other pair has every member in DATABASE_URL.
 */

/** Good responses of each pair before a fault. */
const STEADY = 400;
/** The service has recovered when no request has failed or been slow for this time, in ms. */
const QUIET = 3_000;
const RECOVERS_WITHIN = 30_000;
const SETTLES_WITHIN = 15_000;
/** Log lines of a process during a fault. */
const MAX_LINES = 100;
const OUTCOMES = new Set(['200', '201', '503 database_unavailable']);

let stand: Stand;
/** The charged calls of each pair and key, over all faults. */
let charged: Map<ServicePair, Map<string, number>>;
beforeAll(async () => {
  stand = await openStand(['balanced', 'hosts']);
  charged = new Map(stand.pairs.map((pair) => [pair, new Map(pair.keys.map((key) => [key, 0]))]));
});
afterAll(() => stand?.close());

const inSeconds = (times: readonly number[]) => times.map((ms) => (ms / 1_000).toFixed(2)).join(' and ');

type Underway = { pair: ServicePair; traffic: Traffic; linesBefore: number[] };

async function expectExact({ pair, traffic, linesBefore }: Underway): Promise<string> {
  const outcomes = traffic.outcomes();
  expect.soft(Object.keys(outcomes).filter((outcome) => !OUTCOMES.has(outcome))).toEqual([]);
  expect.soft(await pair.missing(traffic.created)).toEqual([]);
  const calls = charged.get(pair) as Map<string, number>;
  for (const [key, count] of traffic.charged) calls.set(key, (calls.get(key) ?? 0) + count);
  await expect.poll(pair.ledger, { timeout: SETTLES_WITHIN }).toEqual(calls);
  expect.soft(await pair.areReady()).toEqual([true, true]);
  const lines = pair.logs().map(({ length }, process) => length - (linesBefore[process] as number));
  for (const count of lines) expect.soft(count).toBeLessThanOrEqual(MAX_LINES);
  return `${JSON.stringify(outcomes)}, ${lines.join(' and ')} log lines`;
}

/** Causes a fault under load, waits for the recovery, and repairs the cluster under load. */
async function survive(name: string, fault: (primary: Member) => unknown, repair: (primary: Member) => unknown) {
  await stand.cluster.whole();
  const underway = stand.pairs.map((pair) => {
    const linesBefore = pair.logs().map(({ length }) => length);
    return { pair, traffic: pair.startTraffic(), linesBefore };
  });
  try {
    const areSteady = () => underway.every(({ traffic }) => traffic.good() > STEADY);
    await until('both pairs serve', areSteady, RECOVERS_WITHIN);
    const primary = await stand.cluster.whole();
    const faultAt = Date.now();
    await fault(primary);
    const { at: promotedAt } = await stand.cluster.promotedAfter(faultAt);
    const haveRecovered = () => underway.every(({ traffic }) => traffic.lastBad(promotedAt) < Date.now() - QUIET);
    await until('both pairs have recovered', haveRecovered, RECOVERS_WITHIN);
    const recoveries = underway.map(({ traffic }) => traffic.recoveryAfter(promotedAt));
    await repair(primary);
    await stand.cluster.whole();
    await Promise.all(underway.map(({ traffic }) => traffic.stop()));
    console.log(`${name}: promotion ${inSeconds([promotedAt - faultAt])} s after the fault`);
    for (const [i, one] of underway.entries()) {
      const facts = await expectExact(one);
      console.log(`  ${one.pair.name}: full service ${inSeconds(recoveries[i] as number[])} s after it; ${facts}`);
    }
  } finally {
    await Promise.all(underway.map(({ traffic }) => traffic.stop()));
  }
}

it('the primary is paused, and continues when another member is the primary', () =>
  survive(
    'pause',
    (primary) => primary.pause(),
    (primary) => primary.resume(),
  ));

it('the primary is killed', () =>
  survive(
    'kill',
    (primary) => primary.kill(),
    (primary) => primary.start(),
  ));

it('the primary is cut off from etcd', () =>
  survive(
    'cut off',
    (primary) => primary.cutOff(),
    (primary) => primary.reconnect(),
  ));

it('all members are killed and start again', () =>
  survive(
    'restart',
    async () => {
      for (const act of ['kill', 'start'] as const)
        await Promise.all(stand.cluster.members.map((member) => member[act]()));
    },
    () => undefined,
  ));

it('every process stops, and all calls of all faults are booked', async () => {
  for (const pair of stand.pairs) {
    expect(await pair.close()).toEqual([0, 0]);
    expect(await pair.ledger()).toEqual(charged.get(pair));
  }
});
