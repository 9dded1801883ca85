type Point = { date: Date; price: number };

/** The width and height that a line is drawn in, and how far from the edge it stays. */
export const SIZE = { width: 320, height: 72, edge: 3 } as const;

/** The `d` of an SVG path through some points, scaled to `SIZE`; a flat line is in the middle. */
export function sparkline(points: readonly Point[]): string {
  const { width, height, edge } = SIZE;
  const times = points.map(({ date }) => date.getTime());
  const prices = points.map(({ price }) => price);
  const scale = (values: readonly number[], length: number) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const middle = edge + length / 2;
    return (value: number) => (most > least ? edge + ((value - least) / (most - least)) * length : middle);
  };
  const [x, y] = [scale(times, width - 2 * edge), scale(prices, height - 2 * edge)];
  const corners = points.map(
    ({ date, price }) => `${x(date.getTime()).toFixed(1)} ${(height - y(price)).toFixed(1)}`,
  );
  return corners.length > 0 ? `M${corners.join('L')}` : '';
}
