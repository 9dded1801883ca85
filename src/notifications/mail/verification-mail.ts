import { type Plan, termInWords } from '#accounts/ledger/plan';
import type { Mail } from '#notifications/sources/smtp';
import { curl, inWords, writeMail } from './mail.ts';

type Values = {
  plan: Plan;
  token: string;
  /** When the token ends, in Unix ms. */
  expiresAt: number;
  publicUrl: string;
};

/** The mail to whoever registers: with its token the user is made. */
export const verificationMail = ({ plan, token, expiresAt, publicUrl }: Values): Mail =>
  writeMail('Confirm your address', [
    `Somebody asked for an API key at ${publicUrl} (${plan} plan) with this address. If that was not you, you need not do anything: nobody is registered.`,
    `The link works once, until ${inWords(expiresAt)}.`,
    { words: 'Confirm the address and get the API key', link: `${publicUrl}/#verify=${token}` },
    'Without a browser:',
    { code: curl(publicUrl, '/v1/user/verify', { token }) },
    `The key is then valid for ${termInWords(plan)}. Renew it on the page of the service or with POST /v1/user/renew: it stays the same.`,
  ]);
