import type { Gap } from '../client/index.ts';
import { at, span } from './format.ts';

/** Below this a figure is simply of now, and its time is enough. */
const YOUNG_MS = 10 * 60_000;

/** An answer, and how old it is. */
export type Shown<T> = {
  value: T;
  /** When its figures were fetched, by this machine's clock; undefined where they are long settled. */
  fetchedAt: Date | undefined;
  /** Why it is older than it should be, if it is: what the source does, in words. */
  stale: string | undefined;
  gaps: readonly Gap[];
  source: string | undefined;
};

/** What is the matter with the source, by the causes that the service names. */
const REASONS: Readonly<Record<string, string>> = {
  unreachable: 'cannot be reached',
  timeout: 'does not answer in time',
  rate_limited: 'takes no more calls for now',
  over_budget: 'is asked no more for now, to save its budget',
  resting: 'failed of late and is left alone for a while',
  server_error: 'fails',
  refused: 'refuses',
};

/** `fwd=stale; …; detail=timeout` of a Cache-Status (RFC 9211): being fetched at this moment is no failure. */
export function staleReason(status: string | undefined): string | undefined {
  if (!status?.includes('fwd=stale')) return undefined;
  const reason = /detail=([\w-]+)/.exec(status)?.[1] ?? 'unknown';
  return reason === 'refreshing' ? undefined : (REASONS[reason] ?? 'cannot be asked');
}

export type Aged = Pick<Shown<unknown>, 'fetchedAt' | 'stale'>;

/** The oldest of several answers, and whether any of them is stale. */
export function oldest(answers: readonly Aged[]): Aged {
  const [first] = answers
    .flatMap(({ fetchedAt }) => (fetchedAt ? [fetchedAt] : []))
    .sort((a, b) => a.getTime() - b.getTime());
  return { fetchedAt: first, stale: answers.find(({ stale }) => stale !== undefined)?.stale };
}

/** What there is to say of an answer's age. */
export function ageText({ fetchedAt, stale }: Aged, now: number): string {
  if (fetchedAt === undefined) return '';
  const old = now - fetchedAt.getTime();
  if (stale !== undefined) {
    return `${span(old)} old: the source ${stale}`;
  }
  return `As of ${at(fetchedAt, now)}${old < YOUNG_MS ? '' : `, ${span(old)} ago`}`;
}
