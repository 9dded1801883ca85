import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, isoDate } from '#core/clock';
import { STATISTICS_SYMBOLS } from '#statistics/statistics-sources';

/** Why an upstream's failure may be the answer: never, always, or only until the same was answered once. */
type Upstream = 'none' | 'always' | 'untilAnswered';

export type Question = {
  method: 'GET' | 'POST' | 'DELETE';
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The statuses that are right, whatever the trouble. */
  expects: readonly number[];
  isPriced?: boolean;
  upstream?: Upstream;
  /** Asked without the user's key. */
  isOpen?: boolean;
  /** Beside the interface: the description has it not. */
  isBeside?: boolean;
};

/** What the questions about the chain are about. */
export type Chain = { addresses: readonly string[]; hashes: readonly string[] };

const UNKNOWN_KEY = 'qt_00000000000000000000000000000000000000';
const BECH32_OF_NOBODY = 'cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq';
const ACCEPTED: readonly Record<string, string>[] = [
  {},
  { 'accept-encoding': 'br' },
  { 'accept-encoding': 'gzip' },
  { accept: 'text/csv' },
];

/** Gives questions at random, every path that only reads among them, the common ones more often. */
export function createQuestions(random: () => number, chain: Chain) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const token = () => pick(BUILT_IN_NAMES);
  const ago = (days: number) => isoDate(Date.now() - Math.floor(1 + random() * days) * DAY);
  const backwards = (date: string) => date.split('-').reverse().join('-');

  const priced = (path: string, headers: Record<string, string> = {}): Question => ({
    ...{ method: 'GET', path, headers, expects: [200, 304], isPriced: true, upstream: 'untilAnswered' },
  });
  const free = (path: string): Question => ({ method: 'GET', path, expects: [200] });
  const open = (path: string): Question => ({ ...free(path), isOpen: true });
  const node = (path: string, expects = [200]): Question => ({
    ...{ method: 'GET', path, expects, upstream: 'always' },
  });
  const wrong = (path: string, expects: readonly number[], headers: Record<string, string> = {}): Question => ({
    ...{ method: 'GET', path, headers, expects, isOpen: 'x-api-key' in headers },
  });
  const days = (count: number) => priced(`/v1/prices/history/days?tokenName=${token()}&days=${count}`, pick(ACCEPTED));
  const range = (query: string) => priced(`/v1/prices/history/date/range?tokenName=${token()}&${query}`);

  const wrongs = [
    () => wrong('/v1/prices/latest/token?tokenName=dogecoin', [400]),
    () => wrong('/v1/prices/history/date?tokenName=bitcoin&date=31-02-2024', [400]),
    () => wrong('/v1/prices/history/days?tokenName=bitcoin&days=0', [400]),
    () => wrong('/v1/prices/latest/token?tokenName=bitcoin&mnemonic=abandon', [400]),
    () => wrong('/v1/prices/latest/token?tokenName=bitcoin', [401], { 'x-api-key': UNKNOWN_KEY }),
    () => wrong(`/v1/node/bank/balances/${BECH32_OF_NOBODY}`, [400]),
    () => wrong('/v1/prices', [404]),
    () => ({ ...wrong('/v1/prices/latest/token', [405]), method: 'DELETE' as const }),
  ];

  const kinds: readonly [weight: number, ask: () => Question][] = [
    [40, () => priced(`/v1/prices/latest/token?tokenName=${token()}`)],
    [8, () => priced(`/v1/prices/latest/token?tokenName=${token()}`, { 'if-none-match': '*' })],
    [10, () => priced(`/v1/prices/latest/stats?token=${pick(STATISTICS_SYMBOLS)}`)],
    [5, () => days(1)],
    [4, () => days(7)],
    [4, () => days(30)],
    [2, () => days(365)],
    [0.3, () => days(36_500)],
    [5, () => priced(`/v1/prices/history/date?tokenName=${token()}&date=${backwards(ago(300))}`)],
    [3, () => range(`fromDate=${ago(60)}&thruDate=${isoDate(Date.now())}`)],
    [1, () => range(`fromDate=${ago(8)}&thruDate=${isoDate(Date.now())}&interval=hourly`)],
    [1, () => range(`fromDate=${ago(0.5)}&thruDate=${isoDate(Date.now())}&interval=minute`)],
    [3, () => free('/v1/user/data')],
    [3, () => free('/v1/user/usage')],
    [1, () => open('/v1/tokens')],
    [1, () => open('/health/live')],
    [1, () => open('/health/ready')],
    [0.1, () => ({ ...open('/openapi.json'), isBeside: true })],
    [0.1, () => ({ ...open('/docs'), isBeside: true })],
    [2, () => node(`/v1/node/bank/balances/${pick(chain.addresses)}`)],
    [2, () => node(`/v1/node/txs?message.sender=${pick(chain.addresses)}&limit=10`)],
    // Until it is in a block, a node does not know it.
    [2, () => node(`/v1/node/txs/${pick(chain.hashes)}`, [200, 404])],
    [3, () => pick(wrongs)()],
  ];
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

  return (): Question => {
    let place = random() * total;
    for (const [weight, ask] of kinds) {
      place -= weight;
      if (place < 0) return ask();
    }
    return free('/v1/user/usage');
  };
}
