import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';

const OFFERED = {
  json: ['application/json', 'application/*', '*/*'],
  csv: ['text/csv', 'text/*', '*/*'],
} as const;

type Range = { type: string; quality: number };

function readRanges(header: string): Range[] {
  return header.split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = q === undefined ? 1 : Number(q);
    return { type, quality: Number.isNaN(quality) ? 0 : quality };
  });
}

/** The quality of a type is that of the most specific range that names it (RFC 9110, 12.5.1). */
function qualityOf(ranges: readonly Range[], names: readonly string[]): number {
  for (const name of names) {
    const range = ranges.find(({ type }) => type === name);
    if (range) return range.quality;
  }
  return 0;
}

/** JSON or CSV, whichever the caller prefers; JSON when it does not matter. Throws `not_acceptable`. */
export function acceptedFormat(request: FastifyRequest): 'json' | 'csv' {
  const ranges = readRanges(request.headers.accept ?? '*/*');
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
