import { createHash } from 'node:crypto';
import {
  beyondReach,
  coinNotFound,
  demoKeyOnPro,
  incorrectPath,
  missingKey,
  PLANS,
  type PlanName,
  paidPlansOnly,
} from '../errors.ts';
import { type SandboxToken, sandboxToken } from '../tokens.ts';
import {
  type Answer,
  DAY,
  isoDate,
  jsonReply,
  routed,
  SECOND,
  type Setting,
  type Upstream,
  type UpstreamRequest,
} from '../upstream.ts';
import { chartInterval, chartOf, type Window } from './chart.ts';
import { coinDetails, coinList, coinMarkets } from './coin-markets.ts';

type CoingeckoState = { seed: number; plan: PlanName; now: number };

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

/** CoinGecko treats an ID with a leading space as unknown and omits it, so IDs are not trimmed. */
const markets = (query: URLSearchParams, { seed, now }: CoingeckoState): Answer =>
  ok(coinMarkets(seed, query.get('ids')?.split(',') ?? [], now, Number(query.get('per_page') ?? 100)));

function chart(token: string, query: URLSearchParams, window: Window, state: CoingeckoState): Answer {
  const { seed, now } = state;
  const to = Math.min(window.to, now);
  const interval = chartInterval({ from: window.from, to }, now, query.get('interval'));
  return ok(chartOf(seed, token, interval, { from: window.from, to }, now));
}

function marketChart(token: string, query: URLSearchParams, state: CoingeckoState): Answer {
  const days = query.get('days') === 'max' ? Number.POSITIVE_INFINITY : Number(query.get('days'));
  if (days > reachOf(state)) return beyondReach(state.now, reachOf(state));
  return chart(token, query, { from: state.now - days * DAY, to: state.now }, state);
}

function marketChartRange(token: string, query: URLSearchParams, state: CoingeckoState): Answer {
  const from = Number(query.get('from'));
  const reach = Math.floor(state.now / SECOND) - reachOf(state) * (DAY / SECOND);
  if (from < reach) return beyondReach(state.now, reachOf(state));
  return chart(token, query, { from: from * SECOND, to: Number(query.get('to')) * SECOND }, state);
}

function key(headers: UpstreamRequest['headers'], { plan: name, now }: CoingeckoState, spent: number): Answer {
  const plan = PLANS[name];
  if (!('name' in plan)) return paidPlansOnly(now);
  if (!headers['x-cg-pro-api-key']) return missingKey(now);
  const { perMinute, perMonth } = plan;
  return ok({
    plan: plan.name,
    rate_limit_request_per_minute: perMinute,
    monthly_call_credit: perMonth,
    current_total_monthly_calls: spent,
    current_remaining_monthly_calls: perMonth - spent,
    api_key_rate_limit_request_per_minute: perMinute,
    api_key_monthly_call_credit: perMonth,
    api_key_current_total_monthly_calls: spent,
  });
}

export function createCoingecko({ clock, seed, plan }: Setting & { plan: PlanName }): Upstream {
  let month = { name: '', spent: 0 };
  type Request = UpstreamRequest & { now: number };
  const ofCoin =
    (answer: (token: string, query: URLSearchParams, state: CoingeckoState) => Answer) =>
    ({ query, now }: Request, id: string) =>
      sandboxToken(id) ? answer(id, query, { seed, plan, now }) : coinNotFound();
  const routes = {
    'GET /key': ({ headers, now }: Request) => key(headers, { seed, plan, now }, month.spent),
    'GET /coins/markets': ({ query, now }: Request) => markets(query, { seed, plan, now }),
    'GET /coins/list': () => ok(coinList()),
    'GET /coins/{id}': ofCoin((id, _query, { now }) => ok(coinDetails(seed, sandboxToken(id) as SandboxToken, now))),
    'GET /coins/{id}/market_chart': ofCoin(marketChart),
    'GET /coins/{id}/market_chart/range': ofCoin(marketChartRange),
  };
  const upstream = routed('/api/v3', clock, routes, incorrectPath);
  return {
    ...upstream,
    answer(request) {
      const now = clock.now();
      const name = isoDate(now).slice(0, 7);
      month = { name, spent: name === month.name ? month.spent + 1 : 1 };
      const demoKey = request.headers['x-cg-demo-api-key'] ?? request.query.get('x_cg_demo_api_key');
      return 'name' in PLANS[plan] && demoKey ? demoKeyOnPro(now) : upstream.answer(request);
    },
  };
}
