import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';

let chain: TestChain;
afterEach(() => chain.close());

const recorded = (dialect: 'legacy' | 'modern', name: string) =>
  JSON.parse(recording(`cosmos_${dialect}`, name).body.toString());

/** The names of the members and the types of their values, recursively. For an array, those of its first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

describe.skipIf(!haveRecordings)('legacy', () => {
  beforeEach(async () => {
    chain = await openChain();
  });

  test('balances', async () => {
    const { body } = await chain.legacy(`/bank/balances/${chain.alice}`);
    expect(shapeOf(body)).toEqual(shapeOf(recorded('legacy', 'bank_balances_kava_guide.json')));
  });

  test('a search and its results', async () => {
    await chain.postAmino(await chain.stdTx());
    chain.pass();
    const { body } = await chain.legacy(`/txs?message.sender=${chain.alice}`);
    const theirs = recorded('legacy', 'txs_search_message.sender_kava.json');
    expect(shapeOf(body)).toEqual(shapeOf(theirs));
    expect(Object.keys(body.txs[0])).toEqual(Object.keys(theirs.txs[0]));
    expect(shapeOf(JSON.parse(body.txs[0].raw_log))).toEqual(shapeOf(JSON.parse(theirs.txs[0].raw_log)));
    const found = await chain.legacy(`/txs/${body.txs[0].txhash}`);
    expect(found.body).toEqual(body.txs[0]);
  });

  test('a search without results', async () => {
    const { body } = await chain.legacy(`/txs?message.sender=${chain.alice}`);
    expect(body).toEqual(recorded('legacy', 'txs_search_empty_gaiacli.json'));
  });

  test('a transaction that failed in its block', async () => {
    const { body } = await chain.postAmino(await chain.stdTx({ gas: '41466' }), 'block');
    const found = await chain.legacy(`/txs/${body.txhash}`);
    const theirs = recorded('legacy', 'tx_by_hash_terra_col_3038786_failed_code12.json');
    expect(shapeOf(found.body)).toEqual(shapeOf(theirs));
    expect(shapeOf(JSON.parse(found.body.raw_log))).toEqual(shapeOf(JSON.parse(theirs.raw_log)));
  });

  test('a rejected broadcast', async () => {
    const { status, body } = await chain.postAmino(await chain.stdTx({ sequence: 1 }), 'block');
    const { gas_used: _, ...theirs } = recorded('legacy', 'post_txs_block_failed_code4_terra_2020-08-20.json');
    expect(status).toBe(200);
    expect(shapeOf(body)).toEqual(shapeOf(theirs));
    expect({ ...body, txhash: '', raw_log: '' }).toEqual({ ...theirs, txhash: '', raw_log: '' });
    expect(shapeOf(JSON.parse(body.raw_log))).toEqual(shapeOf(JSON.parse(theirs.raw_log)));
  });
});

describe.skipIf(!haveRecordings)('cosmos', () => {
  test('balances', async () => {
    chain = await openChain();
    const { body } = await chain.cosmos(`/cosmos/bank/v1beta1/balances/${chain.alice}`);
    expect(shapeOf(body)).toEqual(shapeOf(recorded('modern', 'bank_balances_stargaze_cli.json')));
  });

  test('a transaction of a chain before SDK 0.50, by its hash and in a search', async () => {
    chain = await openChain({ sdk: '0.45' });
    // In amino JSON, like the recorded transaction.
    const { body } = await chain.postAmino(await chain.stdTx(), 'block');
    const { tx, tx_response } = (await chain.cosmos(`/cosmos/tx/v1beta1/txs/${body.txhash}`)).body;
    const theirs = recorded('modern', 'tx_response_object_archway_send.json');
    expect(shapeOf(tx_response)).toEqual(shapeOf(theirs));
    expect(tx_response.logs[0].events.map(({ type }: { type: string }) => type)).toEqual(
      theirs.logs[0].events.map(({ type }: { type: string }) => type),
    );
    expect(tx_response.events.map(({ type }: { type: string }) => type)).toEqual(
      theirs.events.map(({ type }: { type: string }) => type),
    );
    expect([tx_response.data, JSON.parse(tx_response.raw_log)[0].events]).toEqual([
      theirs.data,
      tx_response.logs[0].events,
    ]);
    expect({ '@type': theirs.tx['@type'], ...tx }).toEqual(tx_response.tx);

    const query = new URLSearchParams({ events: `message.sender='${chain.alice}'` });
    const found = await chain.cosmos(`/cosmos/tx/v1beta1/txs?${query}`);
    const search = recorded('modern', 'txs_search_tx.height_columbus4_5403875_83txs.json');
    expect(Object.keys(found.body)).toEqual(Object.keys(search));
    expect(found.body.pagination).toEqual({ next_key: null, total: '1' });
    expect(found.body).toMatchObject({ txs: [tx], tx_responses: [tx_response] });
  });

  test('a rejected broadcast', async () => {
    chain = await openChain();
    const { body } = await chain.postDirect(await chain.txRaw({ sequence: 4 }));
    const theirs = recorded('modern', 'broadcast_code32_sequence_mismatch_lava.json').tx_response;
    expect(body).toEqual({
      ...theirs,
      txhash: body.txhash,
      raw_log: theirs.raw_log.replace('expected 8', 'expected 0'),
    });
  });

  test('an unknown transaction and an unknown path', async () => {
    chain = await openChain();
    const hash = '10d31b63275e48b48ae84e8b4c240b8d3a08466b2f0e5455e3ca54fe8a9130e9';
    const theirs = recorded('modern', 'err_404_tx_not_found_terra-classic_2023-07-19.json');
    const unknown = await chain.cosmos(`/cosmos/tx/v1beta1/txs/${hash}`);
    expect(unknown).toEqual({ status: 404, body: theirs });
    const notImplemented = recorded('modern', 'err_501_not_implemented_2022-04-13.json');
    for (const path of [`/bank/balances/${chain.alice}`, '/txs?message.sender=x', `/txs/${hash}`]) {
      expect(await chain.cosmos(path)).toEqual({ status: 501, body: notImplemented });
    }
  });
});
