import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConditions } from '#sandbox/chain/search-conditions';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

let chain: TestChain;
afterEach(() => chain.close());

/** The hashes of five sends, oldest first: one per block, alternately in amino JSON and in protobuf. */
async function fiveSends(): Promise<string[]> {
  const hashes: string[] = [];
  for (let sequence = 0; sequence < 5; sequence++) {
    const bytes = await chain.txRaw({ sequence });
    const isAmino = sequence % 2 === 0;
    if (isAmino) hashes.push((await chain.postAmino(await chain.stdTx({ sequence }))).body.txhash);
    else hashes.push(String((await chain.postDirect(bytes)).body.txhash));
    chain.pass();
  }
  return hashes;
}

const hashesOf = (list: { txhash: string }[]) => list.map(({ txhash }) => txhash);
const cosmosSearch = (parameters: Record<string, string>) =>
  chain.cosmos(`/cosmos/tx/v1beta1/txs?${new URLSearchParams(parameters)}`);

describe('legacy', () => {
  beforeEach(async () => {
    chain = await openChain();
  });

  test('pages, oldest first, with counts as strings', async () => {
    const hashes = await fiveSends();
    const page = async (number: number) =>
      (await chain.legacy(`/txs?message.sender=${chain.alice}&page=${number}&limit=2`)).body;
    const { txs, ...counts } = await page(1);
    expect(counts).toEqual({ total_count: '5', count: '2', page_number: '1', page_total: '3', limit: '2' });
    expect([...hashesOf(txs), ...hashesOf((await page(2)).txs)]).toEqual(hashes.slice(0, 4));
    expect(await page(3)).toMatchObject({ count: '1', txs: [{ txhash: hashes[4] }] });
    expect(await chain.legacy(`/txs?message.sender=${chain.alice}&page=4&limit=2`)).toEqual({
      status: 500,
      body: { error: 'page should be within [1, 3] range, given 4' },
    });
  });

  test('by recipient, height or action, or by several conditions', async () => {
    const hashes = await fiveSends();
    const newest = chain.sandbox.chain.latest().height;
    const found = async (query: string) => hashesOf((await chain.legacy(`/txs?${query}`)).body.txs);
    expect(await found(`transfer.recipient=${chain.bob}`)).toEqual(hashes);
    expect(await found(`transfer.recipient=${chain.alice}`)).toEqual([]);
    expect(await found(`tx.height=${newest}`)).toEqual([hashes[4]]);
    expect(await found(`tx.minheight=${newest - 1}`)).toEqual(hashes.slice(3));
    expect(await found('message.action=send&message.module=bank')).toEqual(hashes);
    expect(await found(`message.sender=${chain.alice}&tx.maxheight=${newest - 4}`)).toEqual([hashes[0]]);
    expect(await found(`tx.hash=${hashes[2]}`)).toEqual([hashes[2]]);
  });

  test('a value is decoded twice', async () => {
    const hashes = await fiveSends();
    const value = encodeURIComponent(encodeURIComponent('/cosmos.bank.v1beta1.MsgSend'));
    expect(hashesOf((await chain.legacy(`/txs?message.action=${value}`)).body.txs)).toEqual(hashes);
    expect((await chain.legacy('/txs?message.action=100%25')).status).toBe(400);
  });

  test.each(['', '?page=1', '?message.sender=x&page=0', '?message.sender=x&limit=many', '?sender=x'])(
    'rejected: /txs%s',
    async (query) => {
      const { status, body } = await chain.legacy(`/txs${query}`);
      expect([status, Object.keys(body)]).toEqual([400, ['error']]);
    },
  );
});

describe('cosmos', () => {
  const ofAlice = () => `message.sender='${chain.alice}'`;

  test('SDK 0.50: query, page and limit, no logs', async () => {
    chain = await openChain();
    const hashes = await fiveSends();
    const query = `${ofAlice()} AND tx.height>0`;
    const { body } = await cosmosSearch({ query, page: '2', limit: '2' });
    expect(body).toMatchObject({ pagination: null, total: '5' });
    expect(hashesOf(body.tx_responses)).toEqual(hashes.slice(2, 4));
    expect(body.tx_responses[0]).toMatchObject({ raw_log: '', logs: [] });
    const [sent] = body.tx_responses[0].events.filter(({ type }: { type: string }) => type === 'coin_spent').slice(1);
    expect(sent.attributes).toContainEqual({ key: 'msg_index', value: '0', index: true });
    const newestFirst = await cosmosSearch({ query, order_by: 'ORDER_BY_DESC' });
    expect(hashesOf(newestFirst.body.tx_responses)).toEqual(hashes.toReversed());
    expect(await cosmosSearch({ events: ofAlice() })).toEqual({
      status: 400,
      body: { code: 3, message: 'query cannot be empty', details: [] },
    });
  });

  test('SDK 0.47: events, page and limit', async () => {
    chain = await openChain({ sdk: '0.47' });
    const hashes = await fiveSends();
    const { body } = await cosmosSearch({ events: ofAlice(), page: '3', limit: '2' });
    expect([body.total, hashesOf(body.tx_responses)]).toEqual(['5', [hashes[4]]]);
    expect(JSON.parse(body.tx_responses[0].raw_log)).toEqual(body.tx_responses[0].logs);
    expect((await cosmosSearch({ query: ofAlice() })).body).toMatchObject({
      code: 3,
      message: 'must declare at least one event to search',
    });
  });

  test('SDK 0.45: events, pagination', async () => {
    chain = await openChain({ sdk: '0.45' });
    const hashes = await fiveSends();
    const parameters = { events: ofAlice(), 'pagination.offset': '2', 'pagination.limit': '2' };
    const { body } = await cosmosSearch(parameters);
    expect(body.pagination).toEqual({ next_key: null, total: '5' });
    expect(hashesOf(body.tx_responses)).toEqual(hashes.slice(2, 4));
  });

  test('a page has at most the page size', async () => {
    chain = await openChain({ pageSize: 2 });
    await fiveSends();
    const { body } = await cosmosSearch({ query: ofAlice(), limit: '100' });
    expect([body.txs.length, body.tx_responses.length, body.total]).toEqual([2, 2, '5']);
  });

  test.each<Record<string, string>>([
    { query: 'nonsense' },
    { query: "tx.height>'" },
    { query: 'tx.height>0', limit: 'many' },
  ])('rejected: %o', async (parameters) => {
    chain = await openChain();
    expect(await cosmosSearch(parameters)).toMatchObject({ status: 400, body: { code: 3, details: [] } });
  });
});

test('each node returns the transactions of the other, with the same figures', async () => {
  chain = await openChain({ sdk: '0.45' });
  await fiveSends();
  const old = (await chain.legacy(`/txs?message.sender=${chain.alice}`)).body.txs;
  const modern = (await cosmosSearch({ events: `message.sender='${chain.alice}'` })).body.tx_responses;
  expect(old).toHaveLength(5);
  for (const [place, tx] of old.entries()) {
    const same = modern[place];
    const figures = ({ height, txhash, gas_wanted, gas_used, timestamp }: typeof tx) => ({
      ...{ height, txhash, gas_wanted, gas_used, timestamp },
    });
    expect(figures(tx)).toEqual(figures(same));
    const { msg, fee, memo, signatures } = tx.tx.value;
    const { body, auth_info, signatures: bytes } = same.tx;
    expect(body.messages).toEqual([{ '@type': '/cosmos.bank.v1beta1.MsgSend', ...msg[0].value }]);
    expect([auth_info.fee.amount, auth_info.fee.gas_limit, body.memo]).toEqual([fee.amount, fee.gas, memo]);
    expect(bytes).toEqual([signatures[0].signature]);
    expect(auth_info.signer_infos[0]).toMatchObject({
      public_key: { key: signatures[0].pub_key.value },
      mode_info: { single: { mode: place % 2 === 0 ? 'SIGN_MODE_LEGACY_AMINO_JSON' : 'SIGN_MODE_DIRECT' } },
      sequence: String(place),
    });
  }
});

test('conditions are parsed', () => {
  expect(readConditions("a.b='it is' AND tx.height>=5")).toEqual([
    { key: 'a.b', operator: '=', value: 'it is' },
    { key: 'tx.height', operator: '>=', value: '5' },
  ]);
  for (const text of ['', 'a.b', "ab='x'", "a.b='x' OR c.d='y'", "a.b='x''"]) expect(readConditions(text)).toBeNull();
});
