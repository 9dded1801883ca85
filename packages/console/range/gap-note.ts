import type { Gap } from '../../client/index.ts';
import { byId } from '../core/dom.ts';
import { onDate, onDateAt } from '../core/format.ts';

export function openGapNote() {
  const note = byId('chart-gaps');
  return (gaps: readonly Gap[]): void => {
    note.hidden = gaps.length === 0;
    // Gaps between daily points are dates, gaps between finer points are times.
    const format = (text: string) => (text.includes('T') ? onDateAt : onDate)(new Date(text));
    const spans = gaps.map(({ from, thru }) => `${format(from)} to ${format(thru)}`);
    note.textContent = `No data for ${spans.join('; ')}: the source does not go back that far or is unavailable.`;
  };
}
