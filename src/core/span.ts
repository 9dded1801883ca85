/** From one instant through another, both included, in whole Unix milliseconds. */
export type Span = { readonly from: number; readonly thru: number };

/** The same instants as ascending, disjoint spans with something between each two. */
export function union(spans: readonly Span[]): Span[] {
  const ascending = spans.filter(({ from, thru }) => from <= thru).sort((a, b) => a.from - b.from);
  const merged: Span[] = [];
  for (const span of ascending) {
    const last = merged.at(-1);
    if (last && span.from <= last.thru + 1) {
      merged[merged.length - 1] = { from: last.from, thru: Math.max(last.thru, span.thru) };
    } else {
      merged.push(span);
    }
  }
  return merged;
}

/** The parts of a span that none of the others holds, ascending. */
export function without(span: Span, others: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let from = span.from;
  for (const other of union(others)) {
    if (other.thru < from) continue;
    if (other.from > span.thru) break;
    if (other.from > from) rest.push({ from, thru: other.from - 1 });
    from = other.thru + 1;
  }
  if (from <= span.thru) rest.push({ from, thru: span.thru });
  return rest;
}

/** What two spans share, if anything. */
export function overlap(a: Span, b: Span): Span | undefined {
  const shared = { from: Math.max(a.from, b.from), thru: Math.min(a.thru, b.thru) };
  return shared.from <= shared.thru ? shared : undefined;
}
