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
] as const;

const numbers = new Map<string, number>(USAGE_PATHS.map((path, i) => [path, i + 1]));

/** Returns undefined for a path without charged calls. */
export const pathNumber = (path: string): number | undefined => numbers.get(path);
export const pathOf = (number: number): string | null => USAGE_PATHS[number - 1] ?? null;
