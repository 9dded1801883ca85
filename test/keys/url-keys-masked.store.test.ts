import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintApiKey } from '#keys/api-key';
import { recordTraces } from '../support/recording-tracer.ts';
import { PRICED } from '../support/service/hammer.ts';
import { METRICS_ON, openScrape } from '../support/service/metrics.ts';
import { type Service, startService } from '../support/service/service.ts';
import { exchange } from '../support/service/socket.ts';

/* A key in a URL is masked wherever the service writes text. */

let service: Service;
let traces: ReturnType<typeof recordTraces>;
let owner: string;
let key: string;
let unknown: string;
beforeAll(async () => {
  traces = recordTraces();
  service = await startService({
    settings: (sandbox) => ({
      ...METRICS_ON,
      ...{ LOG_LEVEL: 'trace', LOG_REQUESTS: 'all', BURST_PER_SECOND: '0', NODE_URLS: sandbox.cosmosNodeUrl },
    }),
  });
  owner = await service.register();
  const made = await fetch(`${service.url}/v1/user/keys?label=x&url=true&dailyLimit=900&scopes=prices,node`, {
    method: 'POST',
    headers: { 'x-api-key': owner },
  });
  key = ((await made.json()) as { apiKey: string }).apiKey;
  unknown = mintApiKey('url');
});
afterAll(async () => {
  traces?.close();
  await service?.close();
});

const REST = [
  PRICED,
  '/v1/prices/latest/token?tokenName=nothing',
  '/v1/prices/history/days?tokenName=bitcoin&days=x',
  '/v1/tokens',
  '/v1/node/node_info',
  '/v1/node/txs/nothing',
  '/v1/user/data',
  '/mcp',
  '/api/v3/ping',
  '',
  '%2Fv1/tokens',
  `/v1/prices/${'x'.repeat(8192)}`,
];

/** Forms of the secret part of a key. */
const formsOf = (secret: string) => [
  secret.slice(3),
  Buffer.from(secret).toString('base64').slice(4, 40),
  secret.slice(8, 30),
];

/** Requests every path with every key, in its plain and its encoded form, with a page's `Accept` and as a referrer. */
async function drive(): Promise<string[]> {
  const responses: string[] = [];
  for (const secret of [key, owner, unknown]) {
    for (const rest of REST) {
      for (const form of [secret, `%71${secret.slice(1)}`]) {
        const target = `/k/${form}${rest}`;
        const fields = `Host: x\r\nReferer: ${service.url}${target}\r\n`;
        const page = 'Accept: text/html\r\nSec-Fetch-Mode: navigate\r\n';
        for (const more of ['', page, `X-Request-Id: ${secret}\r\n`, `X-Api-Key: ${secret}\r\n`]) {
          const { headers, body } = await exchange(service.url, `GET ${target} HTTP/1.1\r\n${fields}${more}\r\n`);
          responses.push(`${target.slice(0, 60)} ${JSON.stringify(headers)}${body}`);
        }
      }
    }
  }
  return responses;
}

/** The texts without the target of the request. */
const leaks = (texts: readonly string[], isResponse = false) =>
  texts
    .map((text) => (isResponse ? text.slice(text.indexOf(' ')) : text))
    .filter((text) => [key, owner, unknown].some((one) => formsOf(one).some((form) => text.includes(form))));

it('responses, problems and pages do not repeat it', async () => {
  const responses = await drive();
  expect(responses.length).toBeGreaterThan(200);
  expect(leaks(responses, true).map((text) => text.slice(0, 300))).toEqual([]);
});

it('logs at the level trace, traces and metrics do not contain it', async () => {
  await drive();
  expect(service.logLines.some((line) => line.includes('/v1/prices/latest/token'))).toBe(true);
  expect(leaks(service.logLines)).toEqual([]);
  expect(traces.ended.some(({ name }) => name === 'GET /v1/prices/latest/token')).toBe(true);
  expect(leaks(traces.ended.map((span) => JSON.stringify(span)))).toEqual([]);
  const scrape = await openScrape(service);
  const series = [...(await scrape.series()).keys()];
  await scrape.close();
  expect(series.some((name) => name.includes('/v1/prices/latest/token'))).toBe(true);
  expect(leaks(series)).toEqual([]);
});

it("the user's request log shows the path without the key", async () => {
  // Successful requests are recorded after the log was read.
  await service.get('/v1/user/requests', { key: owner });
  await drive();
  const response = await service.get('/v1/user/requests', { key: owner });
  const text = await response.text();
  expect(text).toContain('/v1/prices/latest/token?tokenName=bitcoin');
  expect(leaks([text])).toEqual([]);
});

it('the report of an internal error does not contain it', async () => {
  const { latest } = service.parts.market;
  service.parts.market.latest = () => {
    throw new Error(`a fault at ${service.url}/k/${key}${PRICED}`);
  };
  const response = await fetch(`${service.url}/k/${key}${PRICED}&again`);
  service.parts.market.latest = latest;
  const body = await response.text();
  expect(response.status).toBe(500);
  expect(service.logLines.filter((line) => line.includes('a fault at'))).not.toEqual([]);
  expect(leaks([...service.logLines, body])).toEqual([]);
});

it('a response tells browsers to send no referrer', async () => {
  for (const path of [PRICED, '/v1/tokens', '/nothing'])
    expect((await fetch(`${service.url}/k/${key}${path}`)).headers.get('referrer-policy')).toBe('no-referrer');
});
