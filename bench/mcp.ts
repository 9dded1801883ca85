import { DAY, isoDate } from '#core/clock';
import { compare } from './comparison.ts';
import type { Environment } from './environment.ts';
import { startNeighbour } from './hostile/neighbour.ts';
import { load } from './load.ts';
import { openStand } from './stand.ts';
import { atLeast, atMost, type Figure, none } from './table.ts';

const SECONDS = 5;
/** How many days the series contains. */
const DAYS = 90;

const message = (name: string, given: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });

/** Compares tools with the same calls to the API, and measures another user's latency meanwhile. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, 2);
  const [key = '', neighbourKey = ''] = stand.keys;
  const { url } = await stand.startService();
  const [fromDate, thruDate] = [isoDate(Date.now() - DAYS * DAY), isoDate(Date.now() - DAY)];
  const pairs: [name: string, given: object, path: string][] = [
    ['get_latest_prices', { tokenNames: ['bitcoin'] }, '/v1/prices/latest/tokens?tokenNames=bitcoin'],
    [
      'get_price_history',
      { tokenName: 'bitcoin', fromDate, thruDate },
      `/v1/prices/history/date/range?tokenName=bitcoin&fromDate=${fromDate}&thruDate=${thruDate}`,
    ],
  ];
  const figures: Figure[] = [];
  for (const [name, given, path] of pairs) {
    const tool = { url: `${url}/mcp`, keys: [key], body: message(name, given) };
    const [ratio = Number.NaN] = await compare(tool, { url: `${url}${path}`, keys: [key] });
    figures.push(atLeast(`MCP ${name} against the same call to the API, requests per second`, ratio, 0.25));
  }
  const neighbour = await startNeighbour(url, neighbourKey);
  for (const [name, given] of pairs) {
    const tool = { url: `${url}/mcp`, keys: [key], body: message(name, given), seconds: SECONDS };
    const { spell, result: rate } = await neighbour.during(() => load(tool));
    figures.push(
      atMost(`neighbour's p99 during ${Math.round(rate)} calls of ${name} per second`, spell.p99, 100, 'ms'),
    );
    figures.push(none('… failed calls of the neighbour', spell.failures.length));
  }
  await neighbour.close();
  await stand.close();
  return figures;
}
