import { Pool } from 'undici';
import type { Document, published } from '../../fixtures/published.ts';
import { decoded } from '../../fixtures/raw-answer.ts';
import type { Book, User } from './book.ts';
import type { Fleet, Member } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { ReclaimGuard } from './outages.ts';
import type { Question } from './questions.ts';

/** By then every process has read what another one has fetched, in ms. */
const KNOWN_EVERYWHERE_AFTER = 5_000;
const UPSTREAM_FAILED = new Set(['upstream_invalid', 'upstream_unavailable', 'upstream_timeout']);
const DATABASE_FAILED = new Set(['database_unavailable', 'overloaded']);

export type Heard = { status: number; headers: Record<string, string>; body: string };

type Parts = {
  fleet: Fleet;
  contract: ReturnType<typeof published>;
  book: Book;
  journal: Journal;
  databaseOutages: ReclaimGuard;
};

/** Finds the path of the description, such as `/v1/node/txs/{hash}`, of which a path is one. */
function createTemplates({ paths }: Document) {
  const templates = Object.keys(paths).filter((path) => path.includes('{'));
  const patterns = templates.map((path) => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)] as const);
  return (path: string): string => patterns.find(([, pattern]) => pattern.test(path))?.[0] ?? path;
}

/** Asks the service, and holds every answer to what may be answered; the journal is told of what may not. */
export function createAsking({ fleet, contract, book, journal, databaseOutages }: Parts) {
  const pools = new Map(
    fleet.members.map((member) => [member, new Pool(member.url, { connections: 40, headersTimeout: 60_000 })]),
  );
  const templateOf = createTemplates(contract.document);
  /** When the same words were first answered well. */
  const answeredSince = new Map<string, number>();
  const seen = new Map<string, number>();
  const operations = new Set<string>();

  async function send(member: Member, { method, path, headers, body }: Question, apiKey?: string) {
    const response = await (pools.get(member) as Pool).request({
      ...{ method, path, body: body ?? null },
      headers: { ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...headers },
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const heard = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    const received = Object.fromEntries(heard) as Record<string, string>;
    return {
      status: response.statusCode,
      headers: received,
      body: decoded(bytes, received['content-encoding']),
    };
  }

  /** Why a status that the question does not expect may be the answer all the same. */
  function isExcused(question: Question, code: string | undefined, asked: number, answered: number): boolean {
    if (code === undefined) return false;
    if (DATABASE_FAILED.has(code)) return databaseOutages.touch(asked, answered);
    if (!UPSTREAM_FAILED.has(code)) return false;
    if (question.upstream === 'always') return true;
    const since = answeredSince.get(question.path) ?? Number.POSITIVE_INFINITY;
    return question.upstream === 'untilAnswered' && asked < since + KNOWN_EVERYWHERE_AFTER;
  }

  function judge(question: Question, heard: Heard, where: string, asked: number, user?: User): void {
    const { method, path, isBeside, expects } = question;
    const plainPath = path.replace(/\?.*/, '');
    const { status, headers, body } = heard;
    const code = status >= 400 ? /"code":"(\w+)"/.exec(body)?.[1] : undefined;
    const kind = code ? `${status} ${code}` : String(status);
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const template = templateOf(plainPath);
    operations.add(`${method} ${template}`);

    const faults = isBeside ? [] : contract.faults({ method, path: template, status, headers, body });
    if (faults.length > 0) journal.fault('contract', `${where} → ${kind}: ${faults.slice(0, 5).join('; ')}`);
    const isSpent = status === 429 && code === 'quota_exceeded' && question.isPriced && user?.isScarce;
    if (expects.includes(status) || isSpent) return;
    if (!isExcused(question, code, asked, performance.now())) {
      journal.fault('unexpected', `${where} → ${kind}: ${body.slice(0, 300)}`);
    }
  }

  return {
    /** One question to one process; undefined where its connection broke. */
    async ask(member: Member, question: Question, user?: User): Promise<Heard | undefined> {
      const asked = performance.now();
      const where = `${member.name} ${question.method} ${question.path}`;
      try {
        const heard = await send(member, question, question.isOpen ? undefined : user?.apiKey);
        const isAnswered = heard.status >= 200 && heard.status < 300;
        if (isAnswered && question.isPriced && user) book.answered(user, member);
        judge(question, heard, where, asked, user);
        if (isAnswered && !answeredSince.has(question.path)) {
          answeredSince.set(question.path, performance.now());
        }
        return heard;
      } catch (error) {
        if (question.isPriced && user) book.unanswered(user);
        const { code, message } = error as { code?: string; message: string };
        if (!member.outages.touch(asked, performance.now())) {
          journal.fault('connection', `${where}: ${code ?? ''} ${message}`);
        }
        return undefined;
      }
    },

    /** How often each kind of answer was seen. */
    seen: (): [string, number][] => [...seen].sort(([a], [b]) => (a < b ? -1 : 1)),

    /** What the description has and nobody asked. */
    unasked(): string[] {
      const published = Object.entries(contract.document.paths).flatMap(([path, verbs]) =>
        Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
      );
      return published.filter((operation) => !operations.has(operation));
    },

    close: (): Promise<unknown> => Promise.all([...pools.values()].map((pool) => pool.destroy())),
  };
}

export type Asking = ReturnType<typeof createAsking>;
