import { createHash } from 'node:crypto';
import { chartInterval, chartOf, type Window } from './chart.ts';
import { coinDetails, coinList, coinMarkets, searchCoins } from './coin-markets.ts';
import {
  beyondReach,
  coinNotFound,
  demoKeyOnPro,
  incorrectPath,
  invalidParameter,
  missingKey,
  missingParameter,
  PLANS,
  type PlanName,
  paidPlansOnly,
} from './errors.ts';
import { type SandboxToken, sandboxToken } from './tokens.ts';
import type { Answer, Setting, Upstream, UpstreamRequest } from './upstream.ts';
import { DAY, isoDate, jsonReply, SECOND } from './upstream.ts';

/** `spent` is the number of calls this month, including the current call. */
type CoingeckoState = { seed: number; plan: PlanName; now: number; spent: number };

const reachOf = ({ plan }: CoingeckoState) => PLANS[plan].historyDays;

function ok(body: unknown): Answer {
  return jsonReply(200, body, {
    'cache-control': 'public, max-age=30',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'link, per-page, total',
    vary: 'Accept-Encoding, Origin',
    etag: `W/"${createHash('md5').update(JSON.stringify(body)).digest('hex')}"`,
  });
}

function parameterError(query: URLSearchParams, required: readonly string[]): Answer | null {
  const missing = required.find((name) => !query.get(name));
  if (missing) return missingParameter(missing);
  const currency = query.get('vs_currency')?.toLowerCase() ?? 'usd';
  return currency === 'usd' ? null : invalidParameter('vs_currency');
}

function markets(query: URLSearchParams, { seed, now }: CoingeckoState): Answer {
  // CoinGecko treats an ID with a leading space as unknown and omits it, so IDs are not trimmed.
  const error = parameterError(query, ['vs_currency']);
  if (error) return error;
  const [perPage, page] = [Number(query.get('per_page') ?? 100), Number(query.get('page') ?? 1)];
  if (!(perPage > 0)) return invalidParameter('per_page');
  if (!(page > 0)) return invalidParameter('page');
  return ok(coinMarkets(seed, query.get('ids')?.split(',') ?? null, now, { perPage, page }));
}

function chart(token: string, query: URLSearchParams, window: Window, state: CoingeckoState): Answer {
  const { seed, now } = state;
  const to = Math.min(window.to, now);
  const interval = chartInterval({ from: window.from, to }, now, query.get('interval'));
  return ok(chartOf(seed, token, interval, { from: window.from, to }, now));
}

function marketChart(token: string, query: URLSearchParams, state: CoingeckoState): Answer {
  const error = parameterError(query, ['vs_currency', 'days']);
  if (error) return error;
  const days = query.get('days') === 'max' ? Number.POSITIVE_INFINITY : Number(query.get('days'));
  if (days !== Number.POSITIVE_INFINITY && !(Number.isInteger(days) && days > 0)) return invalidParameter('days');
  if (days > reachOf(state)) return beyondReach(state.now, reachOf(state));
  return chart(token, query, { from: state.now - days * DAY, to: state.now }, state);
}

function marketChartRange(token: string, query: URLSearchParams, state: CoingeckoState): Answer {
  const error = parameterError(query, ['vs_currency', 'from', 'to']);
  if (error) return error;
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  if (!Number.isFinite(from)) return invalidParameter('from');
  if (!Number.isFinite(to)) return invalidParameter('to');
  const reach = Math.floor(state.now / SECOND) - reachOf(state) * (DAY / SECOND);
  if (from < reach) return beyondReach(state.now, reachOf(state));
  return chart(token, query, { from: from * SECOND, to: to * SECOND }, state);
}

function key(headers: UpstreamRequest['headers'], state: CoingeckoState): Answer {
  const plan = PLANS[state.plan];
  if (!('name' in plan)) return paidPlansOnly(state.now);
  if (!headers['x-cg-pro-api-key']) return missingKey(state.now);
  const { name, perMinute, perMonth } = plan;
  return ok({
    plan: name,
    rate_limit_request_per_minute: perMinute,
    monthly_call_credit: perMonth,
    current_total_monthly_calls: state.spent,
    current_remaining_monthly_calls: perMonth - state.spent,
    api_key_rate_limit_request_per_minute: perMinute,
    api_key_monthly_call_credit: perMonth,
    api_key_current_total_monthly_calls: state.spent,
  });
}

const details = (token: string, _query: URLSearchParams, { seed, now }: CoingeckoState): Answer =>
  ok(coinDetails(seed, sandboxToken(token) as SandboxToken, now));

const COIN_ROUTES = new Map([
  ['', details],
  ['market_chart', marketChart],
  ['market_chart/range', marketChartRange],
]);
const LISTS: ReadonlySet<string> = new Set(['/coins/markets', '/coins/list']);
const COIN_PATH = /^\/coins\/([^/]+)(?:\/(.+))?$/;

export function answerCoingecko(request: UpstreamRequest, state: CoingeckoState): Answer {
  const { method, path, query, headers } = request;
  if (method !== 'GET') return incorrectPath();
  const demoKey = headers['x-cg-demo-api-key'] ?? query.get('x_cg_demo_api_key');
  if ('name' in PLANS[state.plan] && demoKey) return demoKeyOnPro(state.now);
  if (path === '/ping') return ok({ gecko_says: '(V3) To the Moon!' });
  if (path === '/key') return key(headers, state);
  if (path === '/coins/markets') return markets(query, state);
  if (path === '/coins/list') return ok(coinList());
  if (path === '/search') return ok(searchCoins(query.get('query') ?? ''));
  const [, id = '', rest = ''] = COIN_PATH.exec(path) ?? [];
  const route = COIN_ROUTES.get(rest);
  if (!route) return incorrectPath();
  return sandboxToken(id) ? route(id, query, state) : coinNotFound();
}

export function createCoingecko({ clock, ...state }: Setting & { plan: PlanName }): Upstream {
  let month = { name: '', spent: 0 };
  return {
    prefix: '/api/v3',
    endpointOf: (path) =>
      LISTS.has(path)
        ? path
        : path.replace(COIN_PATH, (_path, _id, rest) => (rest ? `/coins/{id}/${rest}` : '/coins/{id}')),
    answer(request) {
      const now = clock.now();
      const name = isoDate(now).slice(0, 7);
      month = { name, spent: name === month.name ? month.spent + 1 : 1 };
      return answerCoingecko(request, { ...state, now, spent: month.spent });
    },
  };
}
