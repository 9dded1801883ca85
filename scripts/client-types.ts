import { mkdir, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { z } from 'zod';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { PROBLEM_CODES } from '#core/problems';
import { idsOf, RECORD_NAMES } from '#docs/openapi/public-records';
import * as operator from '#operator/operator-records';
import * as operatorTokens from '#operator/tokens/token-records';
import { CANDLE_INTERVAL_NAMES, CANDLE_INTERVALS, storedIntervalOf } from '#prices/model/candle';
import { STATISTICS_SYMBOLS } from '#statistics/statistics-sources';

import service from '../package.json' with { type: 'json' };

// Writes the record schemas as TypeScript, because the types of the client and of the operator's page must not depend
// on zod. Run by `npm run build:types`.

const FOLDER = new URL('../packages/client/generated/', import.meta.url);
const OPERATOR_FOLDER = new URL('../packages/operator/generated/', import.meta.url);
type Schema = Record<string, unknown>;
/** Schema keywords that TypeScript types cannot express. */
const CONSTRAINTS = ['$schema', '$id', 'id', 'examples', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum'];
/** Descriptions of a timestamp's wire format, which are irrelevant for a `Date`. */
const WRITTEN = /^(ISO 8601, UTC, milliseconds|HTTP-date \(RFC 9110\), GMT)(; )?/;

/** A nullable schema is not an instant: one of its alternatives is. */
function isInstant({ anyOf, format, description }: Schema): boolean {
  if (anyOf !== undefined) return false;
  return format === 'date-time' || /\bHTTP-date\b|\bUnix seconds$/.test(String(description));
}

/** The schema of the value that the client returns, with `Date` for timestamps and without constraints. */
function forCaller(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forCaller);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, $ref, description, ...rest } = schema as Schema;
  for (const name of CONSTRAINTS) delete rest[name];
  const meaning = String(description ?? '')
    .replace(WRITTEN, '')
    .replace(/, Unix seconds$/, '')
    .replace(/^\w/, (letter) => letter.toUpperCase());
  const members = Object.entries((properties ?? {}) as Schema).map(([name, member]) => [name, forCaller(member)]);
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, forCaller(value)])),
    ...(meaning && { description: meaning }),
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
    ...($ref !== undefined && { $ref: `#/definitions/${$ref}` }),
    ...(isInstant(schema as Schema) && { tsType: 'Date' }),
  };
}

const union = (name: string, meaning: string, values: readonly string[]) =>
  `/** ${meaning} */\nexport type ${name} = ${values.map((value) => `'${value}'`).join(' | ')};\n`;

async function interfaces(names: readonly string[]): Promise<string> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io: 'output', uri: (id) => id });
  const properties = Object.fromEntries(names.map((id) => [id, { $ref: `#/definitions/${id}` }]));
  const root = { type: 'object', properties, definitions: forCaller(schemas) };
  const text = await compile(root as object, 'Records', { additionalProperties: false, bannerComment: '' });
  // Removes the root interface, which only references the other interfaces.
  return text.replace(/^export interface Records \{[^}]*\}\n/, '');
}

async function clientTypes(): Promise<string> {
  return [
    await interfaces(RECORD_NAMES),
    union('BuiltInToken', 'A token that every instance of the service has', BUILT_IN_NAMES),
    union('StatisticsSymbol', 'A token that has on-chain statistics', STATISTICS_SYMBOLS),
    union('ProblemCode', 'The code of a problem', PROBLEM_CODES),
  ].join('\n');
}

/** The intervals of candles, from fine to coarse, as the console offers them. */
function candleIntervals(): string {
  const lines = CANDLE_INTERVAL_NAMES.map((name) => {
    const { length, title } = CANDLE_INTERVALS[name];
    return `  { name: '${name}', title: '${title}', length: ${length}, stored: '${storedIntervalOf(name)}' },\n`;
  });
  const meaning =
    'The intervals of candles, from fine to coarse. `length` is in ms. Candles are computed from those of the `stored` interval.';
  return (
    `/** ${meaning} */\nexport const CANDLE_INTERVALS = [\n${lines.join('')}] as const;\n\n` +
    "/** The interval of candles. `minute` means five minutes, and weeks start on Monday. */\nexport type CandleInterval = (typeof CANDLE_INTERVALS)[number]['name'];\n"
  );
}

await Promise.all([FOLDER, OPERATOR_FOLDER].map((folder) => mkdir(folder, { recursive: true })));
await writeFile(new URL('records.ts', FOLDER), await clientTypes());
await writeFile(new URL('records.ts', OPERATOR_FOLDER), await interfaces(idsOf({ ...operator, ...operatorTokens })));
await writeFile(
  new URL('version.ts', FOLDER),
  `/** The version of the package. */\nexport const VERSION = '${service.version}';\n`,
);
await writeFile(new URL('candle-intervals.ts', FOLDER), candleIntervals());
