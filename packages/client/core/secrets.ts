import { QuotientError } from './error.ts';

/** A seed phrase: twelve to twenty-four words. */
const MNEMONIC = /^\s*([a-z]{3,8}\s+){11,23}[a-z]{3,8}\s*$/i;
const HEX_KEY = /^(0x)?[0-9a-f]{64}$/i;
const EXTENDED_KEY = /^[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}$/;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const MEMBER = /mnemonic|priv(ate)?_?key|seed|secret|passphrase|wallet/i;

const hasForm = (text: string) => [MNEMONIC, EXTENDED_KEY, PEM].some((form) => form.test(text));

const refusal = (where: string) =>
  new QuotientError(
    'secret_in_request',
    `${where} looks like a seed phrase or a private key. This client never takes one: sign with a signing library, ` +
      'and pass the signed transaction.',
  );

/** Throws if a text looks like a seed phrase or a private key. The error never repeats it. */
export function refuseSecret(where: string, value: unknown): void {
  if (typeof value === 'string' && (HEX_KEY.test(value) || hasForm(value))) throw refusal(where);
}

/** Like `refuseSecret`, where 64 hex digits may be a hash. */
export function refusePhrase(where: string, value: unknown): void {
  if (typeof value === 'string' && hasForm(value)) throw refusal(where);
}

/** Throws if a member of an object is named like a secret, or looks like a seed phrase. */
export function refuseSecretMembers(where: string, value: object): void {
  for (const [name, member] of Object.entries(value)) {
    if (MEMBER.test(name)) throw refusal(`${where}.${name}`);
    refusePhrase(`${where}.${name}`, member);
  }
}
