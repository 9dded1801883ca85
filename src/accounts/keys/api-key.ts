import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DAY } from '#core/clock';
import { API_KEY_PATTERN, API_KEY_PREFIX } from '#core/log';
import type { Scope } from '#server/gate';

/*
 * A key is `qt_`, 32 base62 characters from a CSPRNG (190 bits), and the CRC32 of those 32 as 6 base62
 * characters: a secret scanner can find it, and a mistyped one is refused without a look-up.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 4;

const FORM = new RegExp(`^${API_KEY_PATTERN}$`);

function checksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** A new key. It is shown once; only its hash is stored. */
export function mintApiKey(): string {
  let secret = '';
  for (let i = 0; i < SECRET_LENGTH; i++) secret += ALPHABET[randomInt(ALPHABET.length)];
  return API_KEY_PREFIX + secret + checksum(secret);
}

/** Whether a text has a key's form and its checksum is right. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = API_KEY_PREFIX.length + SECRET_LENGTH;
  return text.slice(end) === checksum(text.slice(API_KEY_PREFIX.length, end));
}

/** SHA-256 of a key, in lower-case hex: the only form in which it is stored. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/**
 * What is stored of a key: its hash, and its first characters, so few that they tell a user's keys apart and help nobody
 * to guess one.
 */
export const storedForm = (apiKey: string) => ({
  hash: hashApiKey(apiKey),
  start: apiKey.slice(0, API_KEY_PREFIX.length + START_LENGTH),
});

/** How many keys of a user may be alive at once, those in the grace of a rotation included. */
export const MAX_KEYS_PER_USER = 20;
/** How many dead keys of a user stay stored: the newest. */
export const MAX_DEAD_KEYS_PER_USER = 30;
/** How long a dead key stays stored, so that whoever uses it is told why it ended, in ms. */
export const DEAD_KEYS_STORED_FOR = 30 * DAY;

/** How long a rotated key goes on for reading, in seconds: unless told otherwise, and at the most. */
export const GRACE_SECONDS = { default: 300, max: 604_800 } as const;

/** The user whose data is to be changed, and by which right: an owner key (its SHA-256), or the operator's word. */
export type Authority = { readonly userKey: number; readonly ownerKeyHash: string | null };

/** The authority of a request: the key that it presents must still be an active owner key when the change is decided. */
export const byOwnerKey = ({ hash, user }: { hash: string; user: { key: number } }): Authority => ({
  userKey: user.key,
  ownerKeyHash: hash,
});

/** The authority of the operator, who needs no key. */
export const byOperator = (userKey: number): Authority => ({ userKey, ownerKeyHash: null });

export type { Scope };

/**
 * What a key may be used for: `account` is everything about the user that changes or lists, `prices` the prices and the
 * statistics, `node` the calls to the node.
 */
export const SCOPES = ['account', 'prices', 'node'] as const satisfies readonly Scope[];

/** Those of an owner key. No other key has `account`. */
export const OWNER_SCOPES: readonly Scope[] = SCOPES;

/** Those that a key beside the owner key may have. */
export const RESTRICTED_SCOPES = ['prices', 'node'] as const satisfies readonly Scope[];

const shared = new Map<string, readonly Scope[]>();

/** The same scopes in the order of `SCOPES`, each once, as a list that all keys with these scopes have in common. */
export function sharedScopes(scopes: readonly Scope[]): readonly Scope[] {
  const list = SCOPES.filter((scope) => scopes.includes(scope));
  const name = list.join();
  const known = shared.get(name);
  if (known) return known;
  shared.set(name, list);
  return list;
}
