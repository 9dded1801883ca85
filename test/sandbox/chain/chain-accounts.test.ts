import { afterEach, expect, test } from 'vitest';
import { openChain, type TestChain } from '../../support/upstream/chain.ts';

let chain: TestChain;
afterEach(() => chain.close());

const UNKNOWN = 'cosmos1h806c7khnvmjlywdrkdgk2vrayy2mmvf9rxk2r';
const balancesPath = (address: string, query = '') => `/cosmos/bank/v1beta1/balances/${address}${query}`;

test('the number, sequence and key of an account, in both dialects', async () => {
  chain = await openChain();
  const path = `/auth/accounts/${chain.alice}`;
  const before = (await chain.legacy(path)).body.result;
  expect(before).toMatchObject({
    type: 'cosmos-sdk/Account',
    value: { address: chain.alice, public_key: null, account_number: '0', sequence: '0' },
  });
  expect(before.value.coins).toEqual((await chain.legacy(`/bank/balances/${chain.alice}`)).body.result);
  await chain.postDirect(await chain.txRaw());
  chain.pass();
  const { value } = (await chain.legacy(path)).body.result;
  const { account } = (await chain.cosmos(`/cosmos/auth/v1beta1/accounts/${chain.alice}`)).body;
  expect(account).toEqual({
    '@type': '/cosmos.auth.v1beta1.BaseAccount',
    address: chain.alice,
    pub_key: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: value.public_key.value },
    account_number: '0',
    sequence: '1',
  });
  expect([value.account_number, value.sequence]).toEqual(['0', '1']);
});

test('an unknown account', async () => {
  chain = await openChain();
  expect((await chain.legacy(`/bank/balances/${UNKNOWN}`)).body.result).toEqual([]);
  expect((await chain.cosmos(balancesPath(UNKNOWN))).body.balances).toEqual([]);
  // The legacy interface responds with an empty account, which signing libraries expect.
  expect((await chain.legacy(`/auth/accounts/${UNKNOWN}`)).body.result.value.address).toBe('');
  expect(await chain.cosmos(`/cosmos/auth/v1beta1/accounts/${UNKNOWN}`)).toMatchObject({
    status: 404,
    body: { code: 5, message: expect.stringContaining(`account ${UNKNOWN} not found`) },
  });
});

test.each([`${UNKNOWN.slice(0, -1)}q`, 'kava1l8va9zyl50cpzv447c694k3jndelc9ygtfll2m', 'x'])(
  'an address that is invalid on this chain: %s',
  async (address) => {
    chain = await openChain();
    for (const path of [`/bank/balances/${address}`, `/auth/accounts/${address}`]) {
      expect(await chain.legacy(path)).toEqual({ status: 400, body: { error: expect.any(String) } });
    }
    expect(await chain.cosmos(balancesPath(address))).toMatchObject({ status: 400, body: { code: 3 } });
  },
);

test('balances are paged, and each page has the key of the next', async () => {
  chain = await openChain({ pageSize: 4 });
  const denoms = Array.from({ length: 10 }, (_, n) => `ibc/${String(n).padStart(2, '0')}`);
  chain.sandbox.chain.fund(
    UNKNOWN,
    denoms.map((denom) => ({ denom, amount: '7' })),
  );
  const seen: string[] = [];
  const sizes: number[] = [];
  let key: string | null = '';
  while (key !== null) {
    const query = key === '' ? '' : `?pagination.key=${encodeURIComponent(key)}`;
    const { body } = await chain.cosmos(balancesPath(UNKNOWN, query));
    seen.push(...body.balances.map(({ denom }: { denom: string }) => denom));
    sizes.push(body.balances.length);
    key = body.pagination.next_key;
  }
  expect([seen, sizes]).toEqual([denoms, [4, 4, 2]]);
  expect((await chain.legacy(`/bank/balances/${UNKNOWN}`)).body.result).toHaveLength(10);
  const counted = await chain.cosmos(balancesPath(UNKNOWN, '?pagination.limit=3&pagination.count_total=true'));
  expect([counted.body.balances.length, counted.body.pagination.total]).toEqual([3, '10']);
  expect((await chain.cosmos(balancesPath(UNKNOWN, '?pagination.offset=9'))).body.balances).toHaveLength(1);
  expect((await chain.cosmos(balancesPath(UNKNOWN, '?pagination.limit=x'))).status).toBe(400);
});

test('state queries return the height in a header', async () => {
  chain = await openChain();
  const { headers } = await fetch(chain.sandbox.cosmosNodeUrl + balancesPath(chain.alice));
  expect(headers.get('grpc-metadata-x-cosmos-block-height')).toBe(String(chain.sandbox.chain.latest().height));
});

test('the chain ID', async () => {
  chain = await openChain();
  const { chainId } = chain.sandbox.chain;
  expect((await chain.legacy('/node_info')).body.node_info.network).toBe(chainId);
  const { body } = await chain.cosmos('/cosmos/base/tendermint/v1beta1/node_info');
  expect(body.default_node_info.network).toBe(chainId);
});
