import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, HOUR, isoDate, MINUTE, startOfDate } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { sandboxToken } from '#sandbox/tokens';
import { base64, keyOf, signedTxRaw } from '../../fixtures/signing.ts';
import type { Twins } from '../support/service/twins.ts';
import type { ItemFault, itemFault } from './item-faults.ts';

type Items = readonly (readonly [name: string, value: unknown])[];
type Read = { path: string; items: (body: unknown) => Items };

/** One item of a source's responses, and the requests to the services whose responses contain it and other items. */
export type Case = {
  /** The upstream's paths. */
  upstream: RegExp;
  isItem: Parameters<typeof itemFault>[0];
  reads: readonly Read[];
  /** The names of the items that a faulty item concerns: its own, and one that it pretends to be. */
  affected: (fault: ItemFault) => readonly string[];
  /** The interval in which the source is requested, in ms. */
  interval: number;
  /** Faults that the response does not show. */
  isHidden?: (fault: ItemFault) => boolean;
  /** Paths of another source, which is unavailable meanwhile. */
  outage?: RegExp;
};

/** `place` chooses the item. */
type Scenario = (twins: Twins, place: number) => Case | Promise<Case>;

const TOKENS = BUILT_IN_NAMES.join();
const tokenAt = (place: number) => BUILT_IN_NAMES[place % BUILT_IN_NAMES.length] as string;
const one = (name: string) => () => [name];

/** The change within a day is not compared: it is computed from the history, which an earlier fault may have changed. */
const latestPrices: Read = {
  path: `/v1/prices/latest/tokens?tokenNames=${TOKENS}`,
  items: (body) => (body as object[]).map((record, i) => [tokenAt(i), { ...record, change_24h: undefined }]),
};

/** A column of a series. The points of candles have no columns. */
const columnOf = ([name, column]: [string, unknown]) =>
  Array.isArray(column)
    ? column.map((point: { date: string; price: number }) => [point.date, { [name]: point.price }])
    : [];

/**
 * The points of a series by their slots. Another time in the slot and any volume are plausible, so times and the volumes of
 * candles are not compared. `isCompared` excludes further points.
 */
const series = (path: string, slot: number, isCompared = (_point: unknown): boolean => true): Read => ({
  path,
  items: (body) => {
    const entries = Array.isArray(body) ? body : [body];
    const points = entries
      .flatMap((entry: object) => ('date' in entry ? [[entry.date, entry]] : Object.entries(entry).flatMap(columnOf)))
      .filter(([, point]) => isCompared(point));
    const bySlot = Map.groupBy(points, ([date]) => String(Math.floor(Date.parse(String(date)) / slot)));
    return [...bySlot].map(([name, entries]) => [
      name,
      entries.map(([, point]) => ({ ...(point as object), date: undefined, volume: undefined })),
    ]);
  },
});

/**
 * Either service may have fetched a latest price between two charts, which then is a sample of the last day. Its figures
 * are rounded, unlike those of a chart.
 */
const isOfChart = (point: unknown): boolean =>
  Object.values(point as Record<string, number>).every(
    (figure) => !Number.isInteger(figure) && String(figure).length > 12,
  );

const movedBy = (fault: ItemFault) => (fault.kind === 'shifted' ? fault.ms : fault.kind === 'outdated' ? -60 * DAY : 0);
/** The slots of an item before and after a fault, and those between: the order shows only that one of them is wrong. */
const slots = (at: number, slot: number) => (fault: ItemFault) => {
  const [first, moved] = [Math.floor(at / slot), movedBy(fault) / slot];
  const isNear = Math.abs(moved) < 3;
  const from = isNear ? Math.min(first, first + Math.floor(moved)) : first;
  const near = Array.from({ length: isNear ? Math.ceil(Math.abs(moved)) + 1 : 1 }, (_, i) => from + i);
  return [...near, first + Math.floor(moved), first + Math.ceil(moved)].map(String);
};

/** An element of a list that begins with a time in the slot. `unit` is the unit of the times, in ms. */
const isRowOf =
  (at: number, slot: number, unit = 1) =>
  (value: unknown) =>
    Array.isArray(value) &&
    typeof value[0] === 'number' &&
    Math.floor((value[0] * unit) / slot) === Math.floor(at / slot);

const dates = (now: number, from: number, thru: number) =>
  `fromDate=${isoDate(now - from * DAY)}&thruDate=${isoDate(now - thru * DAY)}`;

/** Each call takes another token, of which nothing is stored. The tokens without a pair serve charts. */
const fresh = new WeakMap<Twins, string[]>();
function freshToken(twins: Twins, hasPair: boolean): string {
  const tokens = fresh.get(twins) ?? twins.tokens.filter((name) => !BUILT_IN_NAMES.includes(name));
  const place = tokens.findIndex((name) => (sandboxToken(name)?.pair !== undefined) === hasPair);
  if (place < 0) throw new RangeError('more tokens are needed');
  const [token = ''] = tokens.splice(place, 1);
  fresh.set(twins, tokens);
  return token;
}

/** The symbols of the statistics, the paths of their sources and some members of their responses. */
const STATISTICS = [
  ['btc', /^\/cryptocompare\/.*fsym=BTC/, 'block_height time hashrate transaction_count symbol id Data'],
  ['eth', /^\/cryptocompare\/.*fsym=ETH/, 'block_height time difficulty transaction_count_all_time block_size'],
  ['ar', /^\/arweave\//, 'height timestamp weave_size block_size diff'],
  ['sol', /^\/solana/, 'blockHeight transactionCount total numTransactions samplePeriodSecs value'],
] as const;

const TRANSACTIONS = 4;
const sent = new WeakMap<Twins, Promise<string[]>>();

/** Sends some transfers to the chains of both sandboxes, and returns their hashes. */
async function sendTransfers(twins: Twins): Promise<string[]> {
  const [, bob] = twins.healthy.sandbox.chain.accounts;
  const to = bob?.address ?? '';
  for (let sequence = 0; sequence < TRANSACTIONS; sequence++) {
    const bytes = await signedTxRaw(keyOf(twins.healthy.sandbox), { to, accountNumber: 0, sequence });
    const body = JSON.stringify({ tx_bytes: base64(bytes), mode: 'BROADCAST_MODE_SYNC' });
    for (const { sandbox } of [twins.faulty, twins.healthy])
      await fetch(`${sandbox.cosmosNodeUrl}/cosmos/tx/v1beta1/txs`, { method: 'POST', body });
  }
  await twins.pass(MINUTE);
  const [, { body }] = await twins.read(transactionsOf(twins).path);
  return transactionsOf(twins)
    .items(body)
    .map(([name]) => name);
}

const transactionsOf = ({ healthy }: Twins): Read => ({
  path: `/v1/node/txs?message.sender=${healthy.sandbox.chain.accounts[0]?.address}&limit=30`,
  items: (body) => (body as { txs: { txhash: string }[] }).txs.map((tx) => [tx.txhash, tx]),
});

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a token of a list': (_twins, place) => ({
    upstream: /\/coins\/markets/,
    isItem: (value) => (value as { id?: unknown } | null)?.id === tokenAt(place),
    reads: [latestPrices],
    affected: one(tokenAt(place)),
    interval: MINUTE,
  }),

  'a five-minute sample'(twins, place) {
    const [token, slot] = [freshToken(twins, false), 5 * MINUTE];
    const at = twins.clock.now() - HOUR - (place % 200) * slot;
    return {
      upstream: new RegExp(`/coins/${token}/market_chart.*days=1\\b`),
      isItem: isRowOf(at, slot),
      reads: [series(`/v1/prices/history/days?tokenName=${token}&days=1`, slot, isOfChart)],
      affected: slots(at, slot),
      // A sample that is moved by less than the distance of two samples is plausible, and soon final.
      isHidden: (fault) => fault.kind === 'shifted' && Math.abs(fault.ms) < slot,
      interval: 10 * MINUTE,
    };
  },

  'two hourly samples'(twins, place) {
    const [token, now] = [freshToken(twins, false), twins.clock.now()];
    // Hours without a sample are normal, so the absence of one sample is not noticed.
    const slot = 2 * HOUR;
    const at = now - (3 + (place % 25)) * DAY;
    const path = `/v1/prices/history/date/range?tokenName=${token}&${dates(now, 85, 2)}&interval=hourly`;
    return {
      upstream: new RegExp(`/coins/${token}/market_chart`),
      isItem: isRowOf(at, slot),
      reads: [series(path, slot)],
      affected: slots(at, slot),
      // The order does not show which of two neighbouring samples is wrong, and the loss of a single one is not noticed.
      isHidden: (fault) => fault.kind === 'shifted' && fault.ms === -3 * HOUR,
      interval: HOUR,
    };
  },

  'a daily sample'(twins, place) {
    const [token, now] = [freshToken(twins, false), twins.clock.now()];
    const at = startOfDate(now) - (3 + (place % 200)) * DAY;
    const path = `/v1/prices/history/date/range?tokenName=${token}&${dates(now, 300, 2)}`;
    return {
      upstream: new RegExp(`/coins/${token}/market_chart`),
      isItem: isRowOf(at, DAY),
      reads: [series(path, DAY)],
      affected: slots(at, DAY),
      interval: HOUR,
    };
  },

  'a candle'(twins, place) {
    const [token, now] = [freshToken(twins, true), twins.clock.now()];
    const at = startOfDate(now) - (3 + (place % 200)) * DAY;
    return {
      upstream: new RegExp(`OHLC.*${sandboxToken(token)?.pair}`),
      isItem: isRowOf(at, DAY, 1000),
      // Kraken has sent days that appear twice, of which the later one is right.
      isHidden: (fault) => fault.kind === 'shifted' && fault.ms === -DAY,
      reads: [series(`/v1/prices/history/ohlc?tokenName=${token}&${dates(now, 300, 2)}`, DAY)],
      affected: slots(at, DAY),
      interval: HOUR,
    };
  },

  'a price of the fallback': (_twins, place) => ({
    upstream: /\/Ticker/,
    isItem: (_value, name) => name === sandboxToken(tokenAt(place))?.pair,
    reads: [latestPrices],
    affected: one(tokenAt(place)),
    interval: MINUTE,
    outage: /\/coins\/markets/,
  }),

  'a pair of the fallback': (_twins, place) => ({
    upstream: /\/AssetPairs/,
    isItem: (_value, name) => name === sandboxToken(tokenAt(place))?.pair,
    reads: [latestPrices],
    affected: one(tokenAt(place)),
    interval: HOUR,
    outage: /\/coins\/markets/,
  }),

  'an exchange rate'({ clock }, place) {
    const now = clock.now();
    const [days, currency] = [1 + (place % 4), ['jpy', 'gbp', 'chf'][place % 3] as string];
    const at = startOfDate(now) - days * DAY;
    const read = (one: string): Read => {
      const { path, items } = series(
        `/v1/prices/history/date/range?tokenName=bitcoin&${dates(now, 40, 1)}&currency=${one}`,
        DAY,
      );
      return { path, items: (body) => items(body).map(([name, value]) => [`${one} ${name}`, value]) };
    };
    const affected = (first: number) => Array.from({ length: 10 }, (_, i) => `${currency} ${first / DAY + i}`);
    return {
      upstream: /\/EXR\//,
      isItem: (value) =>
        typeof value === 'string' && value.includes(`,${currency.toUpperCase()},`) && value.includes(isoDate(at)),
      reads: ['jpy', 'gbp', 'chf'].map(read),
      // A rate is valid until the next one.
      affected: (fault) => [at, startOfDate(at + movedBy(fault))].flatMap(affected),
      // No rates are published at the weekend.
      interval: 4 * DAY,
    };
  },

  'a figure of the statistics'({ faulty }, place) {
    const [symbol, upstream, names] = STATISTICS[place % STATISTICS.length] as (typeof STATISTICS)[number];
    const members = names.split(' ');
    const member = members[Math.floor(place / STATISTICS.length) % members.length];
    const { every = HOUR } = faulty.parts.statistics.staleness()[0] ?? {};
    return {
      upstream,
      isItem: (_value, name) => name === member,
      reads: STATISTICS.map(([token]) => ({
        path: `/v1/prices/latest/stats?token=${token}`,
        // The transactions of a day are computed from the totals a day apart.
        items: (body) => [[token, { ...(body as object), ...(token === 'sol' && { transaction_count: undefined }) }]],
      })),
      affected: one(symbol),
      interval: every,
    };
  },

  async 'a transaction of a page'(twins, place) {
    if (!sent.has(twins)) sent.set(twins, sendTransfers(twins));
    const hashes = (await sent.get(twins)) ?? [];
    const hash = hashes[place % hashes.length] ?? '';
    return {
      upstream: /\/cosmos-node\/.*\/txs/,
      isItem: (value) => (value as { txhash?: unknown } | null)?.txhash === hash,
      reads: [transactionsOf(twins)],
      affected: () => [hash, `${hash}X`],
      interval: MINUTE,
    };
  },
};

export const UNAVAILABLE: Fault = { kind: 'status', status: 503 };
