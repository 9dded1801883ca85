import type { Candle, PriceSeries, TokenPrice, TokenStatistics, Usage } from '../../client/index.ts';
import { SEPARATOR } from '../../pages/csv.ts';
import type { ApiCall } from './api-call.ts';
import { candlesToCsv, seriesToCsv } from './history-csv.ts';

const SHOWN = 2;
const MEMBERS_IN_A_LINE = 3;

type WriteDate = (date: Date) => string;

function dateOnWire(path: string): WriteDate {
  if (path.startsWith('/v1/user/')) return (date) => JSON.stringify(date.toISOString());
  if (path.startsWith('/v1/prices/latest/stats')) return (date) => String(date.getTime() / 1000);
  return (date) => JSON.stringify(date.toUTCString());
}

const isShort = (members: readonly unknown[]) =>
  members.length <= MEMBERS_IN_A_LINE &&
  members.every((member) => typeof member !== 'object' || member === null || member instanceof Date);

function jsonText(answer: unknown, writeDate: WriteDate, indent = ''): string {
  if (answer instanceof Date) return writeDate(answer);
  if (typeof answer !== 'object' || answer === null) return JSON.stringify(answer);
  const inner = `${indent}  `;
  const text = (value: unknown) => jsonText(value, writeDate, inner);
  if (Array.isArray(answer)) {
    if (answer.length === 0) return '[]';
    const lines = answer.slice(0, SHOWN).map(text);
    const rest = answer.length - SHOWN;
    const items = lines.join(`,\n${inner}`) + (rest > 0 ? `,\n${inner}… ${rest} more` : '');
    return `[\n${inner}${items}\n${indent}]`;
  }
  const members = Object.entries(answer).map(([name, value]) => `${JSON.stringify(name)}: ${text(value)}`);
  return isShort(Object.values(answer))
    ? `{ ${members.join(', ')} }`
    : `{\n${inner}${members.join(`,\n${inner}`)}\n${indent}}`;
}

function fileText(csv: string): string {
  const lines = csv.trimEnd().split('\r\n');
  const rest = lines.length - SHOWN - 1;
  return [...lines.slice(0, SHOWN + 1), ...(rest > 0 ? [`… ${rest} more`] : [])].join('\n');
}

/** Writes a shortened response in the service's format or, for `client`, as the client's object. */
export function answerText(path: string, answer: object, language: Language = 'curl'): string {
  if (language === 'client') return jsonText(answer, (date) => date.toISOString());
  const isWrapped = path.startsWith('/v1/prices/history/days');
  if (language !== 'csv') return jsonText(isWrapped ? [answer] : answer, dateOnWire(path));
  const currency = /[?&]currency=(\w+)/.exec(path)?.[1] ?? 'usd';
  const csv = Array.isArray(answer)
    ? candlesToCsv(answer as Candle[], currency)
    : seriesToCsv(answer as PriceSeries, currency);
  return fileText(csv);
}

const MIDNIGHT = new Date('2024-01-01T00:00:00Z');
const points = (price: number) => [{ date: MIDNIGHT, price }];

type Examples = {
  latest: TokenPrice[];
  chart: PriceSeries;
  candles: Candle[];
  statistics: TokenStatistics;
  usage: Usage;
};

export const EXAMPLES: Examples = {
  latest: [
    {
      tokenName: 'bitcoin',
      symbol: 'btc',
      at: MIDNIGHT,
      change_24h: -1.25,
      current_price: 42280,
      market_cap: 828123456789,
      total_volume: 14123456789,
      circulating_supply: 19587000,
      total_supply: 21000000,
      max_supply: 21000000,
      ath: 69045,
      ath_change_percentage: -38.77,
      ath_date: new Date('2021-11-10T14:24:11Z'),
      atl: 67.81,
      atl_change_percentage: 62251.05,
      atl_date: new Date('2013-07-06T00:00:00Z'),
    },
  ],
  chart: {
    prices: points(42280.2346),
    market_cap: points(828123456789.5),
    total_volume: points(14123456789.25),
  },
  candles: [{ date: MIDNIGHT, open: 42280.2, high: 44200, low: 42170.1, close: 44170.9, volume: 1875.12345678 }],
  statistics: {
    id: null,
    time: MIDNIGHT,
    symbol: 'BTC',
    partner_symbol: 'BTC',
    zero_balance_addresses_all_time: null,
    unique_addresses_all_time: null,
    new_addresses: null,
    active_addresses: 853402,
    average_transaction_value: 1.27,
    block_height: 823786,
    hashrate: 514000000,
    difficulty: 72006146478567,
    block_time: 568,
    block_size: 1703421,
    current_supply: 19587000,
    transaction_count: 617203,
    transaction_count_all_time: 946301507,
    large_transaction_count: null,
    reasons: {
      id: 'not_reported',
      zero_balance_addresses_all_time: 'not_reported',
      unique_addresses_all_time: 'not_reported',
      new_addresses: 'not_reported',
      large_transaction_count: 'not_reported',
    },
  },
  usage: {
    limit: 10000,
    used: 877,
    remaining: 9123,
    periodStart: MIDNIGHT,
    resetsAt: new Date('2024-02-01T00:00:00Z'),
    validUntil: new Date('2024-02-01T00:00:00Z'),
    daily: [{ date: '2024-01-01', calls: 877 }],
  },
};

export type Language = 'curl' | 'javascript' | 'python' | 'client' | 'csv';

export const masked = (key: string) => `${key.slice(0, 6)}${'•'.repeat(8)}${key.slice(-3)}`;
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Both JavaScript and Python accept the escape sequences of JSON strings. */
const inQuotes = (text: string) => JSON.stringify(text);

export function snippet(
  { path, method }: Pick<ApiCall, 'path' | 'method'>,
  language: Language,
  baseUrl: string,
  key: string,
): string {
  if (language === 'javascript') {
    return `const response = await fetch(${inQuotes(baseUrl + path)}, {
  headers: { 'X-API-KEY': ${inQuotes(key)} },
});
console.log(await response.json());`;
  }
  if (language === 'python') {
    return `import json
from urllib.request import Request, urlopen

request = Request(
    ${inQuotes(baseUrl + path)},
    headers={"X-API-KEY": ${inQuotes(key)}},
)
with urlopen(request) as response:
    print(json.load(response))`;
  }
  if (language === 'client') {
    return `// Install the package: npm install ${baseUrl}/client.tgz
import { QuotientClient } from 'quotient-client';

const client = new QuotientClient({
  baseUrl: '${baseUrl}',
  apiKey: '${key}',
});
const result = await client.${method};`;
  }
  const separator = language === 'csv' && SEPARATOR !== 'comma' ? `&separator=${SEPARATOR}` : '';
  const headers = [`X-API-KEY: ${key}`, ...(language === 'csv' ? ['Accept: text/csv'] : [])];
  const options = headers.map((header) => `-H ${quoted(header)}`);
  return ['curl', ...options, quoted(baseUrl + path + separator)].join(' \\\n  ');
}
