const BAR_WIDTH = 30;
const CLEAR_LINE = '\r\x1b[2K';

type Terminal = { write(text: string): unknown; isTTY?: boolean };

/**
 * How far some work has come: a bar that is drawn over and over on a terminal; elsewhere a line for each tenth.
 * What is said in between stands above the bar.
 */
export function createProgress(out: Terminal) {
  let bar = '';
  let tenths = 0;

  return {
    /** @param part from 0 to 1 */
    show(part: number, note: string): void {
      const percent = `${Math.floor(part * 100)}%`;
      if (out.isTTY) {
        const filled = Math.round(part * BAR_WIDTH);
        bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${percent.padStart(4)}  ${note}`;
        out.write(CLEAR_LINE + bar);
      } else if (Math.floor(part * 10) > tenths) {
        tenths = Math.floor(part * 10);
        out.write(`${percent}: ${note}\n`);
      }
    },

    say(line: string): void {
      out.write(out.isTTY && bar !== '' ? `${CLEAR_LINE}${line}\n${bar}` : `${line}\n`);
    },

    /** The bar goes. */
    end(): void {
      if (out.isTTY && bar !== '') out.write(CLEAR_LINE);
      bar = '';
    },
  };
}

/** Says the first so many lines of a kind, and of the rest only how many. */
export function sayFirst(limit: number, say: (line: string) => void, kind: string) {
  let told = 0;
  return {
    line(text: string): void {
      told += 1;
      if (told <= limit) say(text);
    },
    rest(): void {
      if (told > limit) say(`… and ${told - limit} more ${kind}`);
    },
  };
}
