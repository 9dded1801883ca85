import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADAPTERS, type NodeDialect } from '#cosmos/dialects/adapter';
import { NodeFault } from '#cosmos/exchange';
import { isMembers } from '#cosmos/parsers';
import { changedAt, placesIn, WRONG_VALUES } from '../support/changed-json.ts';
import { amount } from '../support/long.ts';
import { haveRecordings, recording } from '../support/upstream/recordings.ts';
import { scriptedNode } from './scripted-node.ts';

type Page = { txs: Record<string, unknown>[] };
const QUERY = [['tx.height', '5']] as const;

const PAGES: readonly [NodeDialect, string, string, string][] = [
  ['legacy', 'cosmos_legacy', 'txs_search_message.sender_kava.json', 'txs'],
  ['cosmos', 'cosmos_modern', 'txs_search_tx.height_columbus4_5403875_83txs.json', 'tx_responses'],
];

describe.runIf(haveRecordings).each(PAGES)('a changed member of a recorded page: %s', (dialect, folder, name, list) => {
  const whole = JSON.parse(String(recording(folder, name).body));
  const few = (all: object[]) => Array.from({ length: 4 }, (_, i) => all[i % all.length]);
  const elements = few(whole[list]).map((one, i) => ({ ...one, txhash: String(i).repeat(64) }));
  const body = { ...whole, txs: few(whole.txs), [list]: elements };
  const search = async (reply: object): Promise<Page> =>
    ADAPTERS[dialect](scriptedNode([reply]).send).transactions(QUERY);

  test('changes no other transaction of the page', async () => {
    const sound = await search(body);
    const places = placesIn(body[list], [list]).filter((place) => place.length > 2);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.constantFrom(...WRONG_VALUES), async (place, wrong) => {
        const { txs } = await search(changedAt(body, place, wrong) as object);
        const others = sound.txs.filter((_tx, index) => index !== place[1]);
        expect(txs.filter((one) => others.some(({ txhash }) => txhash === one.txhash))).toEqual(others);
        expect(txs.length).toBeGreaterThanOrEqual(others.length);
      }),
      { numRuns: amount(100, 2_000) },
    );
  });

  test('is at most a fault of the node', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...placesIn(body)), fc.constantFrom(...WRONG_VALUES), async (place, wrong) => {
        const outcome = await search(changedAt(body, place, wrong) as object).catch((error: unknown) => error);
        expect(outcome instanceof NodeFault || isMembers(outcome)).toBe(true);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(NodeFault);
      }),
      { numRuns: amount(100, 2_000) },
    );
  });
});

describe('a list', () => {
  const HASH = 'A'.repeat(64);
  const good = { height: '5', txhash: HASH };

  test.each([
    ['legacy', (txs: unknown[]) => ({ txs, total_count: '3' })],
    ['cosmos', (txs: unknown[]) => ({ txs: [], tx_responses: txs, total: '3' })],
  ] as const)('of transactions lacks malformed ones, and reports their number: %s', async (dialect, page) => {
    const omitted: number[] = [];
    const capabilities = { reportOmitted: (count: number) => void omitted.push(count) };
    const node = scriptedNode([page([{ height: '5' }, good, 'x']), page([good]), page([{}])]);
    const adapter = ADAPTERS[dialect](node.send, capabilities);
    expect(await adapter.transactions(QUERY)).toMatchObject({ total_count: '3', count: '1', txs: [{ txhash: HASH }] });
    expect(await adapter.transactions(QUERY)).toMatchObject({ count: '1' });
    expect(omitted).toEqual([2]);
    await expect(adapter.transactions(QUERY)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('of the coins of a legacy account lacks malformed ones, and reports their number', async () => {
    const coins = [{ denom: 'a', amount: '1' }, { denom: 'b', amount: '-1' }, null, { denom: 'c', amount: '2' }];
    const value = { address: 'kava1abc', coins, account_number: '5', sequence: '6' };
    const omitted: number[] = [];
    const { send } = scriptedNode([{ height: '5', result: { type: 'cosmos-sdk/Account', value } }]);
    const adapter = ADAPTERS.legacy(send, { reportOmitted: (count) => void omitted.push(count) });
    expect(await adapter.account('kava1abc')).toMatchObject({
      result: { value: { coins: [coins[0], coins[3]], account_number: '5' } },
    });
    expect(omitted).toEqual([2]);
  });

  test('of balances lacks malformed ones', async () => {
    const balances = [{ denom: 'a', amount: '1' }, { denom: 'b', amount: '-1' }, null, { denom: 'c', amount: '2' }];
    const { send } = scriptedNode([{ status: 200, body: { balances }, blockHeight: '5' }]);
    expect(await ADAPTERS.cosmos(send).balances('kava1abc')).toEqual({
      height: '5',
      result: [balances[0], balances[3]],
    });
  });
});
