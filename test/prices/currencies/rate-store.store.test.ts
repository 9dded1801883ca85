import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import { createRateStore, type RateStore } from '#prices/currencies/rate-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const at = (date: string) => Date.parse(date);
const NOW = at('2026-05-15T14:10:06Z');
let database: TestDatabase;
let store: RateStore;
beforeEach(async () => {
  database = await openTestDatabase();
  store = createRateStore(database.prisma);
});
afterEach(() => database?.close());

const rate = (currency: string, date: string, value: number) => ({ currency, date: at(date), rate: value });

test('rates are stored with the requested span, and read by currency', async () => {
  expect(await store.from()).toBeUndefined();
  const received = [
    rate('usd', '2026-05-14', 1.1275),
    rate('usd', '2026-05-13', 1.1302),
    rate('jpy', '2026-05-13', 171.25),
  ];
  await store.record('rates', received, at('2026-05-12'), NOW);
  expect(await store.from()).toBe(at('2026-05-12'));
  expect(await store.rates('usd', NOW)).toEqual([
    [at('2026-05-13'), 1.1302],
    [at('2026-05-14'), 1.1275],
  ]);
  expect(await store.rates('jpy', NOW)).toEqual([[at('2026-05-13'), 171.25]]);
  expect(await store.rates('chf', NOW)).toEqual([]);
  const row = await database.prisma.refresh.findUnique({ where: { what: 'rates' } });
  expect(row).toMatchObject({ version: 1, fetchedAt: new Date(NOW) });
});

test('a stored rate is unchanged, and a span grows', async () => {
  await store.record('rates', [rate('usd', '2026-05-13', 1.1302)], at('2026-01-01'), NOW);
  await store.record('rates', [rate('usd', '2026-05-13', 2), rate('usd', '2026-05-14', 3)], at('2026-05-14'), NOW);
  await store.record('rates', [rate('jpy', '2026-05-13', 170)], at('2025-01-01'), NOW);
  expect(await store.rates('jpy', NOW)).toEqual([[at('2026-05-13'), 170]]);
  expect(await store.from()).toBe(at('2025-01-01'));
  expect((await store.rates('usd', NOW)).map(([, value]) => value)).toEqual([1.1302, 3]);
});

test('the rates of many years are stored in one transaction', async () => {
  const dates = Array.from({ length: 4600 }, (_, i) => NOW - (i + 1) * DAY);
  const received = ['aud', 'jpy', 'usd'].flatMap((currency) =>
    dates.map((date, i) => ({ currency, date: date - (date % DAY), rate: 1 + i / 7 })),
  );
  await store.record('rates', received, dates.at(-1) as number, NOW);
  const usd = await store.rates('usd', NOW);
  expect(usd).toHaveLength(4600);
  expect(usd.at(-1)?.[1]).toBe(1);
  expect(usd[0]?.[1]).toBe(1 + 4599 / 7);
});

test('implausible rates are not read', async () => {
  await database.prisma.$executeRaw`INSERT INTO exchange_rates (date, rates) VALUES
    ('2026-05-11', '{"usd": 0}'), ('2026-05-12', '{"usd": "NaN"}'), ('2026-05-13', '{"usd": -1.5}'),
    ('2026-05-14', '{"usd": 1.1}'), ('2026-05-15', '{"jpy": 170}'), ('2026-05-16', '{"usd": 1.2}')`;
  expect(await store.rates('usd', NOW)).toEqual([[at('2026-05-14'), 1.1]]);
});
