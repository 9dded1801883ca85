import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeServedDirectory, runHere, runProcess } from './run-command.ts';

let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
const archive = (...args: string[]) => runHere('archive', args, { DATA_DIR: directory.dataDir });
const importCandles = (...args: string[]) => archive('import-candles', ...args);

beforeAll(async () => {
  directory = await makeServedDirectory();
});
afterAll(() => directory.remove());

async function fileOf(...lines: string[]): Promise<string> {
  const path = join(directory.path, 'candles.csv');
  await writeFile(path, lines.join('\n'));
  return path;
}
const [FIRST, SECOND, FIFTH] = [1577836800, 1577840400, 1577851200].map(
  (time) => `${time},7200.1,7210,7190.5,7205,12.5,310`,
) as [string, string, string];

it('archive import-candles reports its work, and keeps existing candles when repeated', async () => {
  const path = await fileOf(FIRST, SECOND);
  const stderr = expect.stringMatching(/^bitcoin: neither [^\n]* USD\n$/);
  const received = (counts: string) => ({ code: 0, stdout: `bitcoin: 2 candles read: ${counts}\n`, stderr });
  expect(await importCandles('bitcoin', path)).toEqual(received('2 stored, 0 skipped (already settled)'));
  expect(await importCandles('Bitcoin', path, '--interval', 'hourly')).toEqual(
    received('0 stored, 2 skipped (already settled)'),
  );
});

it('archive import-candles imports nothing from a file with a gap, unless gaps are allowed', async () => {
  const path = await fileOf(FIRST, SECOND, FIFTH);
  expect(await importCandles('ethereum', path)).toEqual({
    code: 1,
    stdout: 'ethereum: nothing was imported, because the file has 1 invalid line(s)\n',
    stderr: 'line 3: 2 candle(s) before this line are missing, from 2020-01-01T02:00:00.000Z\n',
  });
  const { code, stdout } = await importCandles('ethereum', path, '--holes');
  expect([code, stdout]).toEqual([
    0,
    'ethereum: 3 candles read, 2 added without trades: 5 stored, 0 skipped (already settled)\n',
  ]);
});

it('archive status shows candles in a separate table, and archive purge counts them', async () => {
  await importCandles('solana', await fileOf(FIRST, SECOND));
  const { stdout } = await archive('status');
  const [, table = ''] = stdout.split('\n\n');
  const [heading, ...rows] = table.trimEnd().split('\n');
  expect(heading).toMatch(/^token +interval +source +candles +first +last +spans +gaps$/);
  const solana = rows.findIndex((row) => row.startsWith('solana'));
  expect(rows[solana]).toMatch(
    /^solana +hour +kraken +2 +2020-01-01T00:00Z +2020-01-01T01:00Z +2020-01-01T00:00Z\/2020-01-01T01:59Z +2020-01-01T02:00Z\//,
  );
  const status = JSON.parse((await archive('status', '--json')).stdout) as Record<string, unknown>[];
  expect(status.filter((row) => 'candles' in row && row.token === 'solana')).toEqual([
    {
      token: 'solana',
      interval: 'hour',
      source: 'kraken',
      candles: 2,
      first: '2020-01-01T00:00:00.000Z',
      last: '2020-01-01T01:00:00.000Z',
      spans: [{ from: '2020-01-01T00:00:00.000Z', thru: '2020-01-01T01:59:59.999Z' }],
      gaps: [{ from: '2020-01-01T02:00:00.000Z', thru: expect.any(String) }],
    },
  ]);
  expect((await archive('purge', '--source', 'kraken')).stdout).toContain(
    'solana: 0 points, 2 candles, 0 latest prices and 1 coverage entries deleted\n',
  );
  expect((await archive('status')).stdout).toMatch(/\n\nno candles\n$/);
});

it('archive import-candles runs in a small heap, because V8 lets a larger one grow', async () => {
  const report = `import { getHeapStatistics } from 'node:v8';
    process.on('exit', () => console.error('heap ' + getHeapStatistics().heap_size_limit));`;
  const { code, stderr } = await runProcess('archive', ['import-candles', 'arweave', await fileOf(FIRST, SECOND)], {
    DATA_DIR: directory.dataDir,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}`,
  });
  const [heap = Number.NaN] = [...stderr.matchAll(/^heap (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  expect([code, heap < 200 * 2 ** 20]).toEqual([0, true]);
});

it.each([
  [['bitcoin', 'file.csv', '--interval', 'weekly'], /^--interval must be one of minute, hourly, daily/],
  [['bitcoin', '/nowhere/at/all.csv'], /^\/nowhere\/at\/all\.csv does not exist/],
])('archive import-candles %j is rejected as wrong usage', async (args, message) => {
  const { code, stdout, stderr } = await importCandles(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});
