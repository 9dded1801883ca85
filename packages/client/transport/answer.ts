import { type Gap, QuotientError } from '../error.ts';
import type { Problem } from '../generated/records.ts';
import { type Allowance, allowanceOf, retryAfterOf } from './retries.ts';

export type Answer = {
  method: string;
  /** The path under the base URL, without its query. */
  path: string;
  status: number;
  /** Identifies the request in the service's log. */
  requestId?: string;
  /** When the response was sent, by the service's clock. Browsers hide it from pages from other origins. */
  date?: Date;
  /** The number of seconds since the data were fetched; absent for data that never change. */
  age?: number;
  /** The time of the newest sample. */
  modifiedAt?: Date;
  /** The spans of the requested range without data. */
  gaps: readonly Gap[];
  /** The data sources, main source first; empty if the response has no data. */
  sources: readonly string[];
  /** The URL of the result's explorer page, if the operator has configured an explorer. */
  explorer?: string;
  /** The header `Cache-Status` (RFC 9211). */
  cacheStatus?: string;
  allowance?: Allowance;
};

const toGap = (text: string): Gap => {
  const [from = '', thru = ''] = text.trim().split('/');
  return { from, thru };
};

/** Matches the link to the explorer page (RFC 8288). */
const EXPLORER = /<(https?:\/\/[^>\s]+)>; rel="alternate"; title="explorer"/;

export function describeAnswer(method: string, path: string, { status, headers }: Response): Answer {
  const text = (name: string) => headers.get(name) ?? undefined;
  const requestId = text('x-request-id');
  const age = text('age');
  const [date, modifiedAt] = [text('date'), text('last-modified')].map((at) => new Date(at ?? Number.NaN)) as [
    Date,
    Date,
  ];
  const gaps = text('quotient-gaps');
  const source = text('quotient-source');
  const cacheStatus = text('cache-status');
  const allowance = allowanceOf(headers, Date.now());
  const explorer = EXPLORER.exec(text('link') ?? '')?.[1];
  return {
    method,
    path,
    status,
    sources: source === undefined ? [] : source.split(',').map((item) => item.replace(/;.*/, '').trim()),
    gaps: gaps === undefined ? [] : gaps.split(',').map(toGap),
    ...(requestId !== undefined && { requestId }),
    ...(!Number.isNaN(date.getTime()) && { date }),
    ...(/^\d+$/.test(age ?? '') && { age: Number(age) }),
    ...(!Number.isNaN(modifiedAt.getTime()) && { modifiedAt }),
    ...(explorer !== undefined && { explorer }),
    ...(cacheStatus !== undefined && { cacheStatus }),
    ...(allowance !== undefined && { allowance }),
  };
}

/** Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const factsOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('x-request-id') ?? undefined,
  retryAfter: retryAfterOf(headers, Date.now()),
});

const isText = (value: unknown): value is string => typeof value === 'string';
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Fault = NonNullable<Problem['errors']>[number];
const isFault = (value: unknown): value is Fault => typeof value === 'object' && value !== null;

/** The error for a non-2xx response: the problem in its body, or `invalid_answer` if the body contains no problem. */
export function problemOf(response: Response, text: string): QuotientError {
  const facts = factsOf(response);
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = (isProblem ? parseJson(text) : undefined) as Body | undefined;
  if (!isText(problem?.code)) {
    return new QuotientError(
      'invalid_answer',
      `the response has status ${response.status}, but its body is not a problem`,
      facts,
    );
  }
  return toError(problem, facts);
}

type Body = { [Member in keyof Problem | 'retryAfter']?: unknown };

function toError(problem: Body, facts: Partial<ReturnType<typeof factsOf>>): QuotientError {
  const { code, error, detail, errors, gaps, txhash, requestId } = problem;
  return new QuotientError(String(code), [error, detail].find(isText) ?? '', {
    ...facts,
    ...(isText(requestId) && { requestId }),
    errors: listOf(errors).filter(isFault),
    gaps: listOf(gaps).filter(isText).map(toGap),
    txhash: isText(txhash) ? txhash : undefined,
  });
}

/** The error for the problem in an event, whose status and pause are members; `invalid_answer` for another value. */
export function errorOf(value: unknown): QuotientError {
  const problem = Object(value) as Body;
  if (!isText(problem.code)) return new QuotientError('invalid_answer', 'an event contains no problem');
  const numberOf = (member: unknown) => (typeof member === 'number' ? member : undefined);
  return toError(problem, { status: numberOf(problem.status), retryAfter: numberOf(problem.retryAfter) });
}

/** The maximum total length of the CSV strings whose metadata is stored. The latest string is always included. */
const MAX_CHARACTERS = 4_000_000;

/** Keeps the metadata of each object for the object's lifetime, and the metadata of the latest CSV strings. */
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
      if (characters <= MAX_CHARACTERS || oldest === text) return;
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
