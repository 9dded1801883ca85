import { Pool } from 'undici';
import type { Document, published } from '../../fixtures/published.ts';
import { decoded } from '../../fixtures/raw-response.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Ledger, User } from './ledger.ts';
import type { Outages } from './outages.ts';
import type { Query } from './queries.ts';

/** The time in ms within which every process reads data that another process fetched. */
const PROPAGATION_MS = 5_000;
const UPSTREAM_FAILED = new Set(['upstream_invalid', 'upstream_unavailable', 'upstream_timeout']);
const DATABASE_FAILED = new Set(['database_unavailable', 'overloaded']);

export type Received = { status: number; headers: Record<string, string>; body: string };

type Parts = {
  fleet: Fleet;
  contract: ReturnType<typeof published>;
  ledger: Ledger;
  journal: Journal;
  databaseOutages: Outages;
};

/** Returns a function that maps a path to its template in the description, such as `/v1/node/txs/{hash}`. */
function createTemplates({ paths }: Document) {
  const templates = Object.keys(paths).filter((path) => path.includes('{'));
  const patterns = templates.map((path) => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)] as const);
  return (path: string): string => patterns.find(([, pattern]) => pattern.test(path))?.[0] ?? path;
}

/** Sends queries to the service, checks every response and reports unacceptable responses to the journal. */
export function createRequests({ fleet, contract, ledger, journal, databaseOutages }: Parts) {
  const pools = new Map(
    fleet.members.map((member) => [member, new Pool(member.url, { connections: 40, headersTimeout: 60_000 })]),
  );
  const templateOf = createTemplates(contract.document);
  /** The time of the first 2xx response to each path. */
  const respondedSince = new Map<string, number>();
  const seen = new Map<string, number>();
  const called = new Set<string>();

  async function exchange(member: Member, { method, path, headers, body }: Query, apiKey?: string) {
    const response = await (pools.get(member) as Pool).request({
      ...{ method, path, body: body ?? null },
      headers: { ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...headers },
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    const received = Object.fromEntries(fields) as Record<string, string>;
    return {
      status: response.statusCode,
      headers: received,
      body: decoded(bytes, received['content-encoding']),
    };
  }

  /** Whether a failure of an upstream or the database explains an unexpected status. */
  function isExcused(query: Query, code: string | undefined, sentAt: number, respondedAt: number): boolean {
    if (code === undefined) return false;
    if (DATABASE_FAILED.has(code)) return databaseOutages.overlaps(sentAt, respondedAt);
    if (!UPSTREAM_FAILED.has(code)) return false;
    if (query.upstream === 'always') return true;
    const since = respondedSince.get(query.path) ?? Number.POSITIVE_INFINITY;
    return query.upstream === 'untilAnswered' && sentAt < since + PROPAGATION_MS;
  }

  function check(query: Query, received: Received, where: string, sentAt: number, user?: User): void {
    const { method, path, isUndescribed, expects } = query;
    const plainPath = path.replace(/\?.*/, '');
    const { status, headers, body } = received;
    const code = status >= 400 ? /"code":"(\w+)"/.exec(body)?.[1] : undefined;
    const kind = code ? `${status} ${code}` : String(status);
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const template = templateOf(plainPath);
    called.add(`${method} ${template}`);

    const faults = isUndescribed ? [] : contract.faults({ method, path: template, status, headers, body });
    if (faults.length > 0) journal.fault('contract', `${where} → ${kind}: ${faults.slice(0, 5).join('; ')}`);
    const isSpent = status === 429 && code === 'quota_exceeded' && query.isPriced && user?.isScarce;
    if (expects.includes(status) || isSpent) return;
    if (!isExcused(query, code, sentAt, performance.now())) {
      journal.fault('unexpected', `${where} → ${kind}: ${body.slice(0, 300)}`);
    }
  }

  return {
    /** Sends a query to a process. Returns undefined if the connection broke. */
    async send(member: Member, query: Query, user?: User): Promise<Received | undefined> {
      const sentAt = performance.now();
      const where = `${member.name} ${query.method} ${query.path}`;
      try {
        const received = await exchange(member, query, query.isOpen ? undefined : user?.apiKey);
        const hasResponse = received.status >= 200 && received.status < 300;
        if (hasResponse && query.isPriced && user) ledger.recordResponse(user, member);
        check(query, received, where, sentAt, user);
        if (hasResponse && !respondedSince.has(query.path)) {
          respondedSince.set(query.path, performance.now());
        }
        return received;
      } catch (error) {
        if (query.isPriced && user) ledger.recordNoResponse(user);
        const { code, message } = error as { code?: string; message: string };
        if (!member.outages.overlaps(sentAt, performance.now())) {
          journal.fault('connection', `${where}: ${code ?? ''} ${message}`);
        }
        return undefined;
      }
    },

    /** The kinds of responses, with the number of responses of each kind. */
    seen: (): [string, number][] => [...seen].sort(([a], [b]) => (a < b ? -1 : 1)),

    /** Operations of the description that were not called. */
    uncalled(): string[] {
      const published = Object.entries(contract.document.paths).flatMap(([path, verbs]) =>
        Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
      );
      return published.filter((operation) => !called.has(operation));
    },

    close: (): Promise<unknown> => Promise.all([...pools.values()].map((pool) => pool.destroy())),
  };
}

export type Requests = ReturnType<typeof createRequests>;
