import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  head,
  leaveBodiesUnfinished,
  MB,
  manyValues,
  sendBodies,
  type Tally,
} from '../../bench/calls/hostile/attacks.ts';
import { openRaw } from '../../bench/calls/hostile/raw-connection.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';
import { LONGEST_MS } from './unending.ts';

let stand: Stand;
let apiKey: string;
beforeAll(async () => {
  stand = await openStand();
  apiKey = await stand.register();
});
afterAll(() => stand?.close());

const BROADCAST = 'POST /v1/node/txs';

/** The kinds of responses other than the given kinds. */
const others = (tally: Tally, ...kinds: string[]) => Object.keys(tally).filter((kind) => !kinds.includes(kind));

it('60 concurrent broadcasts of 1 MB of small values', async () => {
  const attack = { line: BROADCAST, body: manyValues(MB), connections: 60, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => sendBodies({ url: stand.url(), apiKey }, attack));
  // With TCP, a client that keeps sending an unread body may lose the response.
  expect(others(result, '413 body_too_large', '503 overloaded', 'cut')).toEqual([]);
  expect(result['413 body_too_large']).toBeGreaterThan(0);
});

it('60 concurrent broadcasts with the maximum number of values in a body', async () => {
  const attack = { line: BROADCAST, body: manyValues(128 * 1024), connections: 60, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => sendBodies({ url: stand.url(), apiKey }, attack));
  expect(others(result, '400 invalid_request', '503 overloaded')).toEqual([]);
  expect(result['400 invalid_request']).toBeGreaterThan(0);
});

it.each([
  ['to an unknown path', 'POST /v1/nothing', '404 not_found'],
  ['with a wrong method', 'PUT /v1/tokens', '405 method_not_allowed'],
  ['without a key', BROADCAST, '401 api_key_missing'],
])('16 connections that send a body of 1 MB %s', async (_name, line, kind) => {
  const attack = { line, body: Buffer.alloc(MB, '{'), connections: 16, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => sendBodies({ url: stand.url() }, attack));
  expect(others(result, kind, '413 body_too_large', 'cut')).toEqual([]);
  expect((result[kind] ?? 0) + (result['413 body_too_large'] ?? 0)).toBeGreaterThan(0);
});

it('1,500 unfinished bodies to an unknown path', async () => {
  const { result, peak } = await stand.attacked(async () => {
    const attack = leaveBodiesUnfinished({ url: stand.url() }, 'POST /v1/nothing', 1_500);
    try {
      await Promise.race([attack.ended, wait(LONGEST_MS)]);
      return attack.open();
    } finally {
      attack.close();
    }
  });
  expect.soft(result, 'open connections').toBe(0);
  expect(peak).toBeLessThanOrEqual(1.5);
});

it('a user’s unfinished broadcasts do not block another user’s broadcasts', async () => {
  const size = 120 * 1024;
  const beginning = head(BROADCAST, { 'x-api-key': apiKey, 'content-length': size });
  const theirs = await stand.register();
  const whole = { line: BROADCAST, body: '{"tx_bytes":"CpAB","mode":"sync"}', connections: 1, ms: ATTACK_MS };
  const { result } = await stand.attacked(async () => {
    const open = Array.from({ length: 200 }, () => openRaw(stand.url()));
    for (const connection of open) connection.send(beginning, Buffer.alloc(size - 1, ' '));
    try {
      return await sendBodies({ url: stand.url(), apiKey: theirs }, whole);
    } finally {
      for (const connection of open) connection.close();
    }
  });
  // The node rejects the bytes, which are not a transaction.
  expect(others(result, '400 node_rejected', '200')).toEqual([]);
});
