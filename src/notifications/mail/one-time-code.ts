import { createHash, randomBytes } from 'node:crypto';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { Problem } from '#core/problems';

/* A one-time code is 32 bytes from a CSPRNG in base64url. Only its SHA-256 is stored. */
const BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;
export const TOKEN_LIFE = { recover: 30 * MINUTE, verify: DAY } as const;

export const mintMailToken = () => randomBytes(BYTES).toString('base64url');

export const isMailToken = (text: string) => FORM.test(text);

/** Returns the SHA-256 of a code in lower-case hex, which is the only form in which a code is stored. */
export const hashMailToken = (token: string) => createHash('sha256').update(token).digest('hex');

/** Used, expired and unknown codes get the same response. */
export const tokenInvalid = () =>
  new Problem('token_invalid', 'The one-time code is unknown, expired or already used. Request another email.');

/** Allows up to `most` emails of a kind to an address within `window` ms, at least `apart` ms apart. */
export type MailRate = { apart: number; most: number; window: number };
export const MAIL_RATES = {
  recover: { apart: 5 * MINUTE, most: 5, window: DAY },
  // Each of these emails belongs to a different registration, so a second email is not a duplicate.
  verify: { apart: 0, most: 5, window: HOUR },
} as const satisfies Record<string, MailRate>;

/** The name under which emails to an address are counted. It is a hash, so it does not reveal the address. */
export const mailSubject = (kind: keyof typeof MAIL_RATES, email: string) =>
  createHash('sha256').update(`${kind}:${email.toLowerCase()}`).digest('hex');
