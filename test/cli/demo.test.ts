import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeDirectory, runProcess, startCommand } from './run-command.ts';

// Each command is a process that opens a database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => directory.remove());

const CURL = /^ {2}curl -H 'X-API-KEY: ([^']+)' '([^']+)'$/gm;

/** The output during the start. */
const STEPS = [
  'Starting simulated data sources and a simulated blockchain …',
  'Port 8080 is in use. Using a free port …',
  'Opening an embedded PostgreSQL database, which takes a few seconds …',
  'Starting the service …',
  'Fetching a day of synthetic prices …',
  '',
];

/** The source of each token's statistics. The sources of two chains require a key. */
const SOURCES = { btc: 'cryptocompare', eth: 'cryptocompare', ar: 'arweave-node', sol: 'solana-rpc' };

it('serves the URLs that it prints, and leaves no files behind', async () => {
  // The test also works if the port is already in use.
  const usualPort = createServer().listen(8080, '127.0.0.1');
  await once(usualPort, 'listening').catch((error) => expect(error.code).toBe('EADDRINUSE'));
  const demo = startCommand('demo', [], { TMPDIR: directory.path });
  await demo.until('stdout', /Ctrl-C/);
  expect(await readdir(directory.path)).toHaveLength(1);
  expect(demo.output.stdout.split('\n').slice(0, STEPS.length)).toEqual(STEPS);
  expect(demo.output.stdout).toContain('ALL DATA IS SYNTHETIC');
  const docs = /http:\S+\/docs/.exec(demo.output.stdout)?.[0] ?? '';
  expect(new URL(docs).port).not.toBe('8080');
  expect((await fetch(docs)).status).toBe(200);
  const page = /Console: +(http:\S+\/)$/m.exec(demo.output.stdout)?.[1] ?? '';
  expect(await (await fetch(page)).text()).toContain('<title>Quotient</title>');

  const [, operatorPage = '', token = ''] =
    /Operator's page: +(http:\S+\/)\n +Admin token: +(\S+)$/m.exec(demo.output.stdout) ?? [];
  expect(await (await fetch(operatorPage)).text()).toContain('<title>Quotient operator</title>');
  const administered = await fetch(`${operatorPage}admin/v1/users`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(await administered.json()).toMatchObject({ items: [{ name: 'Demo' }] });

  const calls = [...demo.output.stdout.matchAll(CURL)];
  expect(calls.map(([, , url]) => new URL(url ?? '').pathname)).toEqual([
    '/v1/prices/latest/token',
    '/v1/prices/latest/stats',
    '/v1/prices/history/days',
    '/v1/prices/history/date/range',
    expect.stringMatching(/^\/v1\/node\/bank\/balances\/cosmos1\w+$/),
  ]);
  for (const [i, [, key = '', url = '']] of calls.entries()) {
    const response = await fetch(url, { headers: { 'X-API-KEY': key } });
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, Object.keys(body).length > 0]).toEqual([200, true]);
    // The demo prints the response of the first call.
    const printed = /^ {2}(\{.+\})$/m.exec(demo.output.stdout)?.[1] ?? '';
    if (i === 0) expect(Object.keys(JSON.parse(printed))).toEqual(Object.keys(body));
  }

  const { origin } = new URL(docs);
  expect(await (await fetch(`${origin}/v1/announcement`)).json()).toMatchObject({
    text: expect.stringMatching(/^Synthetic data/),
  });
  const [, key = '', ofAccount = ''] = calls.at(-1) ?? [];
  const balances = await fetch(ofAccount, { headers: { 'X-API-KEY': key } });
  expect(await balances.json()).toMatchObject({
    result: [{ denom: 'uatom', amount: '1000000000000' }, {}],
  });
  const [, explorer = ''] = /^<(\S+)>/.exec(balances.headers.get('link') ?? '') ?? [];
  expect((await fetch(explorer)).status).toBe(200);

  const created = await fetch(`${origin}/v1/user/keys?label=sheet&url=true&scopes=prices&dailyLimit=9`, {
    method: 'POST',
    headers: { 'X-API-KEY': key },
  });
  const { url: below } = (await created.json()) as { url: string };
  expect((await fetch(`${below}/v1/tokens`)).status).toBe(200);

  type Listed = { tokenName: string; change_24h: number | null };
  const tokens = (await (await fetch(`${origin}/v1/tokens`)).json()) as Listed[];
  const names = tokens.map(({ tokenName }) => tokenName);
  const latest = await fetch(`${origin}/v1/prices/latest/tokens?tokenNames=${names.join()}`, {
    headers: { 'X-API-KEY': key },
  });
  const changes = ((await latest.json()) as Listed[]).map(({ tokenName, change_24h }) => [
    tokenName,
    typeof change_24h,
  ]);
  expect(changes).toEqual(names.map((name) => [name, 'number']));

  for (const [token, source] of Object.entries(SOURCES)) {
    for (const name of [token, token.toUpperCase()]) {
      const headers = { 'X-API-KEY': calls[0]?.[1] ?? '' };
      const response = await fetch(`${origin}/v1/prices/latest/stats?token=${name}`, { headers });
      const { symbol } = (await response.json()) as { symbol: string };
      expect([symbol, response.headers.get('quotient-source')]).toEqual([token.toUpperCase(), source]);
    }
  }

  const recover = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const email = /-d '(\{"email".*?\})' '(\S+)'/.exec(demo.output.stdout) ?? [];
  expect((await fetch(email[2] ?? '', { ...recover, body: email[1] ?? '' })).status).toBe(202);
  await demo.until('stdout', /recover\/confirm/);
  expect(demo.output.stdout).toContain(`\n${origin}/#recover=`);
  const [, body = '', confirm = ''] = /-d '(\{"token".*?\})' (\S+)/.exec(demo.output.stdout) ?? [];
  expect((await fetch(confirm, { ...recover, body })).status).toBe(200);

  demo.kill('SIGTERM');
  demo.kill('SIGTERM'); // as npm does
  expect(await demo.ended()).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(directory.path)).toEqual([]);
  await expect(fetch(docs)).rejects.toThrow();
  usualPort.close();
});

it('reports in one line that the temporary directory cannot be written', async () => {
  const { code, stderr } = await runProcess('demo', [], { TMPDIR: '/nowhere/at/all' });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^\/nowhere\/at\/all [^\n]*TMPDIR[^\n]*\n$/)]);
});

it('prints its usage, and accepts only its options', async () => {
  expect(await runProcess('demo', ['--help'], {})).toMatchObject({ code: 0, stderr: '' });
  expect(await runProcess('demo', ['now'], {})).toEqual({
    code: 2,
    stdout: '',
    stderr:
      '1 unexpected argument: the command accepts [--node <cosmos|legacy>] [--keep]; quote values that contain spaces (see `quotient demo --help`)\n',
  });
  expect(await runProcess('demo', ['--node', 'old'], {})).toEqual({
    code: 2,
    stdout: '',
    stderr: '--node must be cosmos or legacy (see `quotient demo --help`)\n',
  });
});
