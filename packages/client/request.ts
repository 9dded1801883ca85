import { invalid, QuotientError, readArguments } from './error.ts';
import type { Source } from './generated/records.ts';
import { each, object, toSample, toTokens } from './records.ts';
import { type Answer, createAnswers } from './transport/answer.ts';
import type { CallOptions, TransportOptions } from './transport/options.ts';
import type { Allowance } from './transport/retries.ts';
import { createTransport, type Question } from './transport/transport.ts';

/** One call of the service: what is asked, and how the answer's text is read. */
export type Request<T> = Pick<Question, 'method' | 'path' | 'body' | 'retries'> & {
  /** The query; parameters that are undefined are left out. */
  query?: Parameters;
  accept?: 'text/csv';
  /** Whether it is sent without the key. */
  isPublic?: true;
  /** Throws some error where the text has another shape. */
  read: (text: string) => T;
};

type Parameters = Record<string, string | number | undefined>;

/** `rest` is what a request has beside its path and how its answer is read. */
export const get = <T>(path: string, read: Request<T>['read'], rest?: Partial<Request<T>>): Request<T> => ({
  ...{ method: 'GET', path, read },
  ...rest,
});
export const post: typeof get = (path, read, rest) => get(path, read, { method: 'POST', ...rest });

/** Reads JSON whose parsed form is `W`. */
export const json =
  <W, T>(read: (wire: W) => T) =>
  (text: string): T =>
    read(JSON.parse(text) as W);

/** An answer without a body. */
export const nothing = (): void => undefined;

/** The parameters of a query as pairs. */
export const pairs = (parameters: Parameters) =>
  Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));

/** An array as a parameter. Throws `invalid_request` for anything else. */
export function list(name: string, values: readonly string[]): string {
  if (Array.isArray(values)) return values.join();
  throw invalid(`${name} must be an array`);
}

/** Throws `invalid_answer` if the text does not have the expected shape. */
function readAnswer<T>(text: string, read: (text: string) => T, { status, requestId }: Answer): T {
  try {
    return read(text);
  } catch (cause) {
    const facts = { cause, status, requestId };
    throw new QuotientError('invalid_answer', 'the answer has an unexpected shape', facts);
  }
}

/** Makes requests of one service and keeps what is told beside the results. Throws `QuotientError` for invalid options. */
export function createCaller(baseUrl: unknown, options: TransportOptions) {
  const answers = createAnswers();
  let allowance: Allowance | undefined;
  const transport = createTransport(baseUrl, options, (answer) => {
    allowance = answer.allowance ?? allowance;
  });

  return {
    /** According to the last priced answer. */
    allowance: () => allowance,
    about: answers.of,

    /** Rejects with `QuotientError`, also for what `make` throws, or with the signal's reason. */
    async send<T>(make: () => Request<T>, apiKey: string | undefined, call?: CallOptions): Promise<T> {
      const { isPublic, read, ...question } = readArguments(() => {
        const { query = {}, ...request } = make();
        return { ...request, query: pairs(query) };
      });
      const { answer, text } = await transport.ask({ ...question, ...(!isPublic && { apiKey }) }, call);
      const result = readAnswer(text, read, answer);
      answers.keep(result, answer);
      return result;
    },
  };
}

export type Caller = ReturnType<typeof createCaller>;

export type Readiness = { status: 'ok'; warnings: string[] };

export const tokens = () => get('/v1/tokens', json(toTokens), { isPublic: true });

export const sources = () => get('/v1/sources', json(each(object<Source>)), { isPublic: true });

export const sample = () => get('/v1/sample', json(toSample), { isPublic: true });

/** Asked once: it is that of now. */
export const health = () => get('/health/ready', json(object<Readiness>), { isPublic: true, retries: 0 });
