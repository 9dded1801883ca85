import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_FORM, API_KEY_PREFIX_LENGTH, API_KEY_PREFIXES } from '#core/log';
import type { Scope } from '#server/gate';
import type { OwnerKey } from '#users/user';

/*
 * A prefix, 32 base62 characters from a CSPRNG (190 bits), and their CRC32 as 6 base62 characters. Secret scanners
 * recognize this form, and the service rejects mistyped keys without a look-up.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 4;

function checksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

export function mintApiKey(kind: keyof typeof API_KEY_PREFIXES = 'header'): string {
  let secret = '';
  for (let i = 0; i < SECRET_LENGTH; i++) secret += ALPHABET[randomInt(ALPHABET.length)];
  return API_KEY_PREFIXES[kind] + secret + checksum(secret);
}

export function isApiKey(text: string): boolean {
  if (!API_KEY_FORM.test(text)) return false;
  const end = API_KEY_PREFIX_LENGTH + SECRET_LENGTH;
  return text.slice(end) === checksum(text.slice(API_KEY_PREFIX_LENGTH, end));
}

/** Returns the SHA-256 of a key in lower-case hex, which is the only form in which a key is stored. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** `start` is long enough to distinguish a user's keys, but too short to help an attacker guess a key. */
export const storedForm = (apiKey: string) => ({
  hash: hashApiKey(apiKey),
  start: apiKey.slice(0, API_KEY_PREFIX_LENGTH + START_LENGTH),
});

export function mintOwnerKey(): OwnerKey {
  const apiKey = mintApiKey();
  return { apiKey, ...storedForm(apiKey), scopes: OWNER_SCOPES };
}

/** The maximum number of a user's keys, including keys in the grace period of a rotation. */
export const MAX_KEYS_PER_USER = 20;
export const MAX_DEAD_KEYS_PER_USER = 30;
/** How long a rotated key remains valid for reading, in seconds. */
export const GRACE_SECONDS = { default: 300, max: 604_800 } as const;

/** The largest record number or key ID, and the largest number of calls, that the database's type can hold. */
export const LARGEST_NUMBER = 2_147_483_647;

export type { Scope };

/** `account` allows reading and changing the user; `prices` also covers the statistics. */
export const SCOPES = ['account', 'prices', 'node'] as const satisfies readonly Scope[];
export const OWNER_SCOPES: readonly Scope[] = SCOPES;
export const RESTRICTED_SCOPES = ['prices', 'node'] as const satisfies readonly Scope[];

const shared = new Map<string, readonly Scope[]>();

/** Returns the scopes in the order of `SCOPES`, without duplicates. Keys with equal scopes share one list. */
export function sharedScopes(scopes: readonly Scope[]): readonly Scope[] {
  const list = SCOPES.filter((scope) => scopes.includes(scope));
  const name = list.join();
  const sharedList = shared.get(name);
  if (sharedList) return sharedList;
  shared.set(name, list);
  return list;
}
