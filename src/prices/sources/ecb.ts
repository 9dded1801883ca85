import { setImmediate as turn } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { type Clock, isoDate } from '#core/clock';
import { hasReferenceRate, type PublishedRate } from '#prices/model/currency';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { Implausible } from '#upstream/plausible';
import { NUMERIC, retryAfter } from '#upstream/transport/json-answer';
import { openUpstream, type UpstreamAnswer, type UpstreamOptions } from '#upstream/transport/upstream';
import { createPlausible, type Dropped } from './dropped-samples.ts';

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

/** A row takes 56 bytes. All series since 2009 take 9 MB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The length of a piece in characters. A piece takes three milliseconds. */
const PIECE = 64 * 1024;

type Options = { clock: Clock; dropped: Dropped } & Pick<
  UpstreamOptions,
  'url' | 'timeoutMs' | 'reserve' | 'callSpacing' | 'observe' | 'breaker'
>;

const CAUSES: Readonly<Record<number, FailureCause>> = { 404: 'not_listed', 429: 'rate_limited' };

/** An empty text means a period without rates. Throws `UpstreamFailure`. */
function textOf({ status, headers, text }: UpstreamAnswer, now: number): string {
  if (status !== 200) {
    const cause = CAUSES[status] ?? (status >= 500 ? 'server_error' : 'refused');
    throw new UpstreamFailure(UPSTREAM, cause, `status ${status}`, { retryAfter: retryAfter(headers, now) });
  }
  if (text !== '' && !text.endsWith('\n'))
    throw new UpstreamFailure(UPSTREAM, 'unexpected', 'truncated CSV, or no CSV');
  return text;
}

function parseCsv(text: string): string[][] {
  try {
    return parse(text, { bom: true, skip_empty_lines: true });
  } catch (error) {
    throw new UpstreamFailure(UPSTREAM, 'unexpected', 'no CSV, or rows of different lengths', { cause: error });
  }
}

/** The rows after the header, in pieces. The event loop runs between pieces. No field contains a line break. */
async function* rowsOf(text: string): AsyncGenerator<{ rows: string[][]; places: Map<string, number> }> {
  const end = text.indexOf('\n') + 1;
  const [names = []] = parseCsv(text.slice(0, end));
  const missing = COLUMNS.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new UpstreamFailure(UPSTREAM, 'unexpected', `CSV lacks the columns ${missing.join(', ')}`);
  const places = new Map(names.map((name, place) => [name, place]));
  for (let start = end; start < text.length; ) {
    const next = text.indexOf('\n', start + PIECE) + 1 || text.length;
    const rows = parseCsv(text.slice(start, next));
    if (rows.some((row) => row.length !== names.length))
      throw new UpstreamFailure(UPSTREAM, 'unexpected', 'rows that differ in length from the header');
    yield { rows, places };
    start = next;
    await turn();
  }
}

/** Unix ms of midnight (UTC). NaN for a date that does not exist. */
function dateOf(text: string): number {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(date) && isoDate(date) === text ? date : Number.NaN;
}

/** The reference rates in a CSV, including implausible rates. Rows without a value are skipped. */
async function ratesIn(text: string): Promise<PublishedRate[]> {
  const dates = new Map<string, number>();
  const rates: PublishedRate[] = [];
  for await (const { rows, places } of rowsOf(text)) {
    const field = (row: string[], column: string) => row[places.get(column) as number] as string;
    for (const row of rows) {
      const currency = field(row, 'CURRENCY').toLowerCase();
      const value = field(row, 'OBS_VALUE');
      if (value === '' || !hasReferenceRate(currency)) continue;
      if (OF_THE_SERIES.some(([column, wanted]) => field(row, column) !== wanted)) continue;
      const period = field(row, 'TIME_PERIOD');
      const date = dates.get(period) ?? dateOf(period);
      dates.set(period, date);
      rates.push({ currency, date, rate: NUMERIC.test(value) ? Number(value) : Number.NaN });
    }
  }
  return rates;
}

/** Rejects a rate that is not positive, or whose date does not exist or has not started (`now` in Unix ms). */
function implausibleRate({ date, rate }: PublishedRate, now: number): Implausible | undefined {
  if (!(date <= now)) return 'too_late';
  return rate > 0 && rate < Number.POSITIVE_INFINITY ? undefined : 'price';
}

/** The European Central Bank's data service (data.ecb.europa.eu/help/api). */
export function openEcb({ clock, dropped, ...rest }: Options) {
  const headers = { accept: 'text/csv', 'accept-encoding': 'gzip' };
  const upstream = openUpstream({ ...rest, name: UPSTREAM, clock, headers });
  const plausible = createPlausible(UPSTREAM, dropped);

  return {
    /** The rates from a date on (Unix ms), in units per euro, unordered. Throws `UpstreamFailure`. */
    async rates(from: number): Promise<PublishedRate[]> {
      const query = { format: 'csvdata', detail: 'dataonly', startPeriod: isoDate(from) };
      const request = { path: PATH, query, maxBytes: MAX_BYTES };
      const text = await upstream.send(request, (answer) => textOf(answer, clock.now()));
      if (text === '') return [];
      const reported = await ratesIn(text);
      const now = clock.now();
      const rates = plausible(PATH, reported, (rate) => implausibleRate(rate, now));
      // Every rate is used together with the dollar's rate.
      if (!rates.some(({ currency }) => currency === 'usd'))
        throw new UpstreamFailure(UPSTREAM, 'empty', 'no rate for the US dollar');
      return rates;
    },

    close: upstream.close,
  };
}

export type Ecb = ReturnType<typeof openEcb>;
