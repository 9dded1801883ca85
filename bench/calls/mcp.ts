import { DAY, isoDate } from '#core/clock';
import { compare } from '../measuring/comparison.ts';
import { load } from '../measuring/load.ts';
import { atLeast, atMost, type Figure, median, none, seen } from '../measuring/table.ts';
import { DAYS as FULL_DAYS } from '../stand/archive.ts';
import type { Environment } from '../stand/environment.ts';
import { openStand } from '../stand/stand.ts';
import { type Neighbour, startNeighbour } from './hostile/neighbour.ts';

const SECONDS = 5;
/** How many days the series contains. */
const DAYS = 90;

const message = (name: string, given: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });

/** Each round measures the load through the API, and then the same load through the tool. */
const ROUNDS = 9;
const ROUND_SECONDS = 3;

type Calls = { url: string; key: string; name: string; given: object; path: string };

/** Compares another user's p95 while one user reads full-range histories with the tool and through the API. */
async function compareNeighbours(neighbour: Neighbour, { url, key, name, given, path }: Calls): Promise<Figure[]> {
  const targets = { api: { url: `${url}${path}` }, tool: { url: `${url}/mcp`, body: message(name, given) } };
  const figures: Figure[] = [];
  for (const connections of [4, 16]) {
    const measured: Record<keyof typeof targets, number[]> = { api: [], tool: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const by of ['api', 'tool'] as const) {
        const calls = { ...targets[by], keys: [key], seconds: ROUND_SECONDS, connections };
        measured[by].push((await neighbour.during(() => load(calls))).spell.p95);
      }
    }
    const ratio = median(measured.tool.map((p95, i) => p95 / (measured.api[i] ?? Number.NaN)));
    const p95 = (by: keyof typeof targets) => `${median(measured[by]).toPrecision(3)} ms`;
    figures.push(
      atMost(
        `neighbour's p95 during ${name} of the full range in ${connections} loops, against the API`,
        ratio,
        1.5,
        '×',
      ),
      seen('… p95 with the tool; through the API', `${p95('tool')}; ${p95('api')}`),
    );
  }
  return figures;
}

/** Compares tools with the same calls to the API, and measures another user's latency meanwhile. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, 2);
  const [key = '', neighbourKey = ''] = stand.keys;
  await stand.fillArchive(['bitcoin']);
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
  const range = { fromDate: isoDate(Date.now() - (FULL_DAYS - 1) * DAY), thruDate: isoDate(Date.now()) };
  const full = { tokenName: 'bitcoin', ...range };
  const path = `/v1/prices/history/date/range?${new URLSearchParams(full)}`;
  figures.push(...(await compareNeighbours(neighbour, { url, key, name: 'get_price_history', given: full, path })));
  await neighbour.close();
  await stand.close();
  return figures;
}
