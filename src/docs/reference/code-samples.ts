import { exampleOf, type NamedSchemas, resolve, type Schema } from '#docs/openapi/schemas';
import type { Entry } from './document.ts';

/** Placeholder for the service's origin. Behind a proxy, the service may not know its origin. */
export const EXAMPLE_ORIGIN = 'https://quotient.example';
export const EXAMPLE_KEY = 'qt_your_key';
export const LANGUAGES = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const;
export type Language = keyof typeof LANGUAGES;
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Call = { method: string; url: string; headers: Record<string, string>; body?: Json | undefined };

/** A body with all required members and the first optional one with an example, or the example of the body. */
export function bodyExample(schema: Schema, named: NamedSchemas): Json {
  const { properties, required } = resolve(schema, named);
  if (!properties) return exampleOf(schema, named) as Json;
  const names = Object.keys(properties);
  const needed = new Set(required);
  const optional = names.find((name) => !needed.has(name) && properties[name]?.examples);
  const members = names
    .filter((name) => needed.has(name) || name === optional)
    .map((name) => {
      const member = properties[name] ?? {};
      const isNull = !member.examples && [member.type].flat().includes('null');
      return [name, isNull ? null : exampleOf(member, named)];
    });
  return Object.fromEntries(members);
}

export const exampleText = (example: unknown) => String([example].flat()[0] ?? '');

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll("'", '%27').replaceAll('%2C', ',').replaceAll('%3A', ':');

function callOf({ method, path, parameters, takesKey, body }: Entry, basePath: string, named: NamedSchemas): Call {
  let target = path;
  const query: string[] = [];
  // If no parameter is required, a call without parameters would search for nothing, so the sample uses the first
  // parameter.
  const isSearch = parameters.length > 1 && !parameters.some(({ required }) => required);
  for (const [place, { name, in: where, required, example }] of parameters.entries()) {
    const value = encode(exampleText(example));
    if (where === 'path') target = target.replace(`{${name}}`, value);
    else if (where === 'query' && (required || (isSearch && place === 0))) query.push(`${encode(name)}=${value}`);
  }
  const url = `${EXAMPLE_ORIGIN}${basePath}${target}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  return {
    method,
    url,
    body: body && bodyExample(body, named),
    headers: { ...(takesKey && { 'X-API-KEY': EXAMPLE_KEY }), ...(body && { 'Content-Type': 'application/json' }) },
  };
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curlCommand({ method, url, headers, body }: Call): string {
  const parts = [
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuoted(JSON.stringify(body))}`]),
  ];
  return ['curl', ...parts].join(' ').concat(parts.length > 0 ? ' \\\n  ' : ' ', shellQuoted(url));
}

const indented = (text: string) => text.replaceAll('\n', '\n  ');
const quoted = (text: string) => `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;

function javascript({ method, url, headers, body }: Call, isEmpty: boolean): string {
  const named = Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  const init = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(named.length > 0 ? [`  headers: { ${named.join(', ')} },`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ];
  const options = init.length > 0 ? `, {\n${init.join('\n')}\n}` : '';
  return `const response = await fetch(${quoted(url)}${options});
console.log(response.status${isEmpty ? '' : ', await response.json()'});`;
}

const PYTHON_WORDS = new Map<Json, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

function pythonOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return PYTHON_WORDS.get(value) ?? JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`);
  return `{${members.join(', ')}}`;
}

function python({ method, url, headers, body }: Call, isEmpty: boolean): string {
  const lines = [
    JSON.stringify(url),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(Object.keys(headers).length > 0 ? [`headers=${pythonOf(headers)}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${pythonOf(body)}).encode()`]),
  ];
  return `import json
from urllib.request import Request, urlopen

request = Request(
${lines.map((line) => `    ${line},`).join('\n')}
)
with urlopen(request) as response:
    print(response.status${isEmpty ? '' : ', json.load(response)'})`;
}

/** A stream is read as it arrives, because `response.json()` would wait for its end. */
const streamSamples = (call: Call): Record<Language, string> => ({
  curl: curlCommand(call).replace('curl ', 'curl -N '),
  javascript: `const response = await fetch(${quoted(call.url)}, {
  headers: { 'X-API-KEY': '${EXAMPLE_KEY}' },
});
const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
  console.log(value);
}`,
  python: `from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(call.url)},
    headers={"X-API-KEY": "${EXAMPLE_KEY}"},
)
with urlopen(request) as response:
    for line in response:
        print(line.decode().rstrip())`,
});

export const callSamples = (call: Call, isEmpty = false): Record<Language, string> => ({
  curl: curlCommand(call),
  javascript: javascript(call, isEmpty),
  python: python(call, isEmpty),
});

export function samplesOf(entry: Entry, basePath: string, named: NamedSchemas): Record<Language, string> {
  if (entry.isStream) return streamSamples(callOf(entry, basePath, named));
  const isEmpty = entry.successes.every(({ schema }) => schema === undefined);
  return callSamples(callOf(entry, basePath, named), isEmpty);
}
