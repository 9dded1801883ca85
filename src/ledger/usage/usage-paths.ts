/**
 * The paths of charged calls, without the service's prefix. The database stores their numbers, counted from 1, so a path
 * keeps its place forever and new paths are appended. A release reports a number that it does not know as null.
 */
const USAGE_PATHS = [
  '/v1/prices/latest/token',
  '/v1/prices/latest/tokens',
  '/v1/prices/latest/stats',
  '/v1/prices/history/date',
  '/v1/prices/history/days',
  '/v1/prices/history/date/range',
  '/v1/prices/history/ohlc',
  '/v1/prices/stream',
  '/mcp',
  '/api/v3/simple/price',
  '/api/v3/simple/token_price/{platform}',
  '/api/v3/coins/markets',
  '/api/v3/coins/{id}',
  '/api/v3/coins/{id}/history',
  '/api/v3/coins/{id}/market_chart',
  '/api/v3/coins/{id}/market_chart/range',
  '/api/v3/coins/{id}/ohlc',
  '/api/v3/coins/{platform}/contract/{address}',
  '/api/v3/coins/{platform}/contract/{address}/market_chart',
  '/api/v3/coins/{platform}/contract/{address}/market_chart/range',
] as const;

const numbers = new Map<string, number>(USAGE_PATHS.map((path, i) => [path, i + 1]));

/** Returns undefined for a path without charged calls. `:id` equals `{id}`, and a slash at the end does not matter. */
export const pathNumber = (path: string): number | undefined =>
  numbers.get(path.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}'));
export const pathOf = (number: number): string | null => USAGE_PATHS[number - 1] ?? null;
