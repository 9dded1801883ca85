import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, isoDate } from '#core/clock';
import { STATISTICS_SYMBOLS } from '#statistics/statistics-sources';

/** When a response that reports an upstream failure is acceptable: never, always, or until the path succeeds once. */
type Upstream = 'none' | 'always' | 'untilAnswered';

export type Query = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path, including the query string. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Statuses that are expected. */
  expects: readonly number[];
  isPriced?: boolean;
  upstream?: Upstream;
  /** Whether the query is sent without the user's key. */
  isOpen?: boolean;
  /** Whether the path is missing from the API description. */
  isUndescribed?: boolean;
};

/** The addresses and transactions that node queries use. */
export type Chain = { addresses: readonly string[]; hashes: readonly string[] };

const UNKNOWN_KEY = 'qt_00000000000000000000000000000000000000';
const INVALID_BECH32 = 'cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq';
const ACCEPTED: readonly Record<string, string>[] = [
  {},
  { 'accept-encoding': 'br' },
  { 'accept-encoding': 'gzip' },
  { accept: 'text/csv' },
];

/** Returns a generator of random queries. The queries cover all read-only paths; common queries are more frequent. */
export function createQueries(random: () => number, chain: Chain) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const token = () => pick(BUILT_IN_NAMES);
  const ago = (days: number) => isoDate(Date.now() - Math.floor(1 + random() * days) * DAY);
  const reversed = (date: string) => date.split('-').reverse().join('-');

  const priced = (path: string, headers: Record<string, string> = {}): Query => ({
    ...{ method: 'GET', path, headers, expects: [200, 304], isPriced: true, upstream: 'untilAnswered' },
  });
  const free = (path: string): Query => ({ method: 'GET', path, expects: [200] });
  const open = (path: string): Query => ({ ...free(path), isOpen: true });
  const node = (path: string, expects = [200]): Query => ({
    ...{ method: 'GET', path, expects, upstream: 'always' },
  });
  const invalid = (path: string, expects: readonly number[], headers: Record<string, string> = {}): Query => ({
    ...{ method: 'GET', path, headers, expects, isOpen: 'x-api-key' in headers },
  });
  const days = (count: number) => priced(`/v1/prices/history/days?tokenName=${token()}&days=${count}`, pick(ACCEPTED));
  const range = (query: string) => priced(`/v1/prices/history/date/range?tokenName=${token()}&${query}`);

  const invalidQueries = [
    () => invalid('/v1/prices/latest/token?tokenName=dogecoin', [400]),
    () => invalid('/v1/prices/history/date?tokenName=bitcoin&date=31-02-2024', [400]),
    () => invalid('/v1/prices/history/days?tokenName=bitcoin&days=0', [400]),
    () => invalid('/v1/prices/latest/token?tokenName=bitcoin&mnemonic=abandon', [400]),
    () => invalid('/v1/prices/latest/token?tokenName=bitcoin', [401], { 'x-api-key': UNKNOWN_KEY }),
    () => invalid(`/v1/node/bank/balances/${INVALID_BECH32}`, [400]),
    () => invalid('/v1/prices', [404]),
    () => ({ ...invalid('/v1/prices/latest/token', [405]), method: 'DELETE' as const }),
  ];

  const kinds: readonly [weight: number, create: () => Query][] = [
    [40, () => priced(`/v1/prices/latest/token?tokenName=${token()}`)],
    [8, () => priced(`/v1/prices/latest/token?tokenName=${token()}`, { 'if-none-match': '*' })],
    [10, () => priced(`/v1/prices/latest/stats?token=${pick(STATISTICS_SYMBOLS)}`)],
    [5, () => days(1)],
    [4, () => days(7)],
    [4, () => days(30)],
    [2, () => days(365)],
    [0.3, () => days(36_500)],
    [5, () => priced(`/v1/prices/history/date?tokenName=${token()}&date=${reversed(ago(300))}`)],
    [3, () => range(`fromDate=${ago(60)}&thruDate=${isoDate(Date.now())}`)],
    [1, () => range(`fromDate=${ago(8)}&thruDate=${isoDate(Date.now())}&interval=hourly`)],
    [1, () => range(`fromDate=${ago(0.5)}&thruDate=${isoDate(Date.now())}&interval=minute`)],
    [3, () => free('/v1/user/data')],
    [3, () => free('/v1/user/usage')],
    [1, () => open('/v1/tokens')],
    [1, () => open('/health/live')],
    [1, () => open('/health/ready')],
    [0.1, () => ({ ...open('/openapi.json'), isUndescribed: true })],
    [0.1, () => ({ ...open('/docs'), isUndescribed: true })],
    [2, () => node(`/v1/node/bank/balances/${pick(chain.addresses)}`)],
    [2, () => node(`/v1/node/txs?message.sender=${pick(chain.addresses)}&limit=10`)],
    // A node does not know a transaction until it is in a block.
    [2, () => node(`/v1/node/txs/${pick(chain.hashes)}`, [200, 404])],
    [3, () => pick(invalidQueries)()],
  ];
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

  return (): Query => {
    let place = random() * total;
    for (const [weight, create] of kinds) {
      place -= weight;
      if (place < 0) return create();
    }
    return free('/v1/user/usage');
  };
}
