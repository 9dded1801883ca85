import { type Gap, QuotientError } from '../error.ts';
import type { Problem } from '../generated/records.ts';
import { type Allowance, allowanceOf, retryAfterOf } from './retries.ts';

/** Metadata of an answer. */
export type Answer = {
  method: string;
  /** The path below the base URL, without its query. */
  path: string;
  status: number;
  /** Identifies the request in the service's log. */
  requestId?: string;
  /** Seconds since the data were fetched; absent for data that no longer change. */
  age?: number;
  /** The time of the newest sample. */
  modifiedAt?: Date;
  /** The missing spans of the requested range. */
  gaps: readonly Gap[];
  /** Who told the figures, whoever told most of them first; empty where there are none. */
  sources: readonly string[];
  /** The page of an explorer about it, where the service's operator has named one. */
  explorer?: string;
  /** `Cache-Status` (RFC 9211). */
  cacheStatus?: string;
  allowance?: Allowance;
};

/** Parses `2013-04-28/2024-11-21`. */
const toGap = (text: string): Gap => {
  const [from = '', thru = ''] = text.trim().split('/');
  return { from, thru };
};

/** A link of the service (RFC 8288). */
const EXPLORER = /<(https?:\/\/[^>\s]+)>; rel="alternate"; title="explorer"/;

/** Reads the metadata from an answer's headers. */
export function describeAnswer(method: string, path: string, { status, headers }: Response): Answer {
  const text = (name: string) => headers.get(name) ?? undefined;
  const [requestId, age] = [text('x-request-id'), text('age')];
  const modifiedAt = new Date(text('last-modified') ?? Number.NaN);
  const [gaps, source, cacheStatus] = [text('quotient-gaps'), text('quotient-source'), text('cache-status')];
  const allowance = allowanceOf(headers, Date.now());
  const explorer = EXPLORER.exec(text('link') ?? '')?.[1];
  return {
    method,
    path,
    status,
    sources: source === undefined ? [] : source.split(',').map((one) => one.replace(/;.*/, '').trim()),
    gaps: gaps === undefined ? [] : gaps.split(',').map(toGap),
    ...(requestId !== undefined && { requestId }),
    ...(/^\d+$/.test(age ?? '') && { age: Number(age) }),
    ...(!Number.isNaN(modifiedAt.getTime()) && { modifiedAt }),
    ...(explorer !== undefined && { explorer }),
    ...(cacheStatus !== undefined && { cacheStatus }),
    ...(allowance !== undefined && { allowance }),
  };
}

/** The text as JSON, or undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an answer's head tells of a failure. */
export const factsOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('x-request-id') ?? undefined,
  retryAfter: retryAfterOf(headers, Date.now()),
});

const isText = (value: unknown): value is string => typeof value === 'string';
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Fault = NonNullable<Problem['errors']>[number];
const isFault = (value: unknown): value is Fault => typeof value === 'object' && value !== null;

/** The error of an answer outside 2xx: its problem, or `invalid_answer` if it has none. */
export function problemOf(response: Response, text: string): QuotientError {
  const facts = factsOf(response);
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = (isProblem ? parseJson(text) : undefined) as { [Member in keyof Problem]: unknown } | undefined;
  if (!isText(problem?.code)) {
    const detail = `status ${response.status} without a problem body`;
    return new QuotientError('invalid_answer', detail, facts);
  }
  const { code, error, detail, errors, gaps, txhash, requestId } = problem;
  return new QuotientError(code, [error, detail].find(isText) ?? '', {
    ...facts,
    ...(isText(requestId) && { requestId }),
    errors: listOf(errors).filter(isFault),
    gaps: listOf(gaps).filter(isText).map(toGap),
    txhash: isText(txhash) ? txhash : undefined,
  });
}

/** Texts are kept as long as they have no more characters than this together, the newest in any case. */
const MOST_CHARACTERS = 4_000_000;

/** What is told of the results of calls: for an object as long as it lives, for a text while it is one of the newest. */
export function createAnswers() {
  const ofObjects = new WeakMap<object, Answer>();
  const ofTexts = new Map<string, Answer>();
  let characters = 0;

  function forget(text: string): void {
    if (ofTexts.delete(text)) characters -= text.length;
  }

  function keepText(text: string, answer: Answer): void {
    forget(text);
    ofTexts.set(text, answer);
    characters += text.length;
    for (const oldest of ofTexts.keys()) {
      if (characters <= MOST_CHARACTERS || oldest === text) return;
      forget(oldest);
    }
  }

  return {
    keep(result: unknown, answer: Answer): void {
      if (typeof result === 'string') keepText(result, answer);
      else if (typeof result === 'object' && result !== null) ofObjects.set(result, answer);
    },
    of: (result: object | string): Answer | undefined =>
      typeof result === 'string' ? ofTexts.get(result) : ofObjects.get(result),
  };
}
