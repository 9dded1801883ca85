import { setImmediate as turn } from 'node:timers/promises';
import { DAY, isoDate } from '#core/clock';
import { fieldsOf } from '#prices/imports/csv-file';
import { hasReferenceRate, type PublishedRate } from '#prices/model/currency';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import {
  countRejections,
  createItemReport,
  type Dropped,
  type Items,
  type Rejection,
  readItems,
} from '#upstream/items/items';
import type { Implausible } from '#upstream/items/plausible';
import { NUMERIC, retryAfter } from '#upstream/transport/json-response';
import { textOf } from '#upstream/transport/response-body';
import { openUpstream, type SourceOptions, type UpstreamResponse } from '#upstream/transport/upstream';

const UPSTREAM = 'ecb';

/** The dimensions: daily (D), every currency, against the euro, the reference rate (SP00), average (A). */
const PATH = '/data/EXR/D..EUR.SP00.A';
const OF_THE_SERIES = [
  ['FREQ', 'D'],
  ['CURRENCY_DENOM', 'EUR'],
  ['EXR_TYPE', 'SP00'],
  ['EXR_SUFFIX', 'A'],
] as const;
const COLUMNS = [...OF_THE_SERIES.map(([column]) => column), 'CURRENCY', 'TIME_PERIOD', 'OBS_VALUE'];

/** The longest plausible period without rates, in ms. Holidays and weekends last at most five days. */
const LONGEST_WITHOUT_RATES = 10 * DAY;
const NO_VALUE: ReadonlySet<string> = new Set(['', 'N/A', 'NaN']);

/** A row takes 56 bytes. All series since 2009 take 9 MB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How many characters of the response are parsed before the event loop runs. Parsing them takes three milliseconds. */
const PIECE = 64 * 1024;

const CAUSES: Readonly<Record<number, FailureCause>> = { 404: 'not_listed', 429: 'rate_limited' };

/** Only the last few days can have no rates, as an empty text. Throws `UpstreamFailure`. */
function csvOf(response: UpstreamResponse, from: number, now: number): string {
  const { status, headers } = response;
  if (status !== 200) {
    const cause = CAUSES[status] ?? (status >= 500 ? 'server_error' : 'refused');
    throw new UpstreamFailure(UPSTREAM, cause, `status ${status}`, { retryAfter: retryAfter(headers, now) });
  }
  const text = textOf(response);
  if (text === '' && now - from >= LONGEST_WITHOUT_RATES)
    throw new UpstreamFailure(UPSTREAM, 'empty', `no rates since ${isoDate(from)}`);
  if (text !== '' && !text.endsWith('\n'))
    throw new UpstreamFailure(UPSTREAM, 'unexpected', 'truncated CSV, or no CSV');
  return text;
}

/** A line with balanced quotes. A row with all columns takes 400 characters. */
const LINE = /^(?:"(?:[^"]|"")*"|[^",]*)(?:,(?:"(?:[^"]|"")*"|[^",]*))*$/;
const LONGEST_LINE = 10_000;

/** Rows of any length. A line that cannot be parsed has no fields. No field contains a line break. */
function parseRows(text: string): string[][] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line === '') return [];
    if (!line.includes('"')) return [line.split(',')];
    return [line.length <= LONGEST_LINE && LINE.test(line) ? fieldsOf(line, ',') : []];
  });
}

/** Yields the rows after the header, in pieces. The event loop runs between pieces. */
async function* rowsOf(text: string): AsyncGenerator<{ rows: string[][]; places: Map<string, number> }> {
  const end = text.indexOf('\n') + 1;
  const [names = []] = parseRows(text.slice(0, end).replace(/^\ufeff/, ''));
  const missing = COLUMNS.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new UpstreamFailure(UPSTREAM, 'unexpected', `CSV lacks the columns ${missing.join(', ')}`);
  const places = new Map(names.map((name, place) => [name, place]));
  for (let start = end; start < text.length; ) {
    const next = text.indexOf('\n', start + PIECE) + 1 || text.length;
    const rows = parseRows(text.slice(start, next));
    yield { rows: rows.map((row) => (row.length === names.length ? row : [])), places };
    start = next;
    await turn();
  }
}

/** Unix ms of midnight (UTC). NaN for a date that does not exist. */
function dateOf(text: string): number {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(date) && isoDate(date) === text ? date : Number.NaN;
}

/** Rejects a rate that is not positive, or whose date does not exist or has not started (`now` in Unix ms). */
function implausibleRate({ date, rate }: PublishedRate, now: number): Implausible | undefined {
  if (!(date <= now)) return 'too_late';
  return rate > 0 && rate < Number.POSITIVE_INFINITY ? undefined : 'price';
}

/** The reference rates in a CSV. Rows of other series and rows without a value are skipped. */
async function ratesIn(text: string, now: number): Promise<Items<PublishedRate>> {
  const dates = new Map<string, number>();
  const accepted: PublishedRate[] = [];
  const { rejected, reject } = countRejections();
  for await (const { rows, places } of rowsOf(text)) {
    const field = (row: string[], column: string) => row[places.get(column) ?? -1] ?? '';
    const isOther = (row: string[]) =>
      !hasReferenceRate(field(row, 'CURRENCY').toLowerCase()) ||
      OF_THE_SERIES.some(([column, value]) => field(row, column) !== value);
    const read = (row: string[]): PublishedRate | Rejection | undefined => {
      if (row.length === 0) return 'malformed';
      const value = field(row, 'OBS_VALUE');
      if (isOther(row) || NO_VALUE.has(value)) return undefined;
      const period = field(row, 'TIME_PERIOD');
      const date = dates.get(period) ?? dateOf(period);
      dates.set(period, date);
      const rate = { currency: field(row, 'CURRENCY').toLowerCase(), date, rate: Number(value) };
      return NUMERIC.test(value) ? (implausibleRate(rate, now) ?? rate) : 'malformed';
    };
    const items = readItems(rows, { read });
    for (const rate of items.accepted) accepted.push(rate);
    for (const [reason, times] of items.rejected) reject(reason, times);
  }
  return { accepted, rejected, missing: [] };
}

/** A rate that differs from the rates around it by more than this factor is wrong. No currency changes so fast. */
const MAX_FACTOR = 5;
const AROUND = 2;

const isClose = (a: number, b: number): boolean => a < b * MAX_FACTOR && b < a * MAX_FACTOR;

function isOutlier(rates: readonly PublishedRate[], place: number): boolean {
  const rate = rates[place]?.rate ?? 0;
  // Nearly all rates are close to the previous rate. The median takes longer.
  if (isClose(rate, rates[place - 1]?.rate ?? 0) && isClose(rate, rates[place + 1]?.rate ?? rate)) return false;
  const around = rates.slice(Math.max(0, place - AROUND), place + AROUND + 1).map(({ rate }) => rate);
  const median = around.toSorted((a, b) => a - b)[around.length >> 1] as number;
  return around.length > AROUND && !isClose(rate, median);
}

/** Rejects rates that are off by a factor, and differing rates for one date. The order of rows does not matter. */
async function withoutDoubtful({ accepted, ...items }: Items<PublishedRate>): Promise<Items<PublishedRate>> {
  const { rejected, reject } = countRejections(items.rejected);
  const kept: PublishedRate[] = [];
  for (const published of Map.groupBy(accepted, ({ currency }) => currency).values()) {
    const rateOn = new Map<number, PublishedRate | undefined>();
    for (const row of published) {
      const isRepeated = rateOn.has(row.date);
      const isSame = !isRepeated || rateOn.get(row.date)?.rate === row.rate;
      if (isRepeated) reject(isSame ? 'repeated' : 'contradictory');
      rateOn.set(row.date, isSame ? row : undefined);
    }
    const rates = [...rateOn.values()].filter((row) => row !== undefined).sort((a, b) => a.date - b.date);
    for (const [place, rate] of rates.entries()) {
      if (isOutlier(rates, place)) reject('price');
      else kept.push(rate);
    }
    await turn();
  }
  return { ...items, accepted: kept, rejected };
}

/** The European Central Bank's data service (data.ecb.europa.eu/help/api). */
export function openEcb({ dropped, ...options }: SourceOptions & { dropped: Dropped }) {
  const { clock } = options;
  const upstream = openUpstream({ ...options, name: UPSTREAM, headers: { accept: 'text/csv' } });
  const reportItems = createItemReport(UPSTREAM, dropped);

  return {
    /** The rates from a date on (Unix ms), in units per euro, unordered. Throws `UpstreamFailure`. */
    async rates(from: number): Promise<PublishedRate[]> {
      const query = { format: 'csvdata', detail: 'dataonly', startPeriod: isoDate(from) };
      const request = { path: PATH, query, maxBytes: MAX_BYTES };
      const text = await upstream.send(request, (response) => csvOf(response, from, clock.now()));
      if (text === '') return [];
      const items = await withoutDoubtful(await ratesIn(text, clock.now()));
      const { accepted: rates } = reportItems(PATH, items);
      // Every rate is used together with the dollar's rate.
      if (!rates.some(({ currency }) => currency === 'usd'))
        throw new UpstreamFailure(UPSTREAM, 'empty', 'no rate for the US dollar');
      return rates;
    },

    close: upstream.close,
  };
}

export type Ecb = ReturnType<typeof openEcb>;
