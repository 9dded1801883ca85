type Values = readonly (number | null)[];

const WIDTH = 100;
const HEIGHT = 32;
const EDGE = 2;

/** Returns the `d` attribute of an SVG path. Equal values result in a line in the middle. */
export function linePath(values: Values): string {
  const points = values.flatMap((value, place) => (value === null ? [] : [{ place, value }]));
  if (points.length < 2) return '';
  const least = Math.min(...points.map(({ value }) => value));
  const most = Math.max(...points.map(({ value }) => value));
  const x = (place: number) => EDGE + (place / (values.length - 1)) * (WIDTH - 2 * EDGE);
  const y = (value: number) =>
    most > least ? HEIGHT - EDGE - ((value - least) / (most - least)) * (HEIGHT - 2 * EDGE) : HEIGHT / 2;
  return `M${points.map(({ place, value }) => `${x(place).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`;
}

/**
 * A line through values at equal distances, in the color of the text. It passes over unknown values (null). Fewer than
 * two values draw no line, and their space stays empty.
 */
export const Sparkline = ({ values, label, class: kind = '' }: { values: Values; label: string; class?: string }) => (
  <svg
    class={`sparkline ${kind}`}
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
  >
    <path d={linePath(values)} />
  </svg>
);
