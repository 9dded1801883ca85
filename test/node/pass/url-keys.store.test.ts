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

test('a response has the headers of every response: its ID, the allowed origin, and no referrer from a URL key', async () => {
  const settings = { CORS_ORIGINS: 'https://app.example,https://other.example' };
  const { service, key, rpc, rest } = await openOwnStand({ settings });
  const created = await fetch(`${service.url}/v1/user/keys?label=page&url=true&scopes=node&dailyLimit=9`, {
    method: 'POST',
    headers: { 'x-api-key': key },
  });
  const { apiKey } = (await created.json()) as { apiKey: string };
  const headers = { origin: 'https://app.example', 'x-request-id': 'mine-1' };
  const path = 'cosmos/staking/v1beta1/params';
  const responses = [
    await rpc(STATUS, { headers }),
    await rpc([STATUS], { headers }),
    await rest(path, { headers }),
    await fetch(`${service.url}/k/${apiKey}/v1/node/rest/${path}`, { headers }),
  ];
  for (const { status, headers: received } of responses) {
    expect(status).toBe(200);
    expect(Object.fromEntries(received)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': 'mine-1',
      'access-control-allow-origin': 'https://app.example',
      vary: 'Origin',
    });
  }
  expect(responses.map(({ headers: received }) => received.get('referrer-policy'))).toEqual([
    null,
    null,
    null,
    'no-referrer',
  ]);
});
