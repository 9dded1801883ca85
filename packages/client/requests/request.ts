import { invalid } from '../core/error.ts';
import type { Question } from '../transport/transport.ts';

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
  Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );

/** An array as a parameter. Throws `invalid_request` for anything else. */
export function list(name: string, values: readonly string[]): string {
  if (Array.isArray(values)) return values.join();
  throw invalid(`${name} must be an array`);
}
