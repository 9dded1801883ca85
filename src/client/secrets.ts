import { QuotientError } from './error.ts';

/** Twelve to twenty-four words, as wallets write a seed phrase down. */
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
      'and hand over the signed transaction.',
  );

/** Throws for a text that has the form of a seed phrase or a private key. What was given is never repeated. */
export function refuseSecret(where: string, value: unknown): void {
  if (typeof value === 'string' && (HEX_KEY.test(value) || hasForm(value))) throw refusal(where);
}

/** The same where 64 hex digits may be a hash. */
export function refusePhrase(where: string, value: unknown): void {
  if (typeof value === 'string' && hasForm(value)) throw refusal(where);
}

/** Throws for an object with a member that is named like a secret, or that is one but for 64 hex digits. */
export function refuseSecretMembers(where: string, value: object): void {
  for (const [name, member] of Object.entries(value)) {
    if (MEMBER.test(name)) throw refusal(`${where}.${name}`);
    refusePhrase(`${where}.${name}`, member);
  }
}
