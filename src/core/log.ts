export type Log = Record<'debug' | 'info' | 'warn' | 'error', (facts: object, message: string) => void>;
export const API_KEY_PREFIX = 'qt_';
/** A regular expression for the prefix and 38 base62 characters. */
export const API_KEY_PATTERN = `${API_KEY_PREFIX}[0-9A-Za-z]{38}`;
const ANYWHERE = new RegExp(API_KEY_PATTERN, 'g');
/** A key in base64, alone or before or after a colon, as in Basic authentication (41 or 42 bytes, 56 characters). */
const IN_BASE64 = /(cXRf[A-Za-z0-9+/]{51}[A-Za-z0-9+/=]|OnF0X[A-Za-z0-9+/]{51})/g;

export function maskApiKeys(text: string): string {
  const masked = text.includes(API_KEY_PREFIX) ? text.replace(ANYWHERE, `${API_KEY_PREFIX}***`) : text;
  return masked.includes('cXRf') || masked.includes('OnF0X') ? masked.replace(IN_BASE64, '***') : masked;
}
