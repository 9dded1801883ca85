/** What the service writes its log with: the part of a pino logger that it uses. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', (facts: object, message: string) => void>;

/** What every API key begins with. */
export const API_KEY_PREFIX = 'qt_';
/** An API key, as a regular expression: the prefix and 38 base62 characters. */
export const API_KEY_PATTERN = `${API_KEY_PREFIX}[0-9A-Za-z]{38}`;

const ANYWHERE = new RegExp(API_KEY_PATTERN, 'g');

/**
 * A key in base64, as Basic has it with a colon behind the key or before it: 42 bytes, which begin with those of the
 * prefix.
 */
const IN_BASE64 = /(cXRf[A-Za-z0-9+/]{52}|OnF0X[A-Za-z0-9+/]{51})/g;

/** The text with everything that has a key's form taken out. */
export function maskApiKeys(text: string): string {
  const masked = text.includes(API_KEY_PREFIX) ? text.replace(ANYWHERE, `${API_KEY_PREFIX}***`) : text;
  return masked.includes('cXRf') || masked.includes('OnF0X') ? masked.replace(IN_BASE64, '***') : masked;
}
