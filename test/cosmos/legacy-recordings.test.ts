import { describe, expect, test } from 'vitest';
import { ADAPTERS } from '#cosmos/dialects/adapter';
import type { LegacySearch, LegacyTransaction } from '#cosmos/legacy-shapes';
import { haveRecordings, recording, recordingNames } from '../support/upstream/recordings.ts';
import { scriptedNode } from './scripted-node.ts';

const names = recordingNames('cosmos_legacy');
const KINDS = {
  balances: /^bank_balances_/,
  transactions: /^tx_by_hash_/,
  searches: /^txs_search_/,
  broadcasts: /^post_txs_block_/,
  requests: /^post_txs_request_/,
};
const of = (kind: keyof typeof KINDS) => names.filter((name) => KINDS[kind].test(name));
const recorded = <T>(name: string) => JSON.parse(String(recording('cosmos_legacy', name).body)) as T;

describe.runIf(haveRecordings)('recorded responses of a legacy node', () => {
  test('every recording has a test', () => {
    const kinds = Object.values(KINDS);
    expect(names.filter((name) => kinds.filter((kind) => kind.test(name)).length !== 1)).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(9);
  });

  test.each(of('balances'))('%s is returned unchanged', async (name) => {
    const body = recorded<object>(name);
    const { send, requests } = scriptedNode([body]);
    expect(await ADAPTERS.legacy(send).balances('kava1abc')).toEqual(body);
    expect(requests).toEqual([{ method: 'GET', path: '/bank/balances/kava1abc', query: [] }]);
  });

  test.each(of('transactions'))('%s is returned unchanged', async (name) => {
    const body = recorded<LegacyTransaction>(name);
    const { send, requests } = scriptedNode([body]);
    expect(await ADAPTERS.legacy(send).transaction(body.txhash)).toEqual(body);
    expect(requests).toEqual([{ method: 'GET', path: `/txs/${body.txhash}`, query: [] }]);
  });

  test.each(of('searches'))('%s is returned unchanged', async (name) => {
    const body = recorded<LegacySearch>(name);
    const { send, requests } = scriptedNode([body]);
    const query = [['message.sender', 'kava1abc'] as const, ['limit', body.limit] as const];
    expect(await ADAPTERS.legacy(send).transactions(query)).toEqual(body);
    expect(requests[0]).toMatchObject({
      path: '/txs',
      query: [
        ['message.sender', 'kava1abc'],
        ['page', '1'],
        ['limit', body.limit],
      ],
    });
  });

  test.each(of('broadcasts'))('%s: a rejected broadcast has its code', async (name) => {
    const request = recorded<{ tx: object; mode: 'block' }>(of('requests')[0] as string);
    const body = recorded<LegacyTransaction>(name);
    const { send, requests } = scriptedNode([body]);
    expect(await ADAPTERS.legacy(send).broadcast(request)).toEqual(body);
    expect(requests).toEqual([{ method: 'POST', path: '/txs', query: [], body: request }]);
  });
});
