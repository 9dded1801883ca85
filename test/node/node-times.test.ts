import pino from 'pino';
import { expect, test } from 'vitest';
import { createBroadcasting } from '#node/broadcast';
import { createNodePool } from '#node/pool';
import type { NodeSource } from '#node/source';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createTestClock } from '../../fixtures/clock.ts';
import { unlogged } from '../support/unlogged.ts';
import { ADDRESS, HASH, notPassed, TX_BYTES } from './node-harness.ts';

const TIMEOUT = 900;

/** Nodes that report their height and hang for any other call, on a clock. `given` lists the timeout of each call. */
function hanging(nodes: number) {
  const clock = createTestClock('2026-05-15T14:00:00Z');
  const given: number[] = [];
  const send: NodeSource['send'] = async ({ path }, withinMs) => {
    if (path.endsWith('/latest'))
      return { status: 200, body: { block: { header: { height: '1000' } } }, blockHeight: undefined };
    given.push(withinMs);
    clock.advance(withinMs);
    throw new UpstreamFailure('node', 'timeout', 'no answer');
  };
  const sources = Array.from({ length: nodes }, () => ({ send, pass: notPassed, close: async () => undefined }));
  const log = pino({ level: 'silent' });
  const pool = createNodePool({
    sources,
    dialect: 'cosmos',
    timeoutMs: TIMEOUT,
    clock,
    log,
    failures: unlogged,
  });
  return { pool, clock, given };
}

test('divides the time limit of a read among the nodes', async () => {
  const { pool, given } = hanging(3);
  await expect(pool.read((calls) => calls.balances(ADDRESS))).rejects.toMatchObject({ reason: 'timeout' });
  expect(given).toEqual([300, 300, 300]);
});

test('reserves a part of the time limit of a broadcast for the look-up of the transaction', async () => {
  const { pool, clock, given } = hanging(1);
  const inBlock = { height: '12', txhash: HASH };
  const parts = { pool, clock, timeoutMs: TIMEOUT, wait: async (ms: number) => clock.advance(ms) };
  const { broadcast } = createBroadcasting({ ...parts, lookUp: async () => inBlock });
  expect(await broadcast({ tx_bytes: TX_BYTES, mode: 'sync' })).toBe(inBlock);
  expect(given).toEqual([0.7 * TIMEOUT]);
});
