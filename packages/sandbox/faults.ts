import { EventEmitter, once } from 'node:events';

type Plain =
  | 'rateLimitUnder200'
  | 'truncated'
  | 'hangBeforeHeaders'
  | 'hangMidway'
  | 'reset'
  | 'resetMidway'
  | 'emptyChart'
  | 'wrongTypes';

/**
 * The faults of an answer.
 * - `delay`: `ms` later, the normal answer
 * - `status`: that status; without `body` a typical one
 * - `rateLimitUnder200`: the rate-limit body under HTTP 200; `html`: the page of the CDN in place of JSON
 * - `truncated`: half of the JSON in a complete HTTP message
 * - `hangBeforeHeaders`, `hangMidway`: nothing, or headers and half of the body, then silence
 * - `reset`, `resetMidway`: the connection is cut before the headers, or after half of the body
 * - `slow`: one byte every `everyMs` (1000)
 * - `emptyChart`: the normal answer with its arrays empty; `wrongTypes`: with objects for numbers
 *   and numbers for strings
 * - `huge`: that many bytes of JSON that never ends
 */
export type Fault =
  | { kind: Plain }
  | { kind: 'delay'; ms: number }
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'html'; status?: number }
  | { kind: 'slow'; everyMs?: number }
  | { kind: 'huge'; bytes: number };

/** A string matches anywhere in the path; a pattern is tested on the path, and on the path with its query. */
type PathMatch = string | RegExp;
type Target = { path: string; search: string };

function matches(match: PathMatch | undefined, { path, search }: Target): boolean {
  if (match === undefined) return true;
  if (typeof match === 'string') return path.includes(match);
  // Not `test`, which continues at the last match of a global pattern.
  return path.search(match) >= 0 || (path + search).search(match) >= 0;
}

/** The faults that requests get, and the requests that are held. */
export function createFaults() {
  let queued: { fault: Fault; left: number; path: PathMatch | undefined }[] = [];
  let permanent: { fault: Fault; path: PathMatch | undefined }[] = [];
  const holds = new Set<Hold>();
  return {
    /** The next `times` (1) matching requests get the fault, after the faults that were queued before. */
    next(fault: Fault, { times = 1, path }: { times?: number; path?: PathMatch } = {}): void {
      queued.push({ fault, left: times, path });
    },
    /** Every matching request gets the fault, unless one is queued; the newest one wins. */
    always(fault: Fault, { path }: { path?: PathMatch } = {}): void {
      permanent.unshift({ fault, path });
    },
    /** Removes all faults and releases all held requests. */
    clear(): void {
      queued = [];
      permanent = [];
      for (const hold of holds) hold.release();
    },
    /** Holds matching requests until `release`; `arrived(n)` resolves when n of them are held. */
    hold({ path }: { path?: PathMatch } = {}): Pick<Hold, 'release' | 'arrived'> {
      const hold = createHold(path, () => holds.delete(hold));
      holds.add(hold);
      return hold;
    },
    /** For the server: resolves when the request is not held, or its connection has ended. */
    async waitForRelease(target: Target, gone: AbortSignal): Promise<void> {
      for (const hold of holds) if (matches(hold.path, target)) await hold.wait(gone);
    },
    /** For the server: takes the fault that this request gets. */
    take(target: Target): Fault | null {
      const due = queued.find((order) => matches(order.path, target));
      if (due && --due.left === 0) queued = queued.filter((order) => order !== due);
      return (due ?? permanent.find((order) => matches(order.path, target)))?.fault ?? null;
    },
  };
}

type Hold = ReturnType<typeof createHold>;

function createHold(path: PathMatch | undefined, onRelease: () => void) {
  const gate = Promise.withResolvers<void>();
  const arrivals = new EventEmitter();
  let held = 0;
  return {
    path,
    release(): void {
      gate.resolve();
      onRelease();
    },
    async arrived(n: number): Promise<void> {
      while (held < n) await once(arrivals, 'arrival');
    },
    async wait(gone: AbortSignal): Promise<void> {
      if (gone.aborted) return;
      held += 1;
      arrivals.emit('arrival');
      await Promise.race([gate.promise, once(gone, 'abort')]);
      held -= 1;
    },
  };
}
