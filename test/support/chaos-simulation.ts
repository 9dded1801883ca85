import { DAY } from '../../src/domain/clock.ts';
import { TOKEN_NAMES, type TokenName } from '../../src/domain/token.ts';
import { openLog, openParts, type Parts } from '../../src/parts.ts';
import { Problem } from '../../src/problems.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import type { Answer } from '../../src/services/answer.ts';
import { readSettings } from '../../src/settings.ts';
import type { Database } from '../../src/stores/database.ts';
import { createTestClock } from './clock.ts';
import { statisticsSettings } from './statistics-settings.ts';

export type Counts = Record<'latest' | 'chart' | 'daily' | 'hours', number>;
type Question = (market: Parts['market']) => Answer | Promise<Answer>;

/** What is asked at an instant. */
export type Questions = (random: () => number, now: number) => Question[];

/** Evenly spread numbers in [0, 1) that are the same each time (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const startOfDate = (at: number) => Math.floor(at / DAY) * DAY;
/** As far back as the demo plan reaches, with a day to spare. */
const REACH = 363;

/** What a user may ask at an instant: any endpoint, any token, any window within the plan's reach. */
export function anyQuestion(random: () => number, now: number): Question {
  const whole = (below: number) => Math.floor(random() * below);
  const token = TOKEN_NAMES[whole(TOKEN_NAMES.length)] as TokenName;
  const today = startOfDate(now);
  const from = today - whole(REACH) * DAY;
  const thru = Math.min(today, from + whole(40) * DAY);
  const questions: Question[] = [
    (market) => market.latest(token),
    (market) => market.days(token, 1, 'json'),
    (market) => market.days(token, 2 + whole(9), 'json'),
    (market) => market.days(token, 11 + whole(REACH - 11), 'json'),
    (market) => market.date(token, from, 'json'),
    (market) => market.range(token, 'day', from, thru, 'json'),
    (market) => market.range(token, 'hour', from, thru, 'csv'),
    (market) => market.range(token, 'minute', today, today, 'json'),
  ];
  return questions[whole(questions.length)] as Question;
}

/** The same without the windows of one's own, and of one token at a time: for months, which would take hours. */
export function commonQuestions(random: () => number, now: number): Question[] {
  const token = () => TOKEN_NAMES[Math.floor(random() * TOKEN_NAMES.length)] as TokenName;
  const [one, two, three, four] = [token(), token(), token(), token()];
  return [
    (market) => market.latest(one),
    (market) => market.days(one, 1, 'json'),
    (market) => market.days(two, 7, 'json'),
    (market) => market.days(three, 365, 'json'),
    (market) => market.date(four, startOfDate(now), 'json'),
  ];
}

/** What ten thousand users ask in a minute: everything that is not the same as something else, and windows of their own. */
export function everyQuestion(random: () => number, now: number): Question[] {
  const common = TOKEN_NAMES.flatMap((token): Question[] => [
    (market) => market.latest(token),
    (market) => market.days(token, 1, 'json'),
    (market) => market.days(token, 7, 'json'),
    (market) => market.days(token, 365, 'json'),
    (market) => market.date(token, startOfDate(now), 'json'),
  ]);
  return [...common, ...Array.from({ length: 15 }, () => anyQuestion(random, now))];
}

function kindOf({ path, query }: Sandbox['calls'][number]): keyof Counts {
  if (path.endsWith('/coins/markets')) return 'latest';
  if (query.interval === 'daily') return 'daily';
  return query.days === '1' ? 'chart' : 'hours';
}

type Options = {
  /** Opens the database for one more process. */
  open: () => Promise<Database>;
  processes: number;
  env?: Readonly<Record<string, string>>;
  start?: string;
  seed?: number;
};

/** The service in one or several processes, without its HTTP, on a clock that goes from minute to minute. */
export async function openSimulation({
  open,
  processes,
  env,
  start = '2026-05-01T00:00:00Z',
  seed = 1,
}: Options) {
  const clock = createTestClock(start);
  const sandbox = await startSandbox({ clock, plan: 'demo' });
  const settings = readSettings({
    COINGECKO_URL: sandbox.coingeckoUrl,
    COINGECKO_PLAN: 'demo',
    ...statisticsSettings(sandbox),
    ...env,
  });
  const databases: Database[] = [];
  const opened: Parts[] = [];
  for (let i = 0; i < processes; i++) {
    const database = await open();
    databases.push(database);
    opened.push(await openParts(settings, { clock, database, logger: openLog('silent') }));
  }
  const random = createRandom(seed);
  /** A thing's first call fills the archive; those after it are the timetable's. Hours are fills, all of them. */
  const seen = new Set<string>();
  const calls: Counts = { latest: 0, chart: 0, daily: 0, hours: 0 };
  const failures: string[] = [];
  let busiestStep = 0;
  let firstFills = 0;
  let answers = 0;
  let oldest = 0;
  let lastCallAt = 0;

  function tally(): void {
    for (const call of sandbox.calls) {
      const kind = kindOf(call);
      const what = `${kind} ${call.path}`;
      if (kind === 'hours' || (kind === 'daily' && !seen.has(what))) firstFills += 1;
      else calls[kind] += 1;
      seen.add(what);
      lastCallAt = call.at;
    }
    busiestStep = Math.max(busiestStep, sandbox.calls.length);
    sandbox.clearCalls();
  }

  async function ask({ market }: Parts, question: Question): Promise<void> {
    try {
      const answer = await question(market);
      answers += 1;
      if (answer.fetchedAt !== undefined) oldest = Math.max(oldest, clock.now() - answer.fetchedAt);
    } catch (error) {
      const what = error instanceof Problem ? `${error.code}: ${error.message}` : String(error);
      failures.push(`${new Date(clock.now()).toISOString()} ${what}`);
    }
  }

  return {
    clock,
    sandbox,
    processes: opened,
    /** Every process looks what the others have written, everybody asks, then time passes. */
    async step(ms: number, questions: Questions): Promise<void> {
      for (const parts of opened) await parts.watch();
      const asked = opened.flatMap((parts) =>
        questions(random, clock.now()).map((question) => ask(parts, question)),
      );
      await Promise.all(asked);
      for (const parts of opened) await parts.market.idle();
      tally();
      clock.advance(ms);
    },
    /**
     * What the aggregator was asked, by what for, and when last (Unix ms); how many answers there were, how old the
     * oldest (ms); what failed.
     */
    outcome: () => ({
      calls,
      firstFills,
      total: calls.latest + calls.chart + calls.daily + firstFills,
      busiestStep,
      answers,
      oldest,
      lastCallAt,
      failures,
    }),
    async close(): Promise<void> {
      for (const parts of opened) await parts.close();
      for (const database of databases) await database.close();
      await sandbox.close();
    },
  };
}

export type Simulation = Awaited<ReturnType<typeof openSimulation>>;
