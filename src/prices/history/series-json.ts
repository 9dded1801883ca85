import { DAY, SECOND } from '#core/clock';
import type { PointColumns } from '#prices/model/points';
import { PIECE_ROWS } from '#prices/model/text';

const ARRAYS = [
  ['prices', 'price'],
  ['market_cap', 'marketCap'],
  ['total_volume', 'volume'],
] as const;

const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
const twoDigits = (i: number) => TWO_DIGITS[i] as string;

/** The end of an HTTP-date, from the time on, for the ms since midnight. */
function timeText(ms: number): string {
  if (ms === 0) return '00:00:00 GMT';
  const seconds = Math.floor(ms / SECOND);
  const minutes = Math.floor(seconds / 60);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)} GMT`;
}

/** The figure of a later sample in the same second takes this one's place: an HTTP-date has whole seconds. */
function isReplaced(at: Float64Array, figures: Float64Array, index: number): boolean {
  const second = Math.floor((at[index] as number) / SECOND);
  for (let i = index + 1; i < at.length; i++) {
    if (Math.floor((at[i] as number) / SECOND) !== second) return false;
    if (!Number.isNaN(figures[i])) return true;
  }
  return false;
}

/**
 * A price series as JSON text, in pieces: `prices`, `market_cap` and `total_volume`, each an array of `{date, price}`
 * with `date` an HTTP-date; a figure that the source has not is left out of its array only.
 *
 * Written by hand because a window of thirteen years is 14,000 points; in pieces because a year of minutes is 300,000.
 * The text of a date is made once for all samples of a day, in all arrays: nothing is kept for each sample.
 */
export function* seriesJson(columns: PointColumns): Generator<string> {
  const { at } = columns;
  const days = new Map<number, string>();
  let text = '{';
  for (const [name, column] of ARRAYS) {
    const figures = columns[column];
    text += `${column === 'price' ? '' : ','}"${name}":[`;
    let isFirst = true;
    for (let i = 0; i < at.length; i++) {
      const figure = figures[i] as number;
      if (!Number.isNaN(figure) && !isReplaced(at, figures, i)) {
        const instant = at[i] as number;
        const day = Math.floor(instant / DAY);
        let opening = days.get(day);
        if (opening === undefined) {
          opening = `{"date":"${new Date(instant).toUTCString().slice(0, -'00:00:00 GMT'.length)}`;
          days.set(day, opening);
        }
        text += `${isFirst ? '' : ','}${opening}${timeText(instant - day * DAY)}","price":${figure}}`;
        isFirst = false;
      }
      if (i % PIECE_ROWS === PIECE_ROWS - 1) {
        yield text;
        text = '';
      }
    }
    text += ']';
  }
  yield `${text}}`;
}
