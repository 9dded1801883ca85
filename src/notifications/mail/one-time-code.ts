import { createHash, randomBytes } from 'node:crypto';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { Problem } from '#core/problems';

/*
 * What is mailed to an address to be brought back: 32 bytes from a CSPRNG in base64url. Only its SHA-256 is stored.
 */
const BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** How long a token can be used, in ms. */
export const TOKEN_LIFE = { recover: 30 * MINUTE, verify: DAY } as const;

export const mintMailToken = () => randomBytes(BYTES).toString('base64url');

export const isMailToken = (text: string) => FORM.test(text);

/** SHA-256 of a token, in lower-case hex: the only form in which it is stored. */
export const hashMailToken = (token: string) => createHash('sha256').update(token).digest('hex');

/** For a token that was used, has expired or never was: nothing tells which. */
export const tokenInvalid = () =>
  new Problem('token_invalid', 'The token was used, has expired or was never given: ask for another mail.');

/** How many mails of a kind an address gets: `most` within `window` ms, and none within `apart` ms of another. */
export type MailRate = { apart: number; most: number; window: number };
export const MAIL_RATES = {
  recover: { apart: 5 * MINUTE, most: 5, window: DAY },
  // Each holds what was asked for, so a second one is not like the first.
  verify: { apart: 0, most: 5, window: HOUR },
} as const satisfies Record<string, MailRate>;

/** Under which name the mails of a kind to an address are counted: it does not tell the address. */
export const mailSubject = (kind: keyof typeof MAIL_RATES, email: string) =>
  createHash('sha256').update(`${kind}:${email.toLowerCase()}`).digest('hex');
