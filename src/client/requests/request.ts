import type { Question } from '../transport.ts';

/** One call of the service: what is asked, and how the answer's text is read. */
export type Request<T> = {
  method: Question['method'];
  /** Below the base URL, encoded. */
  path: string;
  /** The query; parameters that are undefined are left out. */
  query?: Parameters;
  /** Sent as JSON. */
  body?: unknown;
  accept?: 'text/csv';
  /** Whether it is sent without the key. */
  isPublic?: true;
  /** How often it is repeated where the caller says nothing else; the client's own number by default. */
  retries?: number;
  /** Throws some error where the text has another shape. */
  read: (text: string) => T;
};

export type Parameters = Record<string, string | number | undefined>;

/** Reads JSON whose parsed form is `W`. */
export const json =
  <W, T>(read: (wire: W) => T) =>
  (text: string): T =>
    read(JSON.parse(text) as W);

/** An answer without a body. */
export const nothing = (): void => undefined;

export const pairs = (parameters: Parameters) =>
  Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
