import { z } from 'zod';

const plain = <const Kind extends string>(kind: Kind) => z.strictObject({ kind: z.literal(kind) });
const milliseconds = z.int().min(0).max(3_600_000);

/**
 * What can go wrong with an answer.
 * - `delay`: `ms` later, the normal answer
 * - `status`: that status; the body (text, or JSON) is a likely one where it is left out
 * - `rateLimitUnder200`: the rate-limit body under HTTP 200; `html`: the edge's page where JSON belongs
 * - `truncated`: half of the JSON in a message that ends in order
 * - `hangBeforeHeaders`, `hangMidway`: nothing, or headers and half of the body, then silence
 * - `reset`, `resetMidway`: the connection is cut before the headers, or after half of the body
 * - `slow`: one byte every `everyMs` (a second, where left out)
 * - `emptyChart`: the normal answer with its arrays empty; `wrongTypes`: with each number an object and each
 *   text a number
 * - `huge`: so many bytes of a JSON text that does not end
 */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('delay'), ms: milliseconds }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.json()), z.array(z.json())]).optional(),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/)).optional(),
  }),
  z.strictObject({ kind: z.literal('html'), status: z.int().min(200).max(599).optional() }),
  z.strictObject({ kind: z.literal('slow'), everyMs: milliseconds.optional() }),
  z.strictObject({
    kind: z.literal('huge'),
    bytes: z
      .int()
      .min(1)
      .max(2 ** 34),
  }),
  plain('rateLimitUnder200'),
  plain('truncated'),
  plain('hangBeforeHeaders'),
  plain('hangMidway'),
  plain('reset'),
  plain('resetMidway'),
  plain('emptyChart'),
  plain('wrongTypes'),
]);

export type Fault = z.infer<typeof faultSchema>;

/** A text is found anywhere in the path; a pattern is tried on the path, and on the path with its query. */
export type PathMatch = string | RegExp;
type Target = { path: string; search: string };

function matches(match: PathMatch | undefined, { path, search }: Target): boolean {
  if (match === undefined) return true;
  if (typeof match === 'string') return path.includes(match);
  // `search` starts anew at every call, where `test` of a global pattern remembers its place.
  return path.search(match) >= 0 || (path + search).search(match) >= 0;
}

/** The faults to come, and the requests that are held back. */
export function createFaults() {
  let upcoming: { fault: Fault; left: number; path: PathMatch | undefined }[] = [];
  let standing: { fault: Fault; path: PathMatch | undefined }[] = [];
  const holds = new Set<ReturnType<typeof createHold>>();
  return {
    /** The next `times` (1 where left out) matching requests get the fault; earlier orders are served first. */
    next(fault: Fault, { times = 1, path }: { times?: number; path?: PathMatch } = {}): void {
      upcoming.push({ fault, left: times, path });
    },
    /** Every matching request gets it, unless a `next` one is due; the newest order has precedence. */
    always(fault: Fault, { path }: { path?: PathMatch } = {}): void {
      standing.unshift({ fault, path });
    },
    /** Ends all faults and releases all that is held. */
    clear(): void {
      upcoming = [];
      standing = [];
      for (const hold of holds) hold.release();
    },
    /** Matching requests wait, unanswered, until `release`; `arrived(n)` resolves once n of them are waiting. */
    hold({ path }: { path?: PathMatch } = {}): { release(): void; arrived(n: number): Promise<void> } {
      const hold = createHold(path, () => holds.delete(hold));
      holds.add(hold);
      return { release: hold.release, arrived: hold.arrived };
    },
    /** For the server: resolves when nothing holds the request back, or its connection has ended. */
    async admitted(target: Target, gone: AbortSignal): Promise<void> {
      for (const hold of holds) if (matches(hold.path, target)) await hold.wait(gone);
    },
    /** For the server: takes the fault that this request gets. */
    take(target: Target): Fault | null {
      const due = upcoming.find((order) => order.left > 0 && matches(order.path, target));
      if (due) {
        due.left -= 1;
        if (due.left <= 0) upcoming = upcoming.filter((order) => order !== due);
        return due.fault;
      }
      return standing.find((order) => matches(order.path, target))?.fault ?? null;
    },
  };
}

function createHold(path: PathMatch | undefined, released: () => void) {
  const waiting = new Set<() => void>();
  const expected: { n: number; met: () => void }[] = [];
  let open = false;
  return {
    path,
    release() {
      open = true;
      for (const go of waiting) go();
      waiting.clear();
      released();
    },
    arrived(n: number): Promise<void> {
      if (waiting.size >= n) return Promise.resolve();
      return new Promise((met) => expected.push({ n, met }));
    },
    async wait(gone: AbortSignal): Promise<void> {
      if (open || gone.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      gone.addEventListener('abort', () => {
        waiting.delete(resolve);
        resolve();
      });
      for (const { n, met } of expected) if (waiting.size >= n) met();
      await promise;
    },
  };
}
