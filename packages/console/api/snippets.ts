import type { ApiCall } from './api-call.ts';

export type Language = 'curl' | 'javascript' | 'python' | 'client' | 'csv';

/** The key with only its beginning and end readable. */
export const masked = (key: string) => `${key.slice(0, 6)}${'•'.repeat(8)}${key.slice(-3)}`;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A string for JavaScript, and for Python, which takes JSON's escapes. */
const inQuotes = (text: string) => JSON.stringify(text);

/** A call as a `curl` command, or as a program in JavaScript, in Python or with the client. */
export function snippet({ path, method }: ApiCall, language: Language, baseUrl: string, key: string): string {
  if (language === 'javascript') {
    return `const answer = await fetch(${inQuotes(baseUrl + path)}, {
  headers: { 'X-API-KEY': ${inQuotes(key)} },
});
console.log(await answer.json());`;
  }
  if (language === 'python') {
    return `import json
from urllib.request import Request, urlopen

request = Request(
    ${inQuotes(baseUrl + path)},
    headers={"X-API-KEY": ${inQuotes(key)}},
)
with urlopen(request) as answer:
    print(json.load(answer))`;
  }
  if (language === 'client') {
    return `// The operator has the package: npm run build:client makes it.
import { QuotientClient } from 'quotient-client';

const client = new QuotientClient({
  baseUrl: '${baseUrl}',
  apiKey: '${key}',
});
const answer = await client.${method};`;
  }
  const headers = [`X-API-KEY: ${key}`, ...(language === 'csv' ? ['Accept: text/csv'] : [])];
  const options = headers.map((header) => `-H ${quoted(header)}`);
  return ['curl', ...options, quoted(baseUrl + path)].join(' \\\n  ');
}
