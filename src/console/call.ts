import type { StatisticsSymbol, Token } from '../client/index.ts';

export type TokenName = Token['tokenName'];

/** A question to the service: what is asked, what the snippets show, and what an answer is kept under. */
export type Call =
  | { kind: 'latest'; token: TokenName }
  | { kind: 'days'; token: TokenName; days: number }
  | { kind: 'range'; token: TokenName; from: string; thru: string }
  | { kind: 'statistics'; token: StatisticsSymbol }
  | { kind: 'usage' };

/** The path below the base URL, with its query. */
export function pathOf(call: Call): string {
  switch (call.kind) {
    case 'latest':
      return `/v1/prices/latest/token?tokenName=${call.token}`;
    case 'days':
      return `/v1/prices/history/days?tokenName=${call.token}&days=${call.days}`;
    case 'range':
      return `/v1/prices/history/date/range?tokenName=${call.token}&fromDate=${call.from}&thruDate=${call.thru}`;
    case 'statistics':
      return `/v1/prices/latest/stats?token=${call.token}`;
    case 'usage':
      return '/v1/user/usage';
  }
}

/** The method of the client that asks it. */
export function methodOf(call: Call): string {
  switch (call.kind) {
    case 'latest':
      return `latestPrice('${call.token}')`;
    case 'days':
      return `priceHistory('${call.token}', { days: ${call.days} })`;
    case 'range':
      return `priceRange('${call.token}', { from: '${call.from}', thru: '${call.thru}' })`;
    case 'statistics':
      return `statistics('${call.token}')`;
    case 'usage':
      return 'usage()';
  }
}

/** Whether the answer also comes as CSV. */
export const hasCsv = ({ kind }: Call) => kind === 'days' || kind === 'range';
