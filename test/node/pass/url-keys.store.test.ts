import { expect, test } from 'vitest';
import { openOwnStand } from './stand.ts';

const STATUS = { jsonrpc: '2.0', id: 1, method: 'status', params: {} };

test('a URL key passes calls on below /k/, and its rejections have the form of the interface', async () => {
  const { service, key, rpc, chain, double } = await openOwnStand();
  const alice = chain.accounts[0]?.address;
  const created = await fetch(`${service.url}/v1/user/keys?label=wallet&url=true&scopes=node&dailyLimit=3`, {
    method: 'POST',
    headers: { 'x-api-key': key },
  });
  const { apiKey } = (await created.json()) as { apiKey: string };
  const rest = async (as: string, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}/k/${as}/v1/node/rest/${path}`, { headers });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const send = (as: string) =>
    fetch(`${service.url}/k/${as}/v1/node/rpc`, { method: 'POST', body: JSON.stringify(STATUS) });

  expect(await rest(apiKey, `/cosmos/bank/v1beta1/balances/${alice}?pagination.limit=1000`)).toMatchObject({
    status: 200,
    body: { balances: expect.any(Array) },
  });
  expect(double.calls.at(-1)?.url).toBe(`/cosmos-node/cosmos/bank/v1beta1/balances/${alice}?pagination.limit=1000`);
  expect(await (await send(apiKey)).json()).toMatchObject({ id: 1, result: { node_info: { network: 'sandbox-1' } } });
  expect((await rpc(STATUS, { as: apiKey })).status).toBe(200);
  const limited = await rest(apiKey, 'cosmos/staking/v1beta1/params');
  expect(limited).toMatchObject({ status: 429, body: { code: 8, details: [] } });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await rest(key, 'cosmos/staking/v1beta1/params')).toMatchObject({
    status: 403,
    body: { code: 7, details: [] },
  });
  const owner = await send(key);
  expect(owner.status).toBe(403);
  expect(await owner.json()).toMatchObject({ id: null, error: { code: -32000 } });
  for (const secret of [apiKey, key]) expect(service.logLines.join('\n')).not.toContain(secret);
});

test('each call of a batch counts toward the daily limit of a URL key', async () => {
  const { service, key, rpc } = await openOwnStand();
  const created = await fetch(`${service.url}/v1/user/keys?label=batches&url=true&scopes=node&dailyLimit=3`, {
    method: 'POST',
    headers: { 'x-api-key': key },
  });
  const { apiKey } = (await created.json()) as { apiKey: string };
  const batch = (size: number) => Array.from({ length: size }, (_, id) => ({ ...STATUS, id }));
  expect((await rpc(batch(3), { as: apiKey })).body).toHaveLength(3);
  expect(await rpc(batch(1), { as: apiKey })).toMatchObject({
    status: 429,
    body: { id: null, error: { code: -32000 } },
  });
});
