import type { LatestPrice, PriceSeries, TokenStatistics } from '../client/index.ts';
import { type Call, pathOf } from './call.ts';
import type { Session } from './session.ts';
import { type Shown, staleReason } from './shown.ts';

/** For so long an answer serves without asking again, in ms: going back and forth on the page costs nothing. */
const FRESH_MS = 60_000;

type Results = {
  latest: LatestPrice;
  days: PriceSeries;
  range: PriceSeries;
  statistics: TokenStatistics;
};
type Kind = keyof Results;
export type MarketCall = Extract<Call, { kind: Kind }>;

function send({ client }: Session, call: MarketCall, signal?: AbortSignal): Promise<Results[Kind]> {
  switch (call.kind) {
    case 'latest':
      return client.latestPrice(call.token, { signal });
    case 'days':
      return client.priceHistory(call.token, { days: call.days }, { signal });
    case 'range':
      return client.priceRange(call.token, { from: call.from, thru: call.thru }, { signal });
    case 'statistics':
      return client.statistics(call.token, { signal });
  }
}

/** Asks the service, and keeps what it said for a minute. */
export function createMarket(session: Session) {
  const kept = new Map<string, { shown: Promise<Shown<Results[Kind]>>; at: number }>();

  async function fetchShown(call: MarketCall): Promise<Shown<Results[Kind]>> {
    const { client } = session;
    const value = await send(session, call);
    const about = client.about(value);
    const { age } = about ?? {};
    return {
      value,
      fetchedAt: age === undefined ? undefined : new Date(Date.now() - age * 1000),
      stale: staleReason(about?.cacheStatus),
      gaps: about?.gaps ?? [],
      source: about?.source,
    };
  }

  return {
    /** Rejects as the client does. `again` asks even if the answer is not a minute old. */
    ask<K extends Kind>(
      call: Extract<MarketCall, { kind: K }>,
      { again = false } = {},
    ): Promise<Shown<Results[K]>> {
      const name = pathOf(call);
      const known = kept.get(name);
      const now = performance.now();
      if (known && !again && now - known.at < FRESH_MS) return known.shown as Promise<Shown<Results[K]>>;
      const shown = fetchShown(call);
      kept.set(name, { shown, at: now });
      shown.catch(() => {
        if (kept.get(name)?.shown === shown) kept.delete(name);
      });
      return shown as Promise<Shown<Results[K]>>;
    },
    forget: () => kept.clear(),
  };
}

export type Market = ReturnType<typeof createMarket>;
