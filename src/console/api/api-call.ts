import type { StatisticsSymbol, Token } from '../../client/index.ts';

export type TokenName = Token['tokenName'];

/** A call of the API that the page makes and shows as a snippet. */
export type ApiCall =
  | { kind: 'latest'; token: TokenName }
  | { kind: 'days'; token: TokenName; days: number }
  | { kind: 'range'; token: TokenName; from: string; thru: string }
  | { kind: 'statistics'; token: StatisticsSymbol }
  | { kind: 'usage' };

/** The path below the base URL with its query, and the call of the client's method. */
type ApiRequest = { path: string; method: string };

export function requestOf(call: ApiCall): ApiRequest {
  switch (call.kind) {
    case 'latest': {
      const path = `/v1/prices/latest/token?tokenName=${call.token}`;
      return { path, method: `latestPrice('${call.token}')` };
    }
    case 'days': {
      const path = `/v1/prices/history/days?tokenName=${call.token}&days=${call.days}`;
      return { path, method: `priceHistory('${call.token}', { days: ${call.days} })` };
    }
    case 'range': {
      const { token, from, thru } = call;
      const path = `/v1/prices/history/date/range?tokenName=${token}&fromDate=${from}&thruDate=${thru}`;
      return { path, method: `priceRange('${token}', { from: '${from}', thru: '${thru}' })` };
    }
    case 'statistics': {
      const path = `/v1/prices/latest/stats?token=${call.token}`;
      return { path, method: `statistics('${call.token}')` };
    }
    case 'usage':
      return { path: '/v1/user/usage', method: 'usage()' };
  }
}

/** Whether the answer also comes as CSV. */
export const hasCsv = ({ kind }: ApiCall) => kind === 'days' || kind === 'range';
