import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '#sandbox/faults';
import { MB, repeatRequest } from '../../bench/hostile/attacks.ts';
import { searchResponse } from '../../bench/hostile/node-responses.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

/** The whole time for an answer of the node, in ms, as `stand.ts` sets it; `block` waits four times as long. */
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

/** From now on the node answers this to what the attacker searches for, and to nothing else. */
function answerSearches(fault: Fault): void {
  const [, address = ''] = mine.split('=');
  stand.sandbox.faults.always(fault, { path: new RegExp(`txs.*${address}`) });
}
/** Accepted outcomes in any case: a busy machine may not respond in time. */
const LATE = ['503 overloaded', '504 upstream_timeout'];
const answer = (body: string): Fault => ({ kind: 'status', status: 200, body });

it.each([
  ['7.6 MB, more than a search may have', 7.6 * MB, '502 upstream_invalid'],
  ['4 MB, all that a search may have', 3.95 * MB, '200'],
])('searches on 8 connections of one key whose answers have %s', async (_name, bytes, kind) => {
  answerSearches(answer(searchResponse(bytes)));
  const attack = { path: mine, connections: 8, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url(), apiKey }, attack));
  expect(Object.keys(result).filter((one) => ![kind, ...LATE].includes(one))).toEqual([]);
  expect(result[kind]).toBeGreaterThan(0);
  expect(result['503 overloaded']).toBeGreaterThan(0);
});

it('answers of 8 MB of garbage', async () => {
  answerSearches(answer(`[${'{},'.repeat(2.7 * MB)}{}]`));
  const attack = { path: mine, connections: 8, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url(), apiKey }, attack));
  expect(result['200']).toBeUndefined();
});

it.each<[string, Fault]>([
  ['too large', answer(searchResponse(7.6 * MB))],
  ['hanging', { kind: 'hangBeforeHeaders' }],
  ['dripping', { kind: 'slow', everyMs: 100 }],
])('six %s searches of one user leave search open for everybody', async (_name, fault) => {
  answerSearches(fault);
  await stand.attacked(async () => {
    for (let i = 0; i < 3; i++) {
      await Promise.all([stand.ask(mine, apiKey), stand.ask(mine, apiKey)]);
      const { status, code, ms } = await stand.ask(theirs, others);
      expect.soft({ status, code }).toEqual({ status: 200, code: undefined });
      expect.soft(ms).toBeLessThan(TIMEOUT);
    }
  });
});

it('gives a user four calls at once, and the rest a 503 without a wait', async () => {
  const hold = stand.sandbox.faults.hold({ path: '/txs' });
  onTestFinished(hold.release);
  const asked = Array.from({ length: 4 }, () => stand.ask(mine, apiKey));
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
  for (const { status } of await Promise.all([...asked, another])) expect(status).toBe(200);
});

/** The transaction that a node says it took and that never comes into a block, and the look-ups of it. */
function neverInBlock() {
  const bytes = randomBytes(200);
  const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
  const body = JSON.stringify({ tx_response: { height: '0', txhash: hash, code: 0, raw_log: '' } });
  stand.sandbox.faults.always(answer(body), { path: /\/txs$/ });
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_bytes: bytes.toString('base64'), mode: 'block' }),
  };
  return { request, lookUps: () => stand.sandbox.calls.filter(({ path }) => path.endsWith(hash)).length };
}

/** One poller looks after 50, 100, 200 … ms, and every second then: about ten times; two would be too many. */
const LOOK_UPS = 15;

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

it('50 broadcasts of 50 users that wait for the same transaction: one looks', async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, () => stand.register()));
  const { request, lookUps } = neverInBlock();
  const { result } = await stand.attacked(() =>
    Promise.all(keys.map((key) => stand.ask('/v1/node/txs', key, request))),
  );
  for (const { status, code } of result) expect(`${status} ${code}`).toBe('504 upstream_timeout');
  expect(lookUps()).toBeLessThanOrEqual(LOOK_UPS);
});
