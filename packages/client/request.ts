import { invalid, QuotientError, readArguments } from './error.ts';
import { type Answer, createAnswers } from './transport/answer.ts';
import type { CallOptions, TransportOptions } from './transport/options.ts';
import type { Allowance } from './transport/retries.ts';
import { type ClientRequest, createTransport } from './transport/transport.ts';

export type Request<T> = Pick<ClientRequest, 'method' | 'path' | 'body' | 'retries'> & {
  /** The query parameters. Undefined parameters are omitted. */
  query?: Parameters;
  accept?: 'text/csv';
  /** Whether the request is sent without the key. */
  isPublic?: true;
  /** Throws an error of any class if the text has an unexpected shape. */
  read: (text: string) => T;
};

type Parameters = Record<string, string | number | boolean | undefined>;

export const get = <T>(path: string, read: Request<T>['read'], rest?: Partial<Request<T>>): Request<T> => ({
  method: 'GET',
  path,
  read,
  ...rest,
});
export const post: typeof get = (path, read, rest) => get(path, read, { method: 'POST', ...rest });

export const json =
  <W, T>(read: (wire: W) => T) =>
  (text: string): T =>
    read(JSON.parse(text) as W);

export const nothing = (): void => undefined;

export const pairs = (parameters: Parameters) =>
  Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));

/** Joins the elements with commas. Throws `invalid_request` if the value is not an array. */
export function list(name: string, values: readonly string[]): string {
  if (Array.isArray(values)) return values.join();
  throw invalid(`${name} must be an array`);
}

/** Throws `invalid_answer` if the text has an unexpected shape. */
function readAnswer<T>(text: string, read: (text: string) => T, { status, requestId }: Answer): T {
  try {
    return read(text);
  } catch (cause) {
    throw new QuotientError('invalid_answer', 'the response has an unexpected format', { cause, status, requestId });
  }
}

/** Sends requests to one service and keeps the metadata of the results. Throws `QuotientError` for invalid options. */
export function createCaller(baseUrl: unknown, options: TransportOptions) {
  const answers = createAnswers();
  let allowance: Allowance | undefined;
  const transport = createTransport(baseUrl, options, (answer) => {
    allowance = answer.allowance ?? allowance;
  });

  return {
    allowance: () => allowance,
    about: answers.of,

    /** Rejects with `QuotientError`, even if `make` throws another error, or with the signal's reason. */
    async send<T>(make: () => Request<T>, apiKey: string | undefined, call?: CallOptions): Promise<T> {
      const { isPublic, read, ...prepared } = readArguments(() => {
        const { query = {}, ...request } = make();
        return { ...request, query: pairs(query) };
      });
      const { answer, text } = await transport.send({ ...prepared, ...(!isPublic && { apiKey }) }, call);
      const result = readAnswer(text, read, answer);
      answers.keep(result, answer);
      return result;
    },

    /** Sends a request once. Returns the response when its head has arrived. */
    async open(make: () => Request<unknown>, apiKey: string | undefined, accept: string, call: CallOptions) {
      const { query = {}, method, path } = readArguments(make);
      return transport.open({ method, path, query: pairs(query), accept, apiKey }, call);
    },
  };
}

export type Caller = ReturnType<typeof createCaller>;
export type Readiness = { status: 'ok'; warnings: string[] };
