export type Log = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;
/** `qu_` is the prefix of keys that are accepted in URLs. */
export const API_KEY_PREFIXES = { header: 'qt_', url: 'qu_' } as const;
/** Both prefixes have this length. */
export const API_KEY_PREFIX_LENGTH = 3;
/** The length of a key with its prefix, in characters. */
export const API_KEY_LENGTH = 41;
/** A regular expression for a prefix and 38 base62 characters. */
export const API_KEY_PATTERN = 'q[tu]_[0-9A-Za-z]{38}';
export const API_KEY_FORM = new RegExp(`^${API_KEY_PATTERN}$`);
const ANYWHERE = new RegExp(API_KEY_PATTERN, 'g');
const STARTS: readonly string[] = Object.values(API_KEY_PREFIXES);
/** A key in base64, alone or before or after a colon, as in Basic authentication (41 or 42 bytes, 56 characters). */
const IN_BASE64 = /(cX[RV]f[A-Za-z0-9+/]{51}[A-Za-z0-9+/=]|OnF[01]X[A-Za-z0-9+/]{51})/g;
const BASE64_STARTS = ['cXRf', 'cXVf', 'OnF0X', 'OnF1X'];

export const hasApiKeyPrefix = (text: string): boolean => STARTS.some((prefix) => text.startsWith(prefix));

export function maskApiKeys(text: string): string {
  const masked = STARTS.some((prefix) => text.includes(prefix))
    ? text.replace(ANYWHERE, (key) => `${key.slice(0, API_KEY_PREFIX_LENGTH)}***`)
    : text;
  return BASE64_STARTS.some((start) => masked.includes(start)) ? masked.replace(IN_BASE64, '***') : masked;
}
