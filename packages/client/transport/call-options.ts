import { invalid } from '../core/error.ts';

/** The options of every call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The time limit in ms, retries included, in place of the client's. */
  timeout?: number | undefined;
  /** How often a GET is retried at most, in place of the client's. */
  retries?: number | undefined;
  /** Further headers, such as `x-request-id`. */
  headers?: RequestInit['headers'] | undefined;
};

/** The client's own: a caller cannot set them. */
const OWN_HEADERS = ['accept', 'content-type', 'x-api-key'];

/** Throws `invalid_request` for anything but a finite number from `least`. */
export function checkNumber(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
  throw invalid(`${name} must be a number from ${least}`);
}

/** Headers by their names in lower case. Throws `invalid_request`; the error never repeats a value. */
export function readHeaders(given: CallOptions['headers']): Record<string, string> {
  if (given === undefined) return {};
  let headers: Record<string, string>;
  try {
    headers = Object.fromEntries(new Headers(given).entries());
  } catch {
    throw invalid('headers must be an object of valid names and values');
  }
  for (const name of OWN_HEADERS) {
    if (name in headers) throw invalid(`the header ${name} is set by the client itself`);
  }
  return headers;
}

/** Whatever behaves as a signal: one of another realm is of another class. */
function checkSignal(signal: AbortSignal): AbortSignal {
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Partial<AbortSignal>;
  const isSignal = typeof aborted === 'boolean' && typeof addEventListener === 'function';
  if (isSignal && typeof removeEventListener === 'function') return signal;
  throw invalid('signal must be an AbortSignal');
}

/** Throws `invalid_request` for options that are none. */
export function readCallOptions(call: CallOptions | undefined) {
  if (call !== undefined && (typeof call !== 'object' || call === null)) {
    throw invalid('the options of a call must be an object');
  }
  const { signal, timeout, retries, headers } = call ?? {};
  return {
    signal: signal === undefined ? undefined : checkSignal(signal),
    timeout: timeout === undefined ? undefined : checkNumber('timeout', timeout, 1),
    retries: retries === undefined ? undefined : checkNumber('retries', retries, 0),
    headers: readHeaders(headers),
  };
}
