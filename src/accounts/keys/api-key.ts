import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_PATTERN, API_KEY_PREFIX } from '#core/api-key-mask';

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
