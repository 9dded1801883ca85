import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { PRICED } from '../support/service/hammer.ts';

/** Per second: calls, over all keys and processes; registrations on each process. */
const CALLS = 200;
const REGISTRATIONS = 4;
/** For each process: less than the service's backlog, which a busy machine would fill. */
const CONNECTIONS = 100;
/** In ms. A slower response does not count as full service. */
const SLOW = 2_000;

type Kind = 'call' | 'registration' | 'new key';
/** Instants in Unix ms. `outcome` is the status and the problem's code, or the error if there was no response. */
type TracedResponse = { process: number; kind: Kind; outcome: string; from: number; thru: number };

const isGood = ({ outcome, from, thru }: TracedResponse) => /^20[01]$/.test(outcome) && thru - from < SLOW;

/**
 * Sends requests at a constant rate, regardless of their outcome, as many clients would. Each key calls the processes
 * in turn. On each process, users register and create a key.
 */
export function startTraffic(urls: readonly string[], keys: readonly string[]) {
  const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS, headersTimeout: 60_000 }));
  const responses: TracedResponse[] = [];
  const charged = new Map<string, number>(keys.map((key) => [key, 0]));
  const created: string[] = [];
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  /** Returns the API key that the response contains. */
  async function send(process: number, kind: Kind, path: string, apiKey?: string): Promise<string | undefined> {
    const from = Date.now();
    const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    const method = kind === 'call' ? 'GET' : 'POST';
    const respond = (outcome: string) => responses.push({ process, kind, outcome, from, thru: Date.now() });
    try {
      const { statusCode, body } = await (pools[process] as Pool).request({ method, path, headers });
      const content = (await body.json()) as { code?: string; apiKey?: string };
      respond([statusCode, content.code].join(' ').trim());
      if (statusCode === 200 && apiKey) charged.set(apiKey, (charged.get(apiKey) ?? 0) + 1);
      if (statusCode === 201 && content.apiKey) created.push(content.apiKey);
      return content.apiKey;
    } catch (error) {
      respond((error as { code?: string }).code ?? String(error));
      return undefined;
    }
  }

  async function register(process: number): Promise<void> {
    const user = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', plan: 'monthly' });
    const apiKey = await send(process, 'registration', `/v1/user/create?${user}`);
    if (apiKey) await send(process, 'new key', '/v1/user/keys?label=page', apiKey);
  }

  /** Makes up for late timers, so that the rate is constant on a busy machine. */
  async function atRate(perSecond: number, request: (n: number) => Promise<unknown>): Promise<void> {
    const start = performance.now();
    for (let n = 0; !isStopped; n++) {
      const ahead = start + (n * 1_000) / perSecond - performance.now();
      if (ahead > 0) await wait(ahead);
      const tracked = request(n).then(() => void underWay.delete(tracked));
      underWay.add(tracked);
    }
  }

  const call = (n: number) => {
    const [process, round] = [n % urls.length, Math.floor(n / urls.length)];
    return send(process, 'call', PRICED, keys[round % keys.length]);
  };
  const sending = [atRate(CALLS, call), ...urls.map((_, process) => atRate(REGISTRATIONS, () => register(process)))];
  let stopping: Promise<void> | undefined;
  async function end(): Promise<void> {
    await Promise.all(sending);
    while (underWay.size > 0) await Promise.all(underWay);
    await Promise.all(pools.map((pool) => pool.close()));
  }
  /** When the last failed or slow request after an instant began, or the instant itself if there was none. */
  const lastBad = (since: number, own: readonly TracedResponse[] = responses): number =>
    Math.max(since, ...own.filter((one) => one.from > since && !isGood(one)).map(({ from }) => from));

  return {
    charged: charged as ReadonlyMap<string, number>,
    /** The keys in 201 responses. */
    created: created as readonly string[],
    good: () => responses.filter(isGood).length,
    lastBad,

    /** How many requests had each outcome. */
    outcomes(): Record<string, number> {
      const counts: Record<string, number> = {};
      for (const { outcome } of responses) counts[outcome] = (counts[outcome] ?? 0) + 1;
      return counts;
    },

    /**
     * How long after an instant each process was in full service, in ms: at the end of its first good request after the
     * last failed or slow one.
     */
    recoveryAfter: (instant: number): number[] =>
      urls.map((_, process) => {
        const own = responses.filter((one) => one.process === process);
        const last = lastBad(instant, own);
        if (last === instant) return 0;
        return Math.min(...own.filter((one) => one.from > last && isGood(one)).map(({ thru }) => thru)) - instant;
      }),

    /** Resolves when every request has a response. */
    stop(): Promise<void> {
      isStopped = true;
      stopping ??= end();
      return stopping;
    },
  };
}

export type Traffic = ReturnType<typeof startTraffic>;
