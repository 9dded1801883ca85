import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { createCandleImport } from '#prices/candles/candle-import';
import { createCandleStore } from '#prices/candles/candle-store';
import { intervalOf, openCandleFile } from '#prices/imports/candle-file';
import type { BadLine } from '#prices/imports/csv-file';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

const NOW = '2026-05-15T14:42:25.300Z';
const BEGIN = Date.parse('2020-01-01T00:00:00Z');
let opened: TestMarket;
let directory: string;
beforeEach(async () => {
  opened = await openTestMarket(createTestClock(NOW));
  directory = await mkdtemp(join(tmpdir(), 'quotient-candles-'));
});
afterEach(async () => {
  await opened.close();
  await rm(directory, { recursive: true });
});

const line = (at: number, changes: Partial<Record<number, string | number>> = {}) =>
  Object.assign([at / 1000, '100.5', '110', '90.25', '105', '12.00000001', 7], changes).join(',');
const lines = (count: number, length: number, from = BEGIN) =>
  Array.from({ length: count }, (_, i) => line(from + i * length));

async function fileOf(text: string | readonly string[]) {
  const path = join(directory, 'candles.csv');
  await writeFile(path, typeof text === 'string' ? text : `${text.join('\n')}\n`);
  return openCandleFile(path);
}

/** Imports a file as the command does. */
async function imported(
  text: string | readonly string[],
  { interval, allowHoles = false }: { interval?: 'minute' | 'hour' | 'day'; allowHoles?: boolean } = {},
) {
  const store = createCandleStore(opened.database.prisma);
  const importer = createCandleImport({ store, clock: createTestClock(NOW) });
  const file = await fileOf(text);
  const found = interval ?? (await intervalOf(file));
  if (typeof found === 'object') return { bad: [found] };
  const options = { token: 'bitcoin', source: 'kraken', interval: found, allowHoles } as const;
  const bad: BadLine[] = [];
  if ((await importer.check(file, options, (one) => bad.push(one))).bad > 0) return { bad };
  return { interval: found, ...(await importer.run(file, options)) };
}

const rows = () => opened.database.prisma.candle.findMany({ orderBy: { at: 'asc' } });

describe('a file from Kraken', () => {
  test.each([
    ['minute', 5 * MINUTE],
    ['hour', HOUR],
    ['day', DAY],
  ] as const)('with candles of a %s is recognised by their distance, and stored exactly', async (interval, length) => {
    expect(await imported(lines(3, length))).toEqual({ interval, count: 3, added: 0, stored: 3 });
    const stored = await rows();
    expect(stored[1]).toEqual({
      ...{
        token: 'bitcoin',
        interval,
        at: new Date(BEGIN + length),
        source: 'kraken',
        final: true,
      },
      ...{ open: 100.5, high: 110, low: 90.25, close: 105, volume: 12.00000001 },
    });
    expect(stored).toHaveLength(3);
  });

  test('is served as soon as the processes poll, even before the listing, without a gap', async () => {
    const from = Date.parse('2012-01-01T00:00:00Z');
    await imported(lines(400, DAY, from));
    const other = await opened.anotherCandles();
    const response = await other.range('bitcoin', 'daily', from, from + 9 * DAY, 'json');
    expect(JSON.parse(String(response.body.identity.payload))).toHaveLength(10);
    expect(response).toMatchObject({ gaps: [], isImmutable: true });
    expect(opened.sandbox.countCalls('/OHLC')).toBe(0);
  });

  test('changes no final candle, and can be imported again', async () => {
    await imported(lines(3, HOUR));
    const other = [line(BEGIN, { 4: '99' }), ...lines(3, HOUR).slice(1), line(BEGIN + 3 * HOUR)];
    expect(await imported(other)).toEqual({ interval: 'hour', count: 4, added: 0, stored: 1 });
    expect((await rows()).map(({ close }) => close)).toEqual([105, 105, 105, 105]);
  });

  test('with thousands of lines is stored in one transaction', async () => {
    expect(await imported(lines(4500, HOUR))).toEqual({ interval: 'hour', count: 4500, added: 0, stored: 4500 });
    expect(await rows()).toHaveLength(4500);
  });

  test('with old five-minute candles is served completely from the database', async () => {
    await imported(lines(2500, 5 * MINUTE));
    const response = await opened.candles.range('bitcoin', 'minute', BEGIN, BEGIN + 8 * DAY, 'json');
    const candles = JSON.parse(String(response.body.identity.payload)) as { date: string }[];
    expect(candles).toHaveLength(2500);
    expect(candles.map(({ date }) => Date.parse(date))).toEqual(
      Array.from({ length: 2500 }, (_, i) => BEGIN + i * 5 * MINUTE),
    );
    const day = await opened.candles.range('bitcoin', 'minute', BEGIN + DAY, BEGIN + DAY, 'csv');
    expect(String(day.body.identity.payload).trimEnd().split('\r\n')).toHaveLength(1 + 288);
  });

  test('can lack candles without trades if this is allowed, which are then stored at the last close', async () => {
    const holed = lines(10, HOUR).filter((_, i) => i !== 4 && i !== 5);
    expect(await imported(holed, { allowHoles: true })).toEqual({ interval: 'hour', count: 8, added: 2, stored: 10 });
    const other = await opened.anotherCandles();
    const response = await other.range('bitcoin', 'hourly', BEGIN, BEGIN, 'json');
    expect(response.gaps).toEqual(['2020-01-01T10:00:00.000Z/2020-01-01T23:59:59.999Z']);
    const stored = await rows();
    const { close = 0 } = stored[3] ?? {};
    const quiet = { open: close, high: close, low: close, close, volume: 0 };
    expect(stored.slice(4, 6)).toMatchObject([quiet, quiet]);
  });
});

const hour = (i: number) => BEGIN + i * HOUR;
const [first, second, third] = lines(3, HOUR) as [string, string, string];

test.each<[string, readonly string[], BadLine]>([
  [
    'a hole',
    [first, second, line(hour(4))],
    { line: 3, fault: '2 candle(s) before this line are missing, from 2020-01-01T02:00:00.000Z' },
  ],
  ['a duplicate time', [first, second, second], { line: 3, fault: 'has the same time as line 2' }],
  ['lines in another order', [second, third, first], { line: 3, fault: 'is earlier than line 2' }],
  [
    'a missing column',
    [first, '1577840400,1,1,1,1,1'],
    {
      line: 2,
      fault: 'has 6 columns instead of 7 (timestamp,open,high,low,close,volume,trades)',
    },
  ],
  [
    'milliseconds',
    [`${BEGIN},1,1,1,1,1,1`],
    { line: 1, fault: 'timestamp is in milliseconds, but must be in Unix seconds' },
  ],
  [
    'an unknown header',
    ['a,b,c,d,e,f,g', first],
    {
      line: 1,
      fault:
        'timestamp must be an integer in Unix seconds, or a time in UTC (without a header, the columns must be timestamp,open,high,low,close,volume,trades)',
    },
  ],
  [
    'an ambiguous date as its time',
    [first, '01/02/2020,1,1,1,1,1,1'],
    { line: 2, fault: 'timestamp must be an integer in Unix seconds, or a time in UTC' },
  ],
  ['a word', [first, line(hour(1), { 2: 'high' })], { line: 2, fault: 'high must be a number of at least 0' }],
  ['no volume', [first, line(hour(1), { 5: '' })], { line: 2, fault: 'volume must be a number of at least 0' }],
  ['a negative volume', [first, line(hour(1), { 5: -1 })], { line: 2, fault: 'volume must be a number of at least 0' }],
  ['a price of 0', [first, line(hour(1), { 3: 0 })], { line: 2, fault: 'low must be above 0' }],
  ['a wrong low', [first, line(hour(1), { 3: 101 })], { line: 2, fault: 'low must be the lowest price' }],
  ['a wrong high', [first, line(hour(1), { 2: 104 })], { line: 2, fault: 'high must be the highest price' }],
  [
    'a candle off its boundary',
    [first, second, line(hour(2) + 5 * MINUTE)],
    { line: 3, fault: 'must start on a boundary of an hour' },
  ],
  [
    'a current candle',
    lines(2, HOUR, Date.parse('2026-05-15T13:00:00Z')),
    { line: 2, fault: 'is not finished yet, or is in the future' },
  ],
])('a file with %s is rejected with its line number, and nothing is stored', async (_what, text, bad) => {
  const interval = text[0]?.startsWith('15778') ? 'hour' : undefined;
  expect(await imported(text, { ...(interval && { interval }) })).toEqual({ bad: [bad] });
  expect(await rows()).toEqual([]);
});

test.each([
  ['of one minute', lines(3, MINUTE), 2, /^is 60 s after the previous line/],
  ['of a single line', lines(1, HOUR), 1, /^is the only line/],
])('candles %s have no known interval', async (_what, text, line, fault) => {
  expect(await imported(text)).toEqual({ bad: [{ line, fault: expect.stringMatching(fault) }] });
});
