import { DAY } from '../../pages/dates.ts';

/** What a key may do, besides the management of the account. */
export const SCOPES = {
  prices: { title: 'Read prices, history and statistics', words: 'reads prices' },
  node: { title: 'Use the node: balances and transactions', words: 'uses the node' },
} as const;
type Scope = keyof typeof SCOPES;

/**
 * `dailyLimit`: null for programs that send headers. Keys for other programs are accepted in URLs, and require a limit.
 */
type Purpose = { title: string; hint: string; scopes: readonly Scope[]; dailyLimit: number | null };

/** What a new key is for, and its first terms. */
export const PURPOSES = {
  program: { title: 'Program or web page', hint: 'sends the key in a header', scopes: ['prices'], dailyLimit: null },
  spreadsheet: { title: 'Spreadsheet', hint: 'Excel, LibreOffice, Google Sheets', scopes: ['prices'], dailyLimit: 500 },
  coingecko: { title: 'CoinGecko program', hint: 'lets you set its base URL', scopes: ['prices'], dailyLimit: 2000 },
  wallet: { title: 'Wallet', hint: 'Keplr and other Cosmos wallets', scopes: ['node'], dailyLimit: 10_000 },
} as const satisfies Record<string, Purpose>;
type PurposeName = keyof typeof PURPOSES;

/** When a key expires; the numbers are days. */
export const EXPIRIES = [
  ['never', 'with the account'],
  ['7', 'in 7 days'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['date', 'after a date…'],
] as const;

/** Reads the fields of a form. */
type Fields = { (name: string): string; all: (name: string) => readonly string[] };

/** The purpose in a form, or the purpose for programs if the form has none. */
export const purposeIn = (fields: Fields) => (fields('purpose') || 'program') as PurposeName;
export const isForUrls = (fields: Fields): boolean => PURPOSES[purposeIn(fields)].dailyLimit !== null;

/** Parses origins in separate lines, or separated by commas or spaces. The service rejects invalid origins. */
export const originsIn = (text: string): string[] => text.split(/[\s,]+/).filter((origin) => origin !== '');

/** Null for no expiry of its own, and undefined for the current expiry. */
function expiryIn(fields: Fields, now: number): Date | null | undefined {
  const choice = fields('expiry');
  if (choice === 'keep') return undefined;
  if (choice === 'never') return null;
  // The key is valid until the end of the chosen day.
  if (choice === 'date') return new Date(Date.parse(fields('expiresAt')) + DAY);
  return new Date(now + Number(choice) * DAY);
}

/** Reads the terms of a new or changed key. */
export const termsIn = (fields: Fields, now: number) => ({
  label: fields('label'),
  scopes: fields.all('scopes') as readonly Scope[],
  expiresAt: expiryIn(fields, now),
  dailyLimit: Number(fields('dailyLimit')) || null,
  allowedOrigins: originsIn(fields('allowedOrigins')),
});
