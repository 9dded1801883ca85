import type { FastifyRequest } from 'fastify';
import { Problem } from '#problems';
import { readQualities } from './quality-list.ts';

const OFFERED = {
  json: ['application/json', 'application/*', '*/*'],
  csv: ['text/csv', 'text/*', '*/*'],
} as const;

/** The quality of a type is that of the most specific range that names it (RFC 9110, 12.5.1). */
function qualityOf(ranges: ReturnType<typeof readQualities>, names: readonly string[]): number {
  for (const name of names) {
    const range = ranges.find((one) => one.name === name);
    if (range) return range.quality;
  }
  return 0;
}

/** JSON or CSV, whichever the caller prefers; JSON when it does not matter. Throws `not_acceptable`. */
export function acceptedFormat(request: FastifyRequest): 'json' | 'csv' {
  const ranges = readQualities(request.headers.accept ?? '*/*');
  const json = qualityOf(ranges, OFFERED.json);
  const csv = qualityOf(ranges, OFFERED.csv);
  if (json === 0 && csv === 0) {
    throw new Problem(
      'not_acceptable',
      'This path gives application/json and text/csv: ask for one of them in Accept.',
    );
  }
  return csv > json ? 'csv' : 'json';
}
