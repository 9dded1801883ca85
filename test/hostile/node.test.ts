import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '#sandbox/faults';
import { MB, repeatRequest } from '../../bench/calls/hostile/attacks.ts';
import { searchResponse } from '../../bench/calls/hostile/node-responses.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

/**
 * The total time for a response of the node, in ms, as `stand.ts` sets it. The mode `block` waits four times as long.
 */
const TIMEOUT = 1_000;

let stand: Stand;
let apiKey: string;
let others: string;
let mine: string;
let theirs: string;
beforeAll(async () => {
  stand = await openStand();
  [apiKey, others] = [await stand.register(), await stand.register()];
  const searchFor = (place: number) => `/v1/node/txs?message.sender=${stand.sandbox.chain.accounts[place]?.address}`;
  [mine, theirs] = [searchFor(0), searchFor(1)];
});
afterEach(() => stand.sandbox.faults.clear());
afterAll(() => stand?.close());

/** Applies a fault to the attacker's searches only. */
function faultSearches(fault: Fault): void {
  const [, address = ''] = mine.split('=');
  stand.sandbox.faults.always(fault, { path: new RegExp(`txs.*${address}`) });
}
/** Outcomes that are always accepted, because a busy machine may not respond in time. */
const LATE = ['503 overloaded', '504 upstream_timeout'];
const respondWith = (body: string): Fault => ({ kind: 'status', status: 200, body });

it.each([
  ['7.6 MB, more than a search allows', 7.6 * MB, '502 upstream_invalid'],
  ['4 MB, the maximum of a search', 3.95 * MB, '200'],
])('searches on 8 connections with one key, with responses of %s', async (_name, bytes, kind) => {
  faultSearches(respondWith(searchResponse(bytes)));
  const attack = { path: mine, connections: 8, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url(), apiKey }, attack));
  expect(Object.keys(result).filter((one) => ![kind, ...LATE].includes(one))).toEqual([]);
  expect(result[kind]).toBeGreaterThan(0);
  expect(result['503 overloaded']).toBeGreaterThan(0);
});

it('invalid responses of 8 MB', async () => {
  faultSearches(respondWith(`[${'{},'.repeat(2.7 * MB)}{}]`));
  const attack = { path: mine, connections: 8, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url(), apiKey }, attack));
  expect(result['200']).toBeUndefined();
});

it.each<[string, Fault]>([
  ['too large', respondWith(searchResponse(7.6 * MB))],
  ['hanging', { kind: 'hangBeforeHeaders' }],
  ['dripping', { kind: 'slow', everyMs: 100 }],
])('six %s searches of one user do not block searches of other users', async (_name, fault) => {
  faultSearches(fault);
  await stand.attacked(async () => {
    for (let i = 0; i < 3; i++) {
      await Promise.all([stand.ask(mine, apiKey), stand.ask(mine, apiKey)]);
      const { status, code, ms } = await stand.ask(theirs, others);
      expect.soft({ status, code }).toEqual({ status: 200, code: undefined });
      expect.soft(ms).toBeLessThan(TIMEOUT);
    }
  });
});

it('limits a user to four concurrent calls, and rejects further calls immediately with 503', async () => {
  const hold = stand.sandbox.faults.hold({ path: '/txs' });
  onTestFinished(hold.release);
  const calls = Array.from({ length: 4 }, () => stand.ask(mine, apiKey));
  await hold.arrived(4);
  const surplus = await Promise.all(Array.from({ length: 20 }, () => stand.ask(mine, apiKey)));
  const another = stand.ask(theirs, others);
  await hold.arrived(5);
  hold.release();
  for (const { status, code, headers, ms } of surplus) {
    expect({ status, code }).toEqual({ status: 503, code: 'overloaded' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(ms).toBeLessThan(TIMEOUT);
  }
  for (const { status } of await Promise.all([...calls, another])) expect(status).toBe(200);
});

/** A transaction that the node reports as accepted, but that is never in a block, and the number of its look-ups. */
function neverInBlock() {
  const bytes = randomBytes(200);
  const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
  const body = JSON.stringify({ tx_response: { height: '0', txhash: hash, code: 0, raw_log: '' } });
  stand.sandbox.faults.always(respondWith(body), { path: /\/txs$/ });
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_bytes: bytes.toString('base64'), mode: 'block' }),
  };
  return { request, lookUps: () => stand.sandbox.calls.filter(({ path }) => path.endsWith(hash)).length };
}

/**
 * A poller looks up after 50, 100, 200 … ms, and then every second: about ten times. On a busy machine, calls arrive
 * over a second or two, and a look-up that times out is repeated. A poller for each call would look up 400 times.
 */
const LOOK_UPS = 30;

it('50 broadcasts of one user that wait for a block', async () => {
  const { request, lookUps } = neverInBlock();
  const { result } = await stand.attacked(() =>
    Promise.all(Array.from({ length: 50 }, () => stand.ask('/v1/node/txs', apiKey, request))),
  );
  const kinds = result.map(({ status, code }) => `${status} ${code}`);
  expect(kinds.filter((kind) => kind === '503 overloaded')).toHaveLength(46);
  expect(kinds.filter((kind) => kind === '504 upstream_timeout')).toHaveLength(4);
  expect(lookUps()).toBeLessThanOrEqual(LOOK_UPS);
});

it('50 broadcasts of 50 users that wait for the same transaction share one poller', async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, () => stand.register()));
  const { request, lookUps } = neverInBlock();
  const { result } = await stand.attacked(() =>
    Promise.all(keys.map((key) => stand.ask('/v1/node/txs', key, request))),
  );
  const waited = result.filter(({ status, code }) => `${status} ${code}` === '504 upstream_timeout');
  // On a busy machine, a few transactions do not reach the node in time.
  expect(waited.length).toBeGreaterThanOrEqual(45);
  const refused = result.filter((one) => !waited.includes(one)).map(({ status, code }) => `${status} ${code}`);
  expect(refused.filter((kind) => kind !== '503 upstream_unavailable')).toEqual([]);
  expect(lookUps()).toBeLessThanOrEqual(LOOK_UPS);
});
