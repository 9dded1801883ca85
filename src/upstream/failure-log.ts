import { type Clock, HOUR, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { Log } from '#core/log';
import { type IdentifyDatabaseFailure, identifyFailure } from './failure.ts';

/** Each cause is logged once in this time, in ms. */
const WINDOW = 10 * SECOND;
/** How often lines that are due are written, and a failing dependency is checked, in ms. */
const REVIEW_EVERY = SECOND;
/** An outage is over when nothing has failed for this much longer than a statement may take, in ms. */
const QUIET = 2 * SECOND;
/** An outage without news is forgotten after this, in ms: an upstream in use is called more often, whatever its budget. */
const FORGOTTEN_AFTER = 6 * HOUR;

/** The failures of one cause since its last line, which was written at an instant of the monotonic clock. */
type Cause = { loggedAt: number; count: number; work: Record<string, number>; facts: object };

const nothingSince = () => ({ count: 0, work: {}, facts: {} });

/** What is known of an outage. Instants are of the monotonic clock. */
type Outage = {
  since: number;
  failedAt: number;
  /** The first success since the last failure. */
  workedAt: number | undefined;
  count: number;
  isLogged: boolean;
};

type Level = 'info' | 'warn';

/** What fails: the database, an upstream, a piece of work. */
type Subject = {
  /** The first word of its lines. */
  name: string;
  level: Level;
  facts: object;
  /** Kept for ten seconds after the last line, also when the outage is over. */
  causes: Map<string, Cause>;
  latestCause: string;
  /** Whether its recovery is noticed. */
  recovers: boolean;
  outage: Outage | undefined;
};

/** The cause where only a consequence of a failure is known. */
const UNKNOWN = 'unknown';

type Dependencies = {
  log: Log;
  clock: Clock;
  identifyDatabaseFailure: IdentifyDatabaseFailure;
  /** How long anybody waits for a statement, in ms: what began before a recovery has timed out by then. */
  deadline: number;
};

/**
 * Logs what fails again and again: each cause once in ten seconds, with the number of failures since its last line, and
 * the recovery once, with how long it took. A failure of any work counts as one of the database or of an upstream where
 * that caused it.
 */
export function createFailureLog({ log, clock, identifyDatabaseFailure, deadline }: Dependencies) {
  const subjects = new Map<string, Subject>();
  const observed = new Set<string>();
  const checks = new Map<string, () => Promise<void>>();
  const checking = new Set<string>();
  let reviewing: ReturnType<typeof every> | undefined;
  let writing: NodeJS.Immediate | undefined;

  /** Writes what has failed since the last line of a cause, where that line is so old, in ms. */
  function writeDue({ name, level, facts, causes, outage }: Subject, now: number, window = WINDOW): void {
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

  /** An outage that was not logged yet waits for its line: two of them in ten seconds are two lines of each kind at most. */
  function endIfOver(subject: Subject, now: number): void {
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

  function check(key: string): void {
    const ask = checks.get(key);
    if (!ask || checking.has(key)) return;
    checking.add(key);
    ask()
      .then(
        () => worked(key),
        (error) => failed('check', error),
      )
      .finally(() => checking.delete(key));
  }

  function review(): void {
    const now = clock.elapsed();
    for (const [key, subject] of subjects) {
      writeDue(subject, now);
      endIfOver(subject, now);
      if (subject.outage) check(key);
      else if (subject.causes.size === 0) subjects.delete(key);
    }
    if (subjects.size > 0) return;
    void reviewing?.close();
    reviewing = undefined;
  }

  /** A fetch and the request that waited for it fail in one turn of the event loop: after it they are one line. */
  function writeAfterTurn(): void {
    writing ??= setImmediate(() => {
      writing = undefined;
      for (const subject of subjects.values()) writeDue(subject, clock.elapsed());
    });
  }

  /**
   * A piece of work failed.
   * @param work as the log names it: `settlement`
   * @param facts about this failure; the line has those of the latest
   * @param level of the line where the work itself failed; failures of dependencies are warnings
   */
  function failed(work: string, error: unknown, facts: object = {}, level: Level = 'warn'): void {
    const failure = identifyFailure(work, error, identifyDatabaseFailure, observed);
    const { key, name, about, recovers, details } = failure;
    const now = clock.elapsed();
    const subject = subjects.get(key) ?? {
      ...{ name, level: recovers ? 'warn' : level, facts: about, causes: new Map() },
      ...{ latestCause: UNKNOWN, recovers, outage: undefined },
    };
    subjects.set(key, subject);
    const cause = failure.cause ?? subject.latestCause;
    subject.latestCause = cause;
    subject.outage = {
      ...(subject.outage ?? { since: now, count: 0, isLogged: false }),
      ...{ failedAt: now, workedAt: undefined },
    };
    subject.outage.count += 1;

    const entry = subject.causes.get(cause) ?? { loggedAt: Number.NEGATIVE_INFINITY, ...nothingSince() };
    subject.causes.set(cause, entry);
    entry.count += 1;
    entry.work[work] = (entry.work[work] ?? 0) + 1;
    // A reason that is given says it all.
    entry.facts = { ...entry.facts, ...('reason' in facts ? {} : details), ...facts };
    if (now - entry.loggedAt >= WINDOW) writeAfterTurn();
    reviewing ??= every(REVIEW_EVERY, review, { isUnref: true });
  }

  /** A dependency did what it was asked: `database`, or the name of an upstream. */
  function worked(key: string): void {
    const outage = subjects.get(key)?.outage;
    if (outage) outage.workedAt ??= clock.elapsed();
  }

  return {
    failed,
    worked,

    /** From now on `worked` reports the successes of this upstream, so its recovery is noticed. */
    observe: (upstream: string): void => void observed.add(upstream),

    /** While this dependency fails it is checked once a second, so that its recovery is seen without a request. */
    watch: (key: string, ask: () => Promise<void>): void => void checks.set(key, ask),

    /** Writes the lines that are due, and notices recoveries: once a second while anything fails. */
    review,

    /** Writes the lines that wait for the end of their ten seconds. */
    close(): void {
      void reviewing?.close();
      clearImmediate(writing);
      for (const subject of subjects.values()) writeDue(subject, clock.elapsed(), 0);
    },
  };
}

export type FailureLog = ReturnType<typeof createFailureLog>;
