import type { ApiKey, RequestLog } from '../../client/index.ts';
import { DAY } from '../../pages/dates.ts';
import { numbers, onDateAtSecond, utc } from '../../pages/format.ts';
import { distinctNameOf } from '../keys/words.ts';

export type LoggedRequest = RequestLog['requests'][number];

export type Filter = {
  /** A part of the path, the code or the detail. */
  text: string;
  /** The ID of a key, or empty for all keys. */
  key: string;
  isFailed: boolean;
};

export const NO_FILTER: Filter = { text: '', key: '', isFailed: false };

const time = utc({ timeStyle: 'medium' });
const milliseconds = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const durationOf = (request: LoggedRequest) => milliseconds.format(request.milliseconds);

/** The time, with the date if it is at least a day ago. */
export const timeOf = (at: Date, now: number) => (now - at.getTime() < DAY ? time.format(at) : onDateAtSecond(at));

/** A tool of an agent can fail with status 200 and a code. */
const hasFailed = ({ status, code }: LoggedRequest) => status >= 400 || code !== null;

export function levelOf(request: LoggedRequest): 'good' | 'warn' | 'bad' {
  if (request.status >= 500) return 'bad';
  return hasFailed(request) ? 'warn' : 'good';
}

export function matches(request: LoggedRequest, { text, key, isFailed }: Filter): boolean {
  const { method, path, code, detail, status, keyId } = request;
  const words = `${method} ${path} ${status} ${code ?? ''} ${detail ?? ''}`.toLowerCase();
  return (
    (!isFailed || hasFailed(request)) &&
    (key === '' || key === String(keyId)) &&
    words.includes(text.trim().toLowerCase())
  );
}

export function keyNameOf({ keyId, keyLabel }: LoggedRequest, listed: readonly ApiKey[]): string {
  const key = listed.find(({ id }) => id === keyId);
  return key ? distinctNameOf(key) : (keyLabel ?? `Key ${keyId}`);
}

/** The keys of the requests, for a choice. */
export function keyOptions(requests: readonly LoggedRequest[], listed: readonly ApiKey[]) {
  const names = new Map(requests.map((request) => [String(request.keyId), keyNameOf(request, listed)]));
  return [['', 'All keys'], ...[...names].toSorted(([, a], [, b]) => a.localeCompare(b))] as const;
}

/** Successful requests are recorded for an hour after a read, so the first read only starts the recording. */
export const recordingInWords = ({ recordingSince }: RequestLog, now: number): string =>
  recordingSince
    ? `Successful requests are recorded since ${timeOf(recordingSince, now)} (UTC), for an hour after each update.`
    : 'Successful requests are recorded from now on, for an hour after each update.';
