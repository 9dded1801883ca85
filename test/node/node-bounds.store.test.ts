import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service/service.ts';
import { hang, startTestNode, type TestNode } from '../support/upstream/test-node.ts';

const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
const SEARCH = '/v1/node/txs?tx.minheight=1';
const BALANCES = `/v1/node/bank/balances/${ADDRESS}`;
const TX_BYTES = Buffer.from('a signed transaction').toString('base64');
const MB = 1024 * 1024;

let node: TestNode;
let service: Service;
let [one, other] = ['', ''];

beforeAll(async () => {
  node = await startTestNode();
  service = await startService({
    settings: { NODE_URLS: node.url, BURST_PER_SECOND: '0', UPSTREAM_TIMEOUT_MS: '3000' },
  });
  [one, other] = [await service.register(), await service.register()];
  // From here on, the node's dialect is known.
  await service.get(BALANCES, { key: one });
});
afterAll(async () => {
  await service?.close();
  await node?.close();
});
beforeEach(() => {
  node.state.override = () => undefined;
  node.state.known.clear();
});

const get = async (path: string, key: string) => {
  const response = await service.get(path, { key });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as { code?: string; txs?: unknown[] },
  };
};
const broadcast = (key: string, mode = 'block', bytes = TX_BYTES) =>
  fetch(`${service.url}/v1/node/txs`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ tx_bytes: bytes, mode }),
  });

/** Holds the node's responses until `release`. `arrived` resolves when this number of requests is held. */
function holdResponses() {
  const held: (() => void)[] = [];
  let report = () => {};
  let wanted = 0;
  node.state.override = (_call, response) => {
    held.push(() => response.writeHead(200).end(JSON.stringify({ balances: [], pagination: null })));
    if (held.length === wanted) report();
    return 'taken';
  };
  return {
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        [wanted, report] = [count, resolve];
        if (held.length >= count) resolve();
      }),
    release: () => {
      node.state.override = () => undefined;
      for (const response of held.splice(0)) response();
    },
  };
}

describe('four concurrent calls of a user', () => {
  test('cause the fifth to be rejected immediately on any path, but not another user’s call', async () => {
    const held = holdResponses();
    const four = Array.from({ length: 4 }, () => get(BALANCES, one));
    await held.arrived(4);
    for (const path of [BALANCES, SEARCH, `/v1/node/txs/${'A'.repeat(64)}`]) {
      const fifth = await get(path, one);
      expect(fifth).toMatchObject({ status: 503, retryAfter: '1', body: { code: 'overloaded' } });
    }
    expect((await broadcast(one)).status).toBe(503);
    const neighbour = get(BALANCES, other);
    await held.arrived(5);
    held.release();
    expect((await neighbour).status).toBe(200);
    expect((await Promise.all(four)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get(BALANCES, one)).status).toBe(200);
  });

  test('are released after the client disconnects and the node responds', async () => {
    const held = holdResponses();
    const gone = new AbortController();
    const headers = { 'x-api-key': one };
    const left = Array.from({ length: 4 }, () =>
      fetch(`${service.url}${BALANCES}`, { headers, signal: gone.signal }).catch(() => 'gone'),
    );
    await held.arrived(4);
    gone.abort();
    await Promise.all(left);
    expect((await get(BALANCES, one)).status).toBe(503);
    held.release();
    await expect.poll(async () => (await get(BALANCES, one)).status).toBe(200);
  });
});

describe('a request that overloads the node', () => {
  const tooLarge = JSON.stringify({ tx_responses: [], padding: 'x'.repeat(5 * MB) });

  test.each([
    ['too large', () => ({ body: tooLarge })],
    ['of too many values', () => ({ body: `[${'{},'.repeat(MB)}{}]` })],
    ['rejected by a proxy before the node', () => ({ status: 504, body: '<html>' })],
    ['given up by the node', () => ({ status: 500, body: '{"code":2,"message":"context deadline exceeded"}' })],
  ])('searches %s do not block other calls', async (_name, override) => {
    node.state.override = ({ path }) => (path.endsWith('/txs') ? override() : undefined);
    for (let i = 0; i < 6; i++) {
      const refused = await get(SEARCH, one);
      expect(refused.status).toBeGreaterThanOrEqual(502);
      expect(refused.body.code).toMatch(/^upstream_/);
    }
    node.state.override = () => undefined;
    expect((await get(SEARCH, other)).status).toBe(200);
    const ready = (await (await service.get('/health/ready')).json()) as { warnings?: string[] };
    expect(JSON.stringify(ready)).not.toContain('node 1');
  });

  test('searches that hang do not block other calls', async () => {
    node.state.override = ({ path }) => (path.endsWith('/txs') ? hang() : undefined);
    const before = node.calls.length;
    const hanging = Array.from({ length: 4 }, () => get(SEARCH, one));
    await expect.poll(() => node.calls.length - before).toBe(4);
    node.state.override = () => undefined;
    expect((await get(SEARCH, other)).status).toBe(200);
    const statuses = (await Promise.all(hanging)).map(({ status }) => status);
    expect(statuses).toEqual([504, 504, 504, 504]);
    expect((await get(SEARCH, other)).status).toBe(200);
  });

  test('a transaction that is too large does not open the circuit breaker', async () => {
    node.state.override = () => ({ body: `{"padding":"${'x'.repeat(3 * MB)}"}` });
    for (let i = 0; i < 6; i++) {
      const { status, body } = await get(`/v1/node/txs/${'B'.repeat(64)}`, one);
      expect([status, body.code]).toEqual([502, 'upstream_invalid']);
    }
    node.state.override = () => undefined;
    expect((await get(BALANCES, other)).status).toBe(200);
  });
});

test('a search response of nearly 4 MB is returned completely', async () => {
  const responses = Array.from({ length: 95 }, (_, i) => ({
    height: String(i + 1),
    txhash: i.toString(16).toUpperCase().padStart(64, '0'),
    raw_log: 'x"é'.repeat(5_000),
    logs: [{ msg_index: 0, events: Array(500).fill({ type: 't', attributes: [] }) }],
  }));
  node.state.override = () => ({
    body: JSON.stringify({ txs: [], tx_responses: responses, total: '95' }),
  });
  const { status, body } = await get(SEARCH, one);
  expect(status).toBe(200);
  const received = responses.map((one) => ({
    ...one,
    logs: one.logs.map((log) => ({ ...log, success: true, log: '' })),
    events: [{ type: 't', attributes: [] }],
  }));
  expect(body.txs).toEqual(received);
});

test('no work is done for a client that has disconnected', async () => {
  const bytes = Buffer.from('another transaction').toString('base64');
  let looks = 0;
  const gone = new AbortController();
  node.state.override = ({ method }) => {
    if (method === 'GET' && ++looks === 2) gone.abort();
    return undefined;
  };
  const left = fetch(`${service.url}/v1/node/txs`, {
    method: 'POST',
    headers: { 'x-api-key': one },
    body: JSON.stringify({ tx_bytes: bytes, mode: 'block' }),
    signal: gone.signal,
  });
  await expect(left).rejects.toThrow();
  // The slot is free long before the wait for a block would have timed out.
  await expect
    .poll(async () => (await Promise.all(Array.from({ length: 4 }, () => get(BALANCES, one)))).map((r) => r.status))
    .toEqual([200, 200, 200, 200]);
});
