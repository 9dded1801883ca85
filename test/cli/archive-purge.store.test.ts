import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeServedDirectory, runHere } from './run-command.ts';

const SAMPLE = new URL('../samples/export.csv', import.meta.url).pathname;

let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
const archive = (...args: string[]) => runHere('archive', args, { DATA_DIR: directory.dataDir });

beforeAll(async () => {
  directory = await makeServedDirectory();
});
afterAll(() => directory.remove());

it("deletes a source's data, before a date or entirely, and reports the amounts", async () => {
  await archive('import', 'ethereum', SAMPLE);
  expect(await archive('purge', '--source', 'kraken')).toEqual({
    code: 0,
    stdout: 'kraken: 0 points, 0 candles, 0 latest prices and 0 coverage entries deleted in total\n',
    stderr: '',
  });
  expect((await archive('purge', '--source', 'coingecko', '--before', '2016-02-28')).stdout).toBe(
    'ethereum: 1 points, 0 candles, 0 latest prices and 1 coverage entries deleted\n' +
      'coingecko: 1 points, 0 candles, 0 latest prices and 1 coverage entries deleted in total\n',
  );
  const { stdout } = await archive('status', '--json');
  const days = JSON.parse(stdout).find(
    (row: Record<string, string>) => row.token === 'ethereum' && row.interval === 'day',
  );
  expect(days).toMatchObject({
    source: 'coingecko',
    points: 2,
    spans: [{ from: '2016-02-28T00:00:00.000Z', thru: '2016-03-01T23:59:59.999Z' }],
  });
  expect((await archive('purge', '--source', 'coingecko')).stdout).toContain('coingecko: 2 points, 0 candles');
  expect((await archive('purge', '--source', 'coingecko')).stdout).toContain('coingecko: 0 points, 0 candles');
});

const ARGUMENTS = '--source <coingecko|kraken|coinbase> [--before <YYYY-MM-DD>]';
const HINT = '(see `quotient archive purge --help`)\n';

it.each([
  [['--source', 'unknown'], `--source must be one of coingecko, kraken, coinbase ${HINT}`],
  [[], `--source <coingecko|kraken|coinbase> is missing: the command requires ${ARGUMENTS} ${HINT}`],
  [
    ['--source', 'kraken', '--before', '31-12-2025'],
    `--before must be a date such as 2025-01-31, and not in the future ${HINT}`,
  ],
  [
    ['--source', 'kraken', '--before', '2025-02-29'],
    `--before must be a date such as 2025-01-31, and not in the future ${HINT}`,
  ],
  [
    ['--source', 'kraken', '--before', '9999-01-01'],
    `--before must be a date such as 2025-01-31, and not in the future ${HINT}`,
  ],
  [
    ['--source', 'kraken', 'bitcoin'],
    `1 unexpected argument: the command accepts ${ARGUMENTS}; quote values that contain spaces ${HINT}`,
  ],
])('%j is rejected with a one-line error', async (args, stderr) => {
  expect(await archive('purge', ...args)).toEqual({ code: 2, stdout: '', stderr });
});
