type Call = {
  method: string;
  path: string;
  query: Record<string, string>;
  /** The header of this name, where there was one. */
  authorization?: string;
  at: number;
};

const KEPT = 10_000;

/** The calls of the upstreams: the newest 10,000 in full, and the number of all calls by endpoint. */
export function createCallLog() {
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  return {
    /** Oldest first. Always the same array. */
    calls: calls as readonly Call[],
    record(call: Call, endpoint: string): void {
      if (calls.push(call) > KEPT) calls.shift();
      counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    },
    /** The calls since `clear` of endpoints that end like this: `/market_chart`, `/coins/{id}/market_chart`. */
    count(endpoint = ''): number {
      let total = 0;
      for (const [name, times] of counts) if (name.endsWith(endpoint)) total += times;
      return total;
    },
    clear(): void {
      calls.length = 0;
      counts.clear();
    },
  };
}
