export type Log = Record<'debug' | 'info' | 'warn' | 'error', (facts: object, message: string) => void>;
export const API_KEY_PREFIX = 'qt_';
/** A regular expression for the prefix and 38 base62 characters. */
export const API_KEY_PATTERN = `${API_KEY_PREFIX}[0-9A-Za-z]{38}`;
const ANYWHERE = new RegExp(API_KEY_PATTERN, 'g');
/** A key before or after a colon, in base64, as in Basic authentication (42 bytes, or 56 characters). */
const IN_BASE64 = /(cXRf[A-Za-z0-9+/]{52}|OnF0X[A-Za-z0-9+/]{51})/g;

export function maskApiKeys(text: string): string {
  const masked = text.includes(API_KEY_PREFIX) ? text.replace(ANYWHERE, `${API_KEY_PREFIX}***`) : text;
  return masked.includes('cXRf') || masked.includes('OnF0X') ? masked.replace(IN_BASE64, '***') : masked;
}
