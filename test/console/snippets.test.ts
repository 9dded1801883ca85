import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type ApiCall, hasCsv, requestOf } from '#console/api/api-call';
import { masked, snippet } from '#console/api/snippets';

const KEY = 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';
const BASE = 'http://127.0.0.1:8080/market';

const CALLS: ApiCall[] = [
  { kind: 'latest', token: 'bitcoin' },
  { kind: 'days', token: 'usd-coin', days: 30 },
  { kind: 'range', token: 'solana', from: '2026-01-01', thru: '2026-02-01' },
  { kind: 'statistics', token: 'eth' },
  { kind: 'usage' },
];

/** What a shell makes of a command: its words. */
async function words(command: string): Promise<string[]> {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  return (await promisify(execFile)('sh', ['-c', script])).stdout.trimEnd().split('\n');
}

it.each(CALLS)('writes a command line that a shell reads as it is meant: $kind', async (call) => {
  expect(await words(snippet(call, 'curl', BASE, KEY))).toEqual([
    '-H',
    `X-API-KEY: ${KEY}`,
    BASE + requestOf(call).path,
  ]);
});

it('asks for CSV where there is some', async () => {
  expect(CALLS.filter(hasCsv).map(({ kind }) => kind)).toEqual(['days', 'range']);
  const [, , , accept] = await words(snippet(CALLS[1] as ApiCall, 'csv', BASE, KEY));
  expect(accept).toBe('Accept: text/csv');
});

it('cannot be led astray by what stands in a quote', async () => {
  expect(await words(snippet({ kind: 'usage' }, 'curl', BASE, "a'; exit 1; '"))).toContain(
    "X-API-KEY: a'; exit 1; '",
  );
});

it('masks most of a key, and names it by its ends', () => {
  expect(masked(KEY)).toBe('qt_EXA••••••••000');
  expect(snippet({ kind: 'usage' }, 'client', BASE, masked(KEY))).not.toContain(KEY);
});
