import { serviceNow } from '../../pages/clock.ts';
import { toError } from '../../pages/problem.ts';
import { type ApiCall, daysCall, type Result, staleReason } from './api-call.ts';
import type { Session } from './session.ts';

type OnResponse = (path: string, response: object) => void;

/** How long a response is reused, in ms, so that returning to a view costs no calls. */
const REUSE_MS = 60_000;

/** The path of the call whose response is also available as a free sample. */
const SAMPLED = daysCall('bitcoin', 30, 'usd').path;

/** Fetches market data and falls back to the last response if a call fails. */
export function createMarketData(session: Session, onResponse: OnResponse = () => undefined) {
  const recents = new Map<string, { result: Promise<Result<object>>; at: number }>();
  const resultsByPath = new Map<string, Result<object>>();

  async function load<T extends object>(call: ApiCall<T>): Promise<Result<T>> {
    const { client } = session;
    const value = await call.send(client);
    onResponse(call.path, value);
    return { value, ...metadataOf(client, value) };
  }

  async function loadSample(): Promise<Result<object> | undefined> {
    const { anonymous } = session;
    const sample = await anonymous.sample().catch(() => undefined);
    return sample && { value: sample.history, ...metadataOf(anonymous, sample), isSample: true };
  }

  function reusable(path: string): Promise<Result<object>> | undefined {
    const recent = recents.get(path);
    return recent && performance.now() - recent.at < REUSE_MS ? recent.result : undefined;
  }

  function metadataOf(client: Session['client'], response: object): Omit<Result<object>, 'value'> {
    const about = client.about(response);
    return {
      fetchedAt: about?.age === undefined ? undefined : new Date(serviceNow() - about.age * 1000),
      stale: staleReason(about?.cacheStatus),
      gaps: about?.gaps ?? [],
      sources: about?.sources ?? [],
    };
  }

  async function loadOrKeep<T extends object>(call: ApiCall<T>): Promise<Result<T>> {
    const { path } = call;
    try {
      const result = await load(call);
      resultsByPath.set(path, result);
      return result;
    } catch (error) {
      const last = resultsByPath.get(path) as Result<T> | undefined;
      if (!last) throw error;
      return { ...last, failure: toError(error) };
    }
  }

  return {
    /** Rejects only if there is no earlier response. A failed call sets `failure`. `refresh` prevents reuse. */
    async fetch<T extends object>(call: ApiCall<T>, { refresh = false } = {}): Promise<Result<T>> {
      const { path } = call;
      const recent = refresh ? undefined : reusable(path);
      if (recent) return recent as Promise<Result<T>>;
      const result = loadOrKeep(call);
      const entry = { result, at: performance.now() };
      recents.set(path, entry);
      const drop = () => {
        if (recents.get(path) === entry) recents.delete(path);
      };
      result.then(({ failure }) => failure && drop(), drop);
      return result;
    },

    /** Returns a reused response, the service's sample or undefined. Costs no call and never rejects. */
    async free<T extends object>({ path }: ApiCall<T>): Promise<Result<T> | undefined> {
      const recent = await reusable(path)?.catch(() => undefined);
      const result = recent ?? (path === SAMPLED ? await loadSample() : undefined);
      return result as Result<T> | undefined;
    },
  };
}

export type MarketData = ReturnType<typeof createMarketData>;
