import { type Call, methodOf, pathOf } from './call.ts';

export type Language = 'curl' | 'client' | 'csv';

/** The key with all but its beginning and its end hidden. */
export const masked = (key: string) => `${key.slice(0, 6)}${'•'.repeat(8)}${key.slice(-3)}`;

/** In single quotes, as a POSIX shell reads them. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(call: Call, baseUrl: string, key: string, ...headers: string[]): string {
  const options = [`X-API-KEY: ${key}`, ...headers].map((header) => `-H ${quoted(header)}`);
  return ['curl', ...options, quoted(baseUrl + pathOf(call))].join(' \\\n  ');
}

/** The call as a command line, or as a program with the client. */
export function snippet(call: Call, language: Language, baseUrl: string, key: string): string {
  if (language === 'curl') return curl(call, baseUrl, key);
  if (language === 'csv') return curl(call, baseUrl, key, 'Accept: text/csv');
  return `import { QuotientClient } from 'quotient-client';

const client = new QuotientClient({
  baseUrl: '${baseUrl}',
  apiKey: '${key}',
});
const answer = await client.${methodOf(call)};`;
}
