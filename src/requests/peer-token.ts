import { createHmac, timingSafeEqual } from 'node:crypto';
import { MINUTE } from '#core/clock';

/** The maximum difference between the clocks of two processes, in ms, plus the duration of the request. */
const MAX_APART = MINUTE;
const FORM = /^Process (\d{13})\.([A-Za-z0-9_-]{43})$/;

/** `process` is the ID of the recipient, so no other process can use the token. */
type PeerRequest = { process: string; user: number };

const sign = (secret: string, { process, user }: PeerRequest, at: number): string =>
  createHmac('sha256', secret).update(`${process}.${user}.${at}`).digest('base64url');

/** The value of `Authorization` with which a process asks another one. `now` is in Unix ms. */
export const peerToken = (secret: string, request: PeerRequest, now: number): string =>
  `Process ${now}.${sign(secret, request, now)}`;

export function isPeerToken(text: string | undefined, secret: string, request: PeerRequest, now: number): boolean {
  const [, at = '', signature = ''] = FORM.exec(text ?? '') ?? [];
  if (at === '' || Math.abs(Number(at) - now) > MAX_APART) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, request, Number(at))));
}
