import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { daysCall, latestCall, rangeCall, statisticsCall, usageCall } from '#console/api/api-call';
import { masked, snippet } from '#console/api/snippets';

const KEY = 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';
const BASE = 'http://127.0.0.1:8080/market';

const CALLS = [
  latestCall('bitcoin'),
  daysCall('usd-coin', 30),
  rangeCall('solana', '2026-01-01', '2026-02-01'),
  statisticsCall('eth'),
  usageCall,
];

/** What a shell makes of a command: its words. */
async function words(command: string): Promise<string[]> {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  return (await promisify(execFile)('sh', ['-c', script])).stdout.trimEnd().split('\n');
}

it.each(CALLS)('writes a command line that a shell reads as it is meant: $path', async (call) => {
  expect(await words(snippet(call, 'curl', BASE, KEY))).toEqual([
    '-H',
    `X-API-KEY: ${KEY}`,
    BASE + call.path,
  ]);
});

it('asks for CSV where there is some', async () => {
  expect(CALLS.filter(({ hasCsv }) => hasCsv)).toEqual([CALLS[1], CALLS[2]]);
  const [, , , accept] = await words(snippet(daysCall('solana', 7), 'csv', BASE, KEY));
  expect(accept).toBe('Accept: text/csv');
});

it('cannot be led astray by what stands in a quote', async () => {
  expect(await words(snippet(usageCall, 'curl', BASE, "a'; exit 1; '"))).toContain(
    "X-API-KEY: a'; exit 1; '",
  );
});

it('masks most of a key, and names it by its ends', () => {
  expect(masked(KEY)).toBe('qt_EXA••••••••000');
  expect(snippet(usageCall, 'client', BASE, masked(KEY))).not.toContain(KEY);
});
