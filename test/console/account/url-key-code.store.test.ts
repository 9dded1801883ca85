import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS, type Format, PLACEHOLDER, purposeCode, purposesOf } from '#console/account/purpose-code';
import { type Service, startService } from '../../support/service/service.ts';

/* Sends the requests of the code that the console shows for a URL key. The programs cannot send headers. */

let service: Service;
let apiKey: string;
const key = { scopes: ['prices', 'node'] as ('prices' | 'node')[], allowedOrigins: null, url: true };
beforeAll(async () => {
  service = await startService({
    settings: (sandbox) => ({ NODE_URLS: sandbox.cosmosNodeUrl, BASE_PATH: '/market', BURST_PER_SECOND: '0' }),
  });
  const made = await fetch(`${service.url}/v1/user/keys?label=x&url=true&dailyLimit=100&scopes=prices,node`, {
    method: 'POST',
    headers: { 'x-api-key': await service.register() },
  });
  apiKey = ((await made.json()) as { apiKey: string }).apiKey;
});
afterAll(() => service?.close());

const codeOf = (format: Format) => purposeCode(format, key, service.url, apiKey);

/** Returns the URLs in a code, in quotes or alone. */
const urlsIn = (code: string): string[] => code.match(/https?:\/\/[^"'\s]+/g) ?? [];

it('is offered by purpose, for the scopes of the key only', () => {
  expect(purposesOf(key)).toEqual(['spreadsheet', 'coingecko', 'urlwallet', 'urlagent']);
  expect(purposesOf({ ...key, scopes: ['node'] })).toEqual(['urlwallet', 'urlagent']);
  expect(purposesOf({ ...key, url: false })).toEqual(['server', 'page', 'wallet', 'agent']);
  expect(purposesOf({ ...key, allowedOrigins: ['https://a.example'] })).not.toContain('urlagent');
});

/** How each program requests a URL: the header fields that it sends. */
const PROGRAMS = {
  powerquery: { 'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)', accept: '*/*' },
  excel: { 'user-agent': 'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0)', accept: '*/*' },
  libreoffice: { 'user-agent': 'LibreOffice/24.8' },
  sheets: { 'user-agent': 'Mozilla/5.0 (compatible; GoogleDocs; apps-spreadsheets; +http://docs.google.com)' },
} as const;

describe('a spreadsheet', () => {
  it.each(FORMATS.spreadsheet.map(([format]) => format as keyof typeof PROGRAMS))(
    '%s reads a table',
    async (format) => {
      const [url = '', ...others] = urlsIn(codeOf(format));
      expect(others).toEqual([]);
      const response = await fetch(url, { headers: PROGRAMS[format] });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      const [head, ...rows] = (await response.text()).trimEnd().split('\r\n');
      expect(head).toBe('date,price,market_cap,total_volume');
      expect(rows.length).toBeGreaterThanOrEqual(30);
      for (const row of rows)
        expect(row.split(',').slice(1).map(Number)).toEqual(expect.arrayContaining([expect.any(Number)]));
    },
  );
});

/** A path below the key responds as the path without it, for the key in a header. */
async function expectSame(url: string): Promise<void> {
  const plain = url.replace(`/k/${apiKey}`, '');
  expect(plain).not.toBe(url);
  const [inUrl, inHeader] = await Promise.all([fetch(url), fetch(plain, { headers: { 'x-api-key': apiKey } })]);
  const bodyOf = async (response: Response) => (await response.text()).replace(/"requestId":"[^"]*"/, '');
  expect([inUrl.status, await bodyOf(inUrl)]).toEqual([inHeader.status, await bodyOf(inHeader)]);
  expect([400, 401, 403]).not.toContain(inUrl.status);
}

it('a program for CoinGecko appends the paths of CoinGecko to the base URL', async () => {
  expect(urlsIn(codeOf('coingecko'))).toEqual([`${service.url}/k/${apiKey}/api/v3`]);
  for (const path of ['/ping', '/simple/price?ids=bitcoin&vs_currencies=usd', '/coins/list'])
    await expectSame(codeOf('coingecko') + path);
});

it('a wallet appends the paths of a node to the two endpoints', async () => {
  const [rest = '', rpc = ''] = urlsIn(codeOf('keplr'));
  expect([rest, rpc]).toEqual(['rest', 'rpc'].map((name) => `${service.url}/k/${apiKey}/v1/node/${name}`));
  await expectSame(`${rest}/cosmos/base/tendermint/v1beta1/node_info`);
  await expectSame(`${rpc}/status`);
});

it('an agent calls a tool', async () => {
  const { mcpServers } = JSON.parse(codeOf('agenturl')) as { mcpServers: { quotient: { url: string } } };
  const response = await fetch(mcpServers.quotient.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('get_latest_prices')]);
});

it('contains a placeholder if the page does not know the key', () => {
  expect(purposeCode('sheets', key, service.url, PLACEHOLDER)).toContain(`${service.url}/k/${PLACEHOLDER}/v1/prices`);
});
