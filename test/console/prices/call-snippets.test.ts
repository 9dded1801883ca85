import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { QuotientClient } from '#client/index';
import { masked, snippet } from '#console/api/answer-text';
import { candlesCall, daysCall, latestPricesCall, rangeCall, statisticsCall, usageCall } from '#console/api/api-call';

const KEY = 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';
const BASE = 'http://127.0.0.1:8080/market';

const CALLS = [
  latestPricesCall(['bitcoin', 'usd-coin'], 'usd'),
  daysCall('usd-coin', 30, 'eur'),
  rangeCall('solana', { from: '2026-01-01', thru: '2026-02-01', interval: 'daily' }, 'usd'),
  candlesCall('solana', { from: '2026-01-01', thru: '2026-02-01', interval: 'hourly' }, 'btc'),
  statisticsCall('eth'),
  usageCall,
];

/** The arguments of a command, as a shell splits it. */
async function words(command: string): Promise<string[]> {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  return (await promisify(execFile)('sh', ['-c', script])).stdout.trimEnd().split('\n');
}

it.each(CALLS)('writes a curl command that a shell parses correctly: $path', async (call) => {
  expect(await words(snippet(call, 'curl', BASE, KEY))).toEqual(['-H', `X-API-KEY: ${KEY}`, BASE + call.path]);
});

it('requests CSV for the calls that support it', async () => {
  expect(CALLS.filter(({ hasCsv }) => hasCsv)).toEqual([CALLS[1], CALLS[2], CALLS[3]]);
  const [, , , accept] = await words(snippet(daysCall('solana', 7, 'usd'), 'csv', BASE, KEY));
  expect(accept).toBe('Accept: text/csv');
});

it('escapes quotes in a curl command', async () => {
  expect(await words(snippet(usageCall, 'curl', BASE, "a'; exit 1; '"))).toContain("X-API-KEY: a'; exit 1; '");
});

it.each(CALLS)('writes a JavaScript program that sends the call and prints the response: $path', async (call) => {
  const sent: unknown[] = [];
  const shown: unknown[] = [];
  const fetch = async (url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push([url, headers['X-API-KEY']]);
    return { json: async () => 'response' };
  };
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  const program = new AsyncFunction('fetch', 'console', snippet(call, 'javascript', BASE, KEY));
  await program(fetch, { log: (one: unknown) => shown.push(one) });
  expect([sent, shown]).toEqual([[[BASE + call.path, KEY]], ['response']]);
});

it.each(CALLS)('writes a Python program: $path', (call) => {
  const program = snippet(call, 'python', BASE, KEY);
  expect(program).toContain(`\n    "${BASE}${call.path}",\n    headers={"X-API-KEY": "${KEY}"},\n`);
  expect(snippet(call, 'python', BASE, 'a"\n\\')).toContain('"X-API-KEY": "a\\"\\n\\\\"}');
});

it('masks a key except for its ends', () => {
  expect(masked(KEY)).toBe('qt_EXA••••••••000');
  expect(snippet(usageCall, 'client', BASE, masked(KEY))).not.toContain(KEY);
});

it('has the paths that the client requests', async () => {
  const sent: string[] = [];
  const client = new QuotientClient({
    baseUrl: BASE,
    apiKey: KEY,
    retries: 0,
    fetch: (url) => {
      sent.push(decodeURIComponent(url));
      return Promise.reject(new Error('nothing is sent'));
    },
  });
  for (const call of CALLS) await expect(call.send(client)).rejects.toThrow();
  const parts = (url: string) => [url.split('?')[0], new Set(url.split(/[?&]/).slice(1))];
  expect(sent.map(parts)).toEqual(CALLS.map(({ path }) => parts(BASE + path)));
});
