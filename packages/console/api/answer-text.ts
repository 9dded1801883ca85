import type { Candle, PriceSeries } from '../../client/index.ts';
import { candlesToCsv, seriesToCsv } from './csv-download.ts';
import type { Language } from './snippets.ts';

/** So many elements of a list are shown. */
const SHOWN = 2;
/** A record of so many members fits a line. */
const MEMBERS_IN_A_LINE = 3;

type WriteDate = (date: Date) => string;

/** As the service writes instants in the answer to a path. */
function dateOnWire(path: string): WriteDate {
  if (path.startsWith('/v1/user/')) return (date) => JSON.stringify(date.toISOString());
  if (path.startsWith('/v1/prices/latest/stats')) return (date) => String(date.getTime() / 1000);
  return (date) => JSON.stringify(date.toUTCString());
}

const isWrapped = (path: string) => path.startsWith('/v1/prices/history/days');

const isShort = (members: readonly unknown[]) =>
  members.length <= MEMBERS_IN_A_LINE &&
  members.every((member) => typeof member !== 'object' || member === null || member instanceof Date);

/** A value as indented JSON, its lists cut to their first elements. */
function jsonText(answer: unknown, writeDate: WriteDate, indent = ''): string {
  if (answer instanceof Date) return writeDate(answer);
  if (typeof answer !== 'object' || answer === null) return JSON.stringify(answer);
  const inner = `${indent}  `;
  const text = (value: unknown) => jsonText(value, writeDate, inner);
  if (Array.isArray(answer)) {
    if (answer.length === 0) return '[]';
    const lines = answer.slice(0, SHOWN).map(text);
    const rest = answer.length - SHOWN;
    const items = lines.join(`,\n${inner}`) + (rest > 0 ? `,\n${inner}… ${rest} more` : '');
    return `[\n${inner}${items}\n${indent}]`;
  }
  const members = Object.entries(answer).map(([name, value]) => `${JSON.stringify(name)}: ${text(value)}`);
  return isShort(Object.values(answer))
    ? `{ ${members.join(', ')} }`
    : `{\n${inner}${members.join(`,\n${inner}`)}\n${indent}}`;
}

function fileText(csv: string): string {
  const lines = csv.trimEnd().split('\r\n');
  const rest = lines.length - SHOWN - 1;
  return [...lines.slice(0, SHOWN + 1), ...(rest > 0 ? [`… ${rest} more`] : [])].join('\n');
}

/** What a call answers, cut to a readable size: as it is on the wire, or as a program of the client has it. */
export function answerText(path: string, answer: object, language: Language = 'curl'): string {
  if (language === 'client') return jsonText(answer, (date) => date.toISOString());
  if (language !== 'csv') return jsonText(isWrapped(path) ? [answer] : answer, dateOnWire(path));
  const currency = /[?&]currency=(\w+)/.exec(path)?.[1] ?? 'usd';
  const csv = Array.isArray(answer)
    ? candlesToCsv(answer as Candle[], currency)
    : seriesToCsv(answer as PriceSeries, currency);
  return fileText(csv);
}
