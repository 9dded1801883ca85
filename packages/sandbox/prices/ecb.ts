import { valueNoise } from '../noise.ts';
import {
  type Answer,
  DAY,
  HOUR,
  isoDate,
  routed,
  type Setting,
  startOfDate,
  textReply,
  type Upstream,
} from '../upstream.ts';

const FIRST_DATE = Date.UTC(1999, 0, 4);

/** The synthetic mean rate per euro, and the last date of a discontinued currency. */
const CURRENCIES = new Map(
  [
    'ARS 91 2020-10-30; AUD 1.63; BGN 1.9558 2025-12-31; BRL 5.8; CAD 1.55; CHF 0.95; CNY 7.9; CZK 24.8',
    'DKK 7.46; GBP 0.86; HKD 8.9; HRK 7.53 2022-12-30; HUF 385; IDR 17600; ILS 3.9; INR 92; ISK 147',
    'JPY 162; KRW 1480; MXN 20; MYR 4.9; NOK 11.5; NZD 1.85; PHP 63; PLN 4.31; RON 4.97; RUB 90 2022-03-01',
    'SEK 11.2; SGD 1.46; THB 38; TRY 35; USD 1.12; ZAR 20',
  ]
    .flatMap((line) => line.split('; '))
    .map((entry) => {
      const [code = '', rate, last = '9999-12-31'] = entry.split(' ');
      return [code, { rate: Number(rate), last }];
    }),
);
const CODES = [...CURRENCIES.keys()];

/** The dates on which the ECB suspended a currency. Rows for these dates have no value. */
const SUSPENDED: Readonly<Record<string, readonly [first: string, last: string]>> = {
  ISK: ['2008-12-10', '2018-01-31'],
};

function rateOn(seed: number, code: string, date: number): string {
  const { rate = 1 } = CURRENCIES.get(code) ?? {};
  const lane = 10_000 + CODES.indexOf(code);
  const swing = 0.06 * valueNoise(seed, lane, date / (400 * DAY)) + 0.01 * valueNoise(seed, lane, date / (9 * DAY));
  return String(Number((rate * (1 + swing)).toPrecision(6)));
}

const COLUMNS = 'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE';

/** The currencies in a key such as `D.USD+JPY.EUR.SP00.A`, or all. Undefined for an unknown key. */
function currenciesOf(key: string): string[] | undefined {
  const [, names] = /^D\.([A-Z+]*)\.EUR\.SP00\.A$/.exec(key) ?? [];
  if (names === undefined) return undefined;
  const codes = names === '' ? CODES : CODES.filter((code) => names.split('+').includes(code));
  return codes.length > 0 ? codes : undefined;
}

function exchangeRates(seed: number, key: string, query: URLSearchParams, now: number): Answer {
  const codes = currenciesOf(key);
  if (!codes) return textReply(404, 'No results found.');
  const from = Math.max(FIRST_DATE, Date.parse(query.get('startPeriod') ?? '') || 0);
  const until = Math.min(startOfDate(now), Date.parse(query.get('endPeriod') ?? '') || now);
  const dates = publicationDates(from, until).filter((date) => publishedAt(date) <= now);
  const days = dates.map((date) => ({ date, text: isoDate(date) }));
  let lines = '';
  for (const code of codes) {
    const { last = '' } = CURRENCIES.get(code) ?? {};
    const [first, thru] = SUSPENDED[code] ?? ['9999', ''];
    for (const { date, text } of days) {
      if (text > last) break;
      const rate = text >= first && text <= thru ? '' : rateOn(seed, code, date);
      lines += `EXR.D.${code}.EUR.SP00.A,D,${code},EUR,SP00,A,${text},${rate}\r\n`;
    }
  }
  // For an empty period, the response has no header line.
  const body = lines === '' ? '' : `${COLUMNS}\r\n${lines}`;
  return { status: 200, headers: { 'content-type': 'text/csv' }, body };
}

/** The stand-in for the European Central Bank's data service, under `/service`. It serves only exchange rates. */
export function createEcb({ clock, seed }: Setting): Upstream {
  const routes = {
    'GET /data/EXR/{key}': ({ query, now }: { query: URLSearchParams; now: number }, key: string) =>
      exchangeRates(seed, key, query, now),
  };
  return routed('/service', clock, routes, ({ method }) =>
    method === 'GET' ? textReply(404, 'No results found.') : textReply(405, 'Method Not Allowed'),
  );
}

const HOLIDAYS = ['01-01', '05-01', '12-25', '12-26'];

/** The dates with rates, inclusive, as midnights (UTC, Unix ms). Weekends and fixed holidays have no rates. */
function publicationDates(from: number, thru: number): number[] {
  const dates: number[] = [];
  for (let date = from; date <= thru; date += DAY) {
    const isWeekend = [0, 6].includes(new Date(date).getUTCDay());
    if (!isWeekend && !HOLIDAYS.includes(isoDate(date).slice(5))) dates.push(date);
  }
  return dates;
}

/** The time of publication: 15:00 UTC, which is 16:00 in Frankfurt in winter and 17:00 in summer. */
const publishedAt = (date: number): number => date + 15 * HOUR;
