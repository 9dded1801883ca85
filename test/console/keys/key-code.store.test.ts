import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeFor, formatNames, noteFor, PLACEHOLDER, type Terms, type UseName, usesOf } from '#console/keys/uses';
import { buildClient } from '../../../scripts/build-client.ts';
import { type Service, startService } from '../../support/service/service.ts';

/* Runs the code that the console shows for a key, and sends the requests of programs that cannot be installed. */

let service: Service;
/** The folder in which programs run, with the client installed. */
let folder: string;
const terms: Terms = { scopes: ['prices', 'node'], allowedOrigins: null, url: false };
const key: Terms = { ...terms, url: true };
let apiKeys: { header: string; url: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-key-code-'));
  [service] = await Promise.all([
    startService({
      settings: (sandbox) => ({ NODE_URLS: sandbox.cosmosNodeUrl, BASE_PATH: '/market', BURST_PER_SECOND: '0' }),
    }),
    buildClient(join(folder, 'node_modules/quotient-client')),
  ]);
  const owner = await service.createUser();
  const of = { label: 'x', scopes: 'prices,node' };
  apiKeys = {
    header: await service.createKey(owner, of),
    url: await service.createKey(owner, { ...of, url: 'true', dailyLimit: '100' }),
  };
});
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** The code with a URL key. */
const codeOf = (use: UseName, format = String(formatNames(use, key)[0])) =>
  codeFor(use, format, key, service.url, apiKeys.url);
/** The code with a key in a header. */
const headerCode = (use: UseName, format: string, of = terms) => codeFor(use, format, of, service.url, apiKeys.header);

const hasProgram = (name: string) => spawnSync(name, ['--version']).status === 0;
const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd: folder })).stdout;
async function runModule(code: string): Promise<string> {
  await writeFile(join(folder, 'program.mjs'), code);
  return run(process.execPath, 'program.mjs');
}

describe('a server', () => {
  it('reads a price with Node.js', async () =>
    expect(await runModule(headerCode('server', 'Node.js'))).toMatch(/current_price: \d/));

  it.skipIf(!hasProgram('python3'))('reads a price with Python', async () =>
    expect(await run('python3', '-c', headerCode('server', 'Python'))).toMatch(/'current_price': \d/),
  );

  it.skipIf(!hasProgram('curl'))('reads a price or, without the scope, a block with curl', async () => {
    const price = JSON.parse(await run('sh', '-c', headerCode('server', 'curl')));
    expect(price.current_price).toBeGreaterThan(0);
    const ofNode = headerCode('server', 'curl', { ...terms, scopes: ['node'] });
    expect(JSON.parse(await run('sh', '-c', ofNode))).toHaveProperty('block');
  });
});

it('the client of a wallet reads the balances of an address', async () => {
  const [account] = service.sandbox.chain.accounts;
  const program = headerCode('wallet', 'Client').replace('YOUR_ADDRESS', String(account?.address));
  expect(await runModule(program)).toMatch(/denom: '\w+', amount: '\d+'/);
});

type Configuration = { mcpServers: { quotient: { type: string; url: string; headers?: Record<string, string> } } };

async function toolsOf(url: string, headers: Record<string, string> = {}) {
  const send = async (method: string, params: object) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ((await response.json()) as { result: { isError?: boolean; tools: { name: string }[] } }).result;
  };
  const called = await send('tools/call', { name: 'get_latest_prices', arguments: { tokenNames: ['btc'] } });
  const { tools } = await send('tools/list', {});
  return { isError: called.isError ?? false, names: tools.map(({ name }) => name) };
}

it('an AI agent connects with the JSON, with the command and without headers', async () => {
  const found = { isError: false, names: expect.arrayContaining(['list_tokens', 'get_latest_prices']) };
  const { type, url, headers } = (JSON.parse(headerCode('agent', 'JSON')) as Configuration).mcpServers.quotient;
  expect(type).toBe('http');
  expect(await toolsOf(url, headers)).toEqual(found);

  const command = `claude() { printf '%s\\n' "$@"; }\n${headerCode('agent', 'Claude Code')}`;
  const words = (await run('sh', '-c', command)).trimEnd().split('\n');
  expect(words.slice(0, 7)).toEqual(['mcp', 'add', '--transport', 'http', 'quotient', url, '--header']);
  const [name = '', value = ''] = String(words[7]).split(': ');
  expect(await toolsOf(url, { [name]: value })).toEqual(found);

  const inUrl = (JSON.parse(codeOf('agent')) as Configuration).mcpServers.quotient;
  expect(inUrl.headers).toBeUndefined();
  expect(await toolsOf(inUrl.url)).toEqual(found);
});

/** Returns the URLs in a code, in quotes or alone. */
const urlsIn = (code: string): string[] => code.match(/https?:\/\/[^"'\s]+/g) ?? [];

it('is offered by use, for the scopes of the key only', () => {
  expect(usesOf(key)).toEqual(['spreadsheet', 'coingecko', 'wallet', 'agent']);
  expect(usesOf({ ...key, scopes: ['node'] })).toEqual(['wallet', 'agent']);
  expect(usesOf({ ...key, url: false })).toEqual(['server', 'page', 'wallet', 'agent']);
  const ofPages = { ...key, allowedOrigins: ['https://a.example'] };
  expect(usesOf(ofPages)).toEqual(['spreadsheet', 'coingecko', 'wallet']);
  expect(usesOf({ ...ofPages, url: false })).toEqual(['page', 'wallet']);
  expect(usesOf({ ...key, url: false, scopes: ['account', 'prices', 'node'] })).toEqual(['server']);
});

it('has a note about the restriction of a key for web pages', () => {
  const ofPage = { scopes: ['prices' as const], allowedOrigins: null, url: false };
  expect(noteFor('page', ofPage)).toMatch(/^Restrict the key to the origin of your page/);
  expect(noteFor('page', { ...ofPage, allowedOrigins: ['https://a.example', 'https://b.example'] })).toMatch(
    /^The code works only in web pages on https:\/\/a\.example, https:\/\/b\.example\./,
  );
});

/** How each program requests a URL: the header fields that it sends. */
const PROGRAMS = {
  'Excel (Power Query)': {
    'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
    accept: '*/*',
  },
  'Excel (cell)': { 'user-agent': 'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0)', accept: '*/*' },
  LibreOffice: { 'user-agent': 'LibreOffice/24.8' },
  'Google Sheets': { 'user-agent': 'Mozilla/5.0 (compatible; GoogleDocs; apps-spreadsheets; +http://docs.google.com)' },
} as const;

describe('a spreadsheet', () => {
  it.each(formatNames('spreadsheet', key) as (keyof typeof PROGRAMS)[])('%s reads a table', async (format) => {
    const [url = '', ...others] = urlsIn(codeOf('spreadsheet', format));
    expect(others).toEqual([]);
    const response = await fetch(url, { headers: PROGRAMS[format] });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head, ...rows] = (await response.text()).trimEnd().split('\r\n');
    expect(head).toBe('date,price,market_cap,total_volume');
    expect(rows.length).toBeGreaterThanOrEqual(30);
    for (const row of rows)
      expect(row.split(',').slice(1).map(Number)).toEqual(expect.arrayContaining([expect.any(Number)]));
  });
});

/** A path below the key responds as the path without it, for the key in a header. */
async function expectSame(url: string): Promise<void> {
  const plain = url.replace(`/k/${apiKeys.url}`, '');
  expect(plain).not.toBe(url);
  const [inUrl, inHeader] = await Promise.all([fetch(url), fetch(plain, { headers: { 'x-api-key': apiKeys.url } })]);
  const bodyOf = async (response: Response) => (await response.text()).replace(/"requestId":"[^"]*"/, '');
  expect([inUrl.status, await bodyOf(inUrl)]).toEqual([inHeader.status, await bodyOf(inHeader)]);
  expect([400, 401, 403]).not.toContain(inUrl.status);
}

it('a program for CoinGecko appends the paths of CoinGecko to the base URL', async () => {
  expect(urlsIn(codeOf('coingecko'))).toEqual([`${service.url}/k/${apiKeys.url}/api/v3`]);
  for (const path of ['/ping', '/simple/price?ids=bitcoin&vs_currencies=usd', '/coins/list'])
    await expectSame(codeOf('coingecko') + path);
});

it('a wallet appends the paths of a node to the two endpoints', async () => {
  const [rest = '', rpc = ''] = urlsIn(codeOf('wallet'));
  expect([rest, rpc]).toEqual(['rest', 'rpc'].map((name) => `${service.url}/k/${apiKeys.url}/v1/node/${name}`));
  await expectSame(`${rest}/cosmos/base/tendermint/v1beta1/node_info`);
  await expectSame(`${rpc}/status`);
});

it('contains a placeholder if the page does not know the key', () => {
  expect(codeFor('spreadsheet', 'Google Sheets', key, service.url, PLACEHOLDER)).toContain(
    `${service.url}/k/${PLACEHOLDER}/v1/prices`,
  );
});
