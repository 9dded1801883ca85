import { type Clock, HOUR, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { Log } from '#core/log';
import { type IdentifyDatabaseFailure, identifyFailure } from './failure.ts';

/** Each cause is logged once per window, in ms. */
const WINDOW = 10 * SECOND;
/** How often due lines are written and failing dependencies are checked, in ms. */
const REVIEW_INTERVAL = SECOND;
/** An outage ends when nothing has failed for the statement deadline plus this time, in ms. */
const QUIET = 2 * SECOND;
/** An outage without calls is forgotten after this time, in ms. Every budget allows more frequent calls. */
const FORGOTTEN_AFTER = 6 * HOUR;
/** The failures with one cause since the last log line for that cause. `loggedAt` is monotonic. */
type Cause = { loggedAt: number; count: number; work: Record<string, number>; facts: object };
const nothingSince = () => ({ count: 0, work: {}, facts: {} });

/** Instants are monotonic. */
type Outage = {
  since: number;
  failedAt: number;
  workedAt: number | undefined;
  count: number;
  isLogged: boolean;
};

type Level = 'info' | 'warn';

type Subject = {
  name: string;
  level: Level;
  facts: object;
  /** The causes, kept for a window after the last line, even if the outage has ended. */
  causes: Map<string, Cause>;
  latestCause: string;
  /** Whether the subject's recovery is detected. */
  recovers: boolean;
  outage: Outage | undefined;
};

const UNKNOWN = 'unknown';

type Dependencies = {
  log: Log;
  clock: Clock;
  identifyDatabaseFailure: IdentifyDatabaseFailure;
  /** The statement deadline, in ms. Work that started before a recovery times out within this time. */
  deadline: number;
};

function writeDue(log: Log, { name, level, facts, causes, outage }: Subject, now: number, window = WINDOW): void {
  for (const [cause, entry] of causes) {
    if (now - entry.loggedAt < window) continue;
    if (entry.count === 0) {
      causes.delete(cause);
      continue;
    }
    const { count, work, facts: latest } = entry;
    Object.assign(entry, { loggedAt: now, ...nothingSince() });
    if (outage) outage.isLogged = true;
    const sinceMs = Math.round(now - (outage?.since ?? now));
    log[level]({ ...facts, cause, count, sinceMs, work, ...latest }, `${name} failed`);
  }
}

/** Ends a logged outage if it is over, so that two outages in a window log at most two lines of each kind. */
function endIfOver({ log, deadline }: Pick<Dependencies, 'log' | 'deadline'>, subject: Subject, now: number): void {
  const { name, facts, causes, recovers, outage } = subject;
  if (outage === undefined) return;
  const { since, failedAt, workedAt, count, isLogged } = outage;
  const quiet = now - failedAt;
  if (quiet >= (recovers ? FORGOTTEN_AFTER : WINDOW)) subject.outage = undefined;
  else if (workedAt !== undefined && isLogged && quiet >= deadline + QUIET) {
    subject.outage = undefined;
    for (const entry of causes.values()) Object.assign(entry, nothingSince());
    log.info({ ...facts, durationMs: Math.round(workedAt - since), count }, `${name} recovered`);
  }
}

function newSubject({ name, about: facts, recovers }: ReturnType<typeof identifyFailure>, level: Level): Subject {
  const shared = { name, facts, recovers, level: recovers ? 'warn' : level } as const;
  return { ...shared, causes: new Map(), latestCause: UNKNOWN, outage: undefined };
}

function addFailure(subject: Subject, cause: string, work: string, facts: object, now: number): Cause {
  subject.latestCause = cause;
  subject.outage ??= { since: now, failedAt: now, workedAt: undefined, count: 0, isLogged: false };
  Object.assign(subject.outage, { failedAt: now, workedAt: undefined, count: subject.outage.count + 1 });
  const entry: Cause = subject.causes.get(cause) ?? { loggedAt: Number.NEGATIVE_INFINITY, ...nothingSince() };
  subject.causes.set(cause, entry);
  entry.count += 1;
  entry.work[work] = (entry.work[work] ?? 0) + 1;
  entry.facts = { ...entry.facts, ...facts };
  return entry;
}

/** Logs each cause at most once per ten seconds, and the recovery of the dependency that caused it (see the README). */
export function createFailureLog({ log, clock, identifyDatabaseFailure, deadline }: Dependencies) {
  const subjects = new Map<string, Subject>();
  const observed = new Set<string>();
  const checks = new Map<string, () => Promise<void>>();
  const checking = new Set<string>();
  let reviewing: ReturnType<typeof every> | undefined;
  let writing: NodeJS.Immediate | undefined;

  function check(key: string): void {
    const check = checks.get(key);
    if (!check || checking.has(key)) return;
    checking.add(key);
    check()
      .then(
        () => worked(key),
        (error) => failed('check', error),
      )
      .finally(() => checking.delete(key));
  }

  function review(): void {
    const now = clock.elapsed();
    for (const [key, subject] of subjects) {
      writeDue(log, subject, now);
      endIfOver({ log, deadline }, subject, now);
      if (subject.outage) check(key);
      else if (subject.causes.size === 0) subjects.delete(key);
    }
    if (subjects.size > 0) return;
    void reviewing?.close();
    reviewing = undefined;
  }

  /** Waits for one turn, because a fetch and a request that waits for it fail in the same turn and share one line. */
  function writeAfterTurn(): void {
    writing ??= setImmediate(() => {
      writing = undefined;
      for (const subject of subjects.values()) writeDue(log, subject, clock.elapsed());
    });
  }

  /** Logs `work` and `fields`. `level` applies unless a dependency failed. Such a failure is always a warning. */
  function failed(work: string, error: unknown, fields: object = {}, level: Level = 'warn'): void {
    const failure = identifyFailure(work, error, identifyDatabaseFailure, observed);
    const { key, details } = failure;
    const now = clock.elapsed();
    const subject = subjects.get(key) ?? newSubject(failure, level);
    subjects.set(key, subject);
    // A reason given by the caller replaces the details.
    const loggedFields = { ...('reason' in fields ? {} : details), ...fields };
    const entry = addFailure(subject, failure.cause ?? subject.latestCause, work, loggedFields, now);
    if (now - entry.loggedAt >= WINDOW) writeAfterTurn();
    reviewing ??= every(REVIEW_INTERVAL, review, { isUnref: true });
  }

  /** Reports that a dependency succeeded. `key` is `database` or the name of an upstream. */
  function worked(key: string): void {
    const outage = subjects.get(key)?.outage;
    if (outage) outage.workedAt ??= clock.elapsed();
  }

  return {
    failed,
    worked,
    /** Registers an upstream that reports its successes, so that its recovery is detected. */
    observe: (upstream: string): void => void observed.add(upstream),
    /** Checks a failing dependency once a second, so that its recovery is detected without a request. */
    watch: (key: string, check: () => Promise<void>): void => void checks.set(key, check),
    review,

    close(): void {
      void reviewing?.close();
      clearImmediate(writing);
      for (const subject of subjects.values()) writeDue(log, subject, clock.elapsed(), 0);
    },
  };
}

export type FailureLog = ReturnType<typeof createFailureLog>;
