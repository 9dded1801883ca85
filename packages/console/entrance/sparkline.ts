export const SIZE = { width: 320, height: 72, edge: 3 } as const;

/** Returns the `d` attribute of an SVG path, scaled to `SIZE`. Equal prices result in a line in the middle. */
export function sparkline(points: readonly { date: Date; price: number }[]): string {
  const { width, height, edge } = SIZE;
  const times = points.map(({ date }) => date.getTime());
  const prices = points.map(({ price }) => price);
  const scale = (values: readonly number[], length: number) => {
    const least = Math.min(...values);
    const most = Math.max(...values);
    const middle = edge + length / 2;
    return (value: number) => (most > least ? edge + ((value - least) / (most - least)) * length : middle);
  };
  const x = scale(times, width - 2 * edge);
  const y = scale(prices, height - 2 * edge);
  const corners = points.map(({ date, price }) => `${x(date.getTime()).toFixed(1)} ${(height - y(price)).toFixed(1)}`);
  return corners.length > 0 ? `M${corners.join('L')}` : '';
}
