import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../support/service/service.ts';

let service: Service;
let key: string;

beforeAll(async () => {
  service = await startService({
    settings: ({ cosmosNodeUrl, legacyNodeUrl }) => ({ NODE_URLS: `${cosmosNodeUrl},${legacyNodeUrl}` }),
  });
  key = await service.register();
});
afterAll(() => service?.close());

const PATHS = [
  '/v1/prices/latest/token?tokenName=bitcoin',
  '/v1/prices/latest/token?tokenName=bitcoin&currency=eur',
  '/v1/prices/history/days?tokenName=bitcoin&days=30',
  '/v1/prices/latest/stats?token=btc',
  '/v1/prices/latest/stats?token=sol',
  '/v1/prices/latest/stats?token=ar',
  '/v1/prices/latest/stats?token=eth',
];

test('every source and node may compress its responses, whatever was requested', async () => {
  service.sandbox.faults.always({ kind: 'encoded', coding: 'gzip' });
  service.sandbox.faults.always({ kind: 'encoded', coding: 'br' }, { path: '/cosmos-node' });
  const [account] = service.sandbox.chain.accounts;
  for (const path of [...PATHS, `/v1/node/bank/balances/${account?.address}`]) {
    const response = await service.get(path, { key });
    expect([path, response.status]).toEqual([path, 200]);
    await response.body?.cancel();
  }
});
