import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildClient } from '../../../scripts/build-client.ts';
import { useConsole, type Visit } from '../../support/browser/console.ts';

/* Runs the code that the console shows for a key. */

/** Serves the page that a test sets. `localhost` and `127.0.0.1` are different origins. */
let pages: Server;
let origin: string;
let html = '';
/** The folder in which programs run, with the client installed. */
let folder: string;
const opened = useConsole(({ cosmosNodeUrl }) => ({ CORS_ORIGINS: '*', NODE_URLS: cosmosNodeUrl }));
let here: Visit;
beforeAll(async () => {
  pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>A page</title>${html}`);
  });
  await new Promise<void>((listening) => pages.listen(0, 'localhost', listening));
  origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'quotient-key-code-'));
  await buildClient(join(folder, 'node_modules/quotient-client'));
});
afterAll(async () => {
  pages?.close();
  if (folder) await rm(folder, { recursive: true });
});
beforeEach(async () => {
  const key = await opened.service.createUser();
  here = await opened.visit({ key, permissions: ['clipboard-read', 'clipboard-write'] });
});

const dialog = () => here.page.getByRole('dialog');
const hasProgram = (name: string) => spawnSync(name, ['--version']).status === 0;

/** Creates a key with the console, which then shows its code. */
async function createKey({ scopes = ['Read prices'], origins = '' } = {}): Promise<void> {
  await here.page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Label').fill('Shop');
  for (const name of ['Read prices', 'Use the node']) await dialog().getByLabel(name).setChecked(scopes.includes(name));
  await dialog().getByLabel('Only for web pages').fill(origins);
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await dialog().getByRole('heading', { name: 'Your new key' }).waitFor();
}

const buttons = (group: string) => dialog().getByRole('group', { name: group }).getByRole('button').allInnerTexts();
const code = () => dialog().locator('.key-guide code').textContent().then(String);

/** Selects a purpose and a format, and returns the text that the button copies. */
async function copied(...names: string[]): Promise<string> {
  for (const name of names) await dialog().getByRole('button', { name, exact: true }).click();
  await dialog().getByRole('button', { name: 'Copy code' }).click();
  await dialog().locator('.key-guide').getByRole('button', { name: 'Copied' }).waitFor();
  const text = String(await here.page.evaluate('navigator.clipboard.readText()'));
  expect(text).toBe(await code());
  return text;
}

async function run(program: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd: folder })).stdout;
}

it('Node.js and the command line of a server read a price', async () => {
  await createKey();
  expect(await buttons('Purpose')).toEqual(['Server', 'Web page', 'AI agent']);
  await writeFile(join(folder, 'server.mjs'), await copied('Server', 'Node.js'));
  expect(await run(process.execPath, 'server.mjs')).toMatch(/current_price: \d/);
  if (hasProgram('curl')) {
    const answer = JSON.parse(await run('sh', '-c', await copied('curl')));
    expect(answer.current_price).toBeGreaterThan(0);
  }
});

it.skipIf(!hasProgram('python3'))('Python reads a price', async () => {
  await createKey();
  expect(await run('python3', '-c', await copied('Server', 'Python'))).toMatch(/'current_price': \d/);
});

it('a key for a spreadsheet is created by its purpose, and its formula reads a table without a header', async () => {
  await here.page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Label').fill('Sheet');
  await dialog().getByLabel('Use in').selectOption('A wallet');
  expect(await dialog().getByLabel('Use the node').isChecked()).toBe(true);
  await dialog().getByLabel('Use in').selectOption('A spreadsheet');
  expect(await dialog().getByLabel('Use the node').isChecked()).toBe(false);
  expect(await dialog().getByLabel('Calls per UTC day').inputValue()).toBe('500');
  await dialog().getByText('A key for a program that cannot send headers.').waitFor();
  await dialog().getByLabel('Calls per UTC day').fill('');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await dialog().getByText('Enter a daily limit.').waitFor();
  await dialog().getByLabel('Calls per UTC day').fill('40');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await dialog().getByRole('heading', { name: 'Your new key' }).waitFor();
  const base = await here.page.locator('#new-key-text').innerText();
  expect(base).toMatch(/\/k\/qu_[0-9A-Za-z]{38}$/);
  expect(await buttons('Purpose')).toEqual(['Spreadsheet', 'CoinGecko program', 'AI agent']);
  const [, url = ''] = /"(http[^"]+)"/.exec(await copied('Spreadsheet', 'Google Sheets')) ?? [];
  expect(url.startsWith(base)).toBe(true);
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  await dialog().getByRole('button', { name: 'I have saved it' }).click();
  await here.page.locator('#key-list').getByText('in URLs').waitFor();
});

/** Opens the code as a page on `url`, and returns what the page shows. */
async function shownOn(url: string, text: string): Promise<string> {
  html = text;
  const page = await opened.browser.newPage();
  await page.goto(url);
  await page.locator('#price:not(:empty)').waitFor();
  const shown = await page.locator('#price').innerText();
  await page.close();
  return shown;
}

it('a web page on the allowed origin shows a price, and a page on another origin shows why it cannot', async () => {
  await createKey({ origins: origin });
  expect(await buttons('Purpose'), 'only pages send an origin').toEqual(['Web page']);
  await dialog().getByText(`The code works only in web pages on ${origin}.`).waitFor();
  const text = await copied('Web page');
  expect(await shownOn(origin, text)).toMatch(/^Bitcoin: [\d.]+ USD$/);
  await here.page.getByRole('button', { name: 'I have saved it' }).click();

  await createKey({ origins: 'https://shop.example' });
  expect(await shownOn(origin, await copied('Web page'))).toBe('Origin not allowed');
});

it('the client of a wallet reads the balances of an address', async () => {
  await createKey({ scopes: ['Use the node'] });
  expect(await buttons('Purpose')).toEqual(['Server', 'Wallet', 'AI agent']);
  expect(JSON.parse(await run('sh', '-c', await copied('curl')))).toHaveProperty('block');
  const [account] = opened.service.sandbox.chain.accounts;
  const program = (await copied('Wallet')).replace('YOUR_ADDRESS', String(account?.address));
  await writeFile(join(folder, 'wallet.mjs'), program);
  expect(await run(process.execPath, 'wallet.mjs')).toMatch(/denom: '\w+', amount: '\d+'/);
});

type Configuration = { mcpServers: Record<string, { type: string; url: string; headers: Record<string, string> }> };

async function toolsOf(url: string, headers: Record<string, string>) {
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

it('an AI agent connects with the JSON and with the command', async () => {
  await createKey();
  const { mcpServers } = JSON.parse(await copied('AI agent', 'JSON')) as Configuration;
  const { type, url, headers } = mcpServers.quotient as Configuration['mcpServers'][string];
  expect(type).toBe('http');
  const found = await toolsOf(url, headers);
  expect(found).toEqual({ isError: false, names: expect.arrayContaining(['list_tokens', 'get_latest_prices']) });

  const command = await copied('Claude Code');
  const words = (await run('sh', '-c', `claude() { printf '%s\\n' "$@"; }\n${command}`)).trimEnd().split('\n');
  expect(words.slice(0, 5)).toEqual(['mcp', 'add', '--transport', 'http', 'quotient']);
  const [target, option, header] = words.slice(5);
  expect([target, option]).toEqual([url, '--header']);
  const [name = '', value = ''] = String(header).split(': ');
  expect(await toolsOf(String(target), { [name]: value })).toEqual(found);
});

it('the code for a listed key contains a placeholder, and none for pages with the owner key', async () => {
  await createKey({ scopes: ['Read prices', 'Use the node'] });
  const key = await here.page.locator('#new-key-text').innerText();
  await here.page.getByRole('button', { name: 'I have saved it' }).click();
  await here.page.getByRole('button', { name: 'Code for Shop' }).click();
  await dialog().getByRole('heading', { name: 'Code for Shop' }).waitFor();
  expect(await buttons('Purpose')).toEqual(['Server', 'Web page', 'Wallet', 'AI agent']);
  for (const purpose of ['Server', 'Web page', 'Wallet', 'AI agent']) {
    await dialog().getByRole('button', { name: purpose, exact: true }).click();
    expect(await code(), purpose).toContain('YOUR_API_KEY');
  }
  expect(await here.page.content()).not.toContain(key);
  await here.page.keyboard.press('Escape');

  await here.page.getByRole('button', { name: 'Code for Owner key' }).click();
  expect(await buttons('Purpose')).toEqual(['Server']);
});
