import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, isoDate, MINUTE } from '#core/clock';
import { repeatRequest } from '../../bench/calls/hostile/attacks.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

const DAYS = 365;
const now = Date.now();
const ago = (days: number) => isoDate(now - days * DAY);

let stand: Stand;
let apiKey: string;
beforeAll(async () => {
  stand = await openStand({
    // One token's five-minute points of a year, without gaps.
    prepare: async ({ prisma }) => {
      const end = Math.floor(now / DAY) * DAY - MINUTE;
      const [from, thru] = [end - DAYS * DAY, end].map((at) => new Date(at).toISOString());
      await prisma.$executeRawUnsafe(
        `INSERT INTO point (token, "interval", at, price, market_cap, volume, final, source, provisional)
         SELECT 'bitcoin', 'minute', at, 20000 + random() * 1000, 4e11 + random() * 1e9, 1e10 + random() * 1e8, true, 'coingecko', false
         FROM generate_series('${from}'::timestamptz, '${thru}'::timestamptz, '5 minutes') at`,
      );
      await prisma.$executeRawUnsafe(
        `INSERT INTO point_coverage (token, "interval", source, "from", thru) VALUES ('bitcoin', 'minute', 'coingecko', '${from}', '${thru}')`,
      );
    },
  });
  apiKey = await stand.register();
  // Keeps a year and its latest response bodies in memory before the measurement.
  await repeatRequest({ url: stand.url(), apiKey }, { path: windows(300), connections: 2, ms: 4_000 });
}, 60_000);
afterAll(() => stand?.close());

/** Windows that differ by a day, so that none is cached. */
function windows(first = 0) {
  let next = first;
  return () =>
    `/v1/prices/history/date/range?tokenName=bitcoin&interval=minute&fromDate=${ago(DAYS - 10 - (next++ % 340))}&thruDate=${ago(2)}`;
}

it.each([
  ['on 8 connections', 8],
  ['on 50 connections', 50],
])('uncached windows of a year of five-minute points, %s with one key', async (_name, connections) => {
  const attack = { path: windows(), connections, ms: 2 * ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url(), apiKey }, attack));
  expect(Object.keys(result).filter((kind) => !['200', '503 overloaded'].includes(kind))).toEqual([]);
  expect(result['200']).toBeGreaterThan(0);
});

it('a user’s long windows delay another user’s short window only briefly', async () => {
  const others = await stand.register();
  const { result } = await stand.attacked(async () => {
    const attack = repeatRequest({ url: stand.url(), apiKey }, { path: windows(), connections: 20, ms: 4_000 });
    const times: number[] = [];
    for (let days = 11; days < 31; days++) {
      const short = `/v1/prices/history/date/range?tokenName=bitcoin&fromDate=${ago(days)}&thruDate=${ago(2)}`;
      times.push((await stand.ask(short, others)).ms);
    }
    await attack;
    return times.toSorted((a, b) => a - b);
  });
  expect(result.at(-3)).toBeLessThan(1_000);
});
