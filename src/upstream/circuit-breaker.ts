import { MINUTE, SECOND } from '#core/clock';

/** The consecutive failures that open a circuit, and how long it stays open (ms), doubled up to `MAX_OPEN`. */
const FAILURES = 5;
const FIRST_OPEN = 10 * SECOND;
const MAX_OPEN = 5 * MINUTE;
/** How long a rate limit without `Retry-After` opens the circuit, in ms. */
const RATE_LIMITED = MINUTE;
/** The number of paths that must fail, without a success in between, to pause the upstream. */
const SEVERAL_PATHS = 3;
const MAX_PATHS = 1000;
export type CircuitState = 'closed' | 'half_open' | 'open';

/** Closed, open until an instant (monotonic ms), or half open with a single probe. */
type Circuit = { failures: number; openings: number; openUntil: number; isProbing: boolean };

const newCircuit = (): Circuit => ({
  failures: 0,
  openings: 0,
  openUntil: Number.NEGATIVE_INFINITY,
  isProbing: false,
});

function stateOf({ failures, openings, openUntil }: Circuit, now: number): CircuitState {
  if (now < openUntil) return 'open';
  return openings === 0 && failures < FAILURES ? 'closed' : 'half_open';
}

/** The time in ms until the next request is useful. 0 if the call is allowed. */
function waitFor(circuit: Circuit, now: number): number {
  if (now < circuit.openUntil) return circuit.openUntil - now;
  return stateOf(circuit, now) === 'half_open' && circuit.isProbing ? SECOND : 0;
}

function open(circuit: Circuit, now: number, forMs: number): void {
  circuit.openUntil = Math.max(circuit.openUntil, now + forMs);
  circuit.openings += 1;
}

/** @param longest the upper bound in ms */
const openTime = ({ openings }: Circuit, longest: number): number => Math.min(longest, FIRST_OPEN * 2 ** openings);

function fail(circuit: Circuit, now: number, longest: number): void {
  circuit.failures += 1;
  if (circuit.failures >= FAILURES || circuit.openings > 0) open(circuit, now, openTime(circuit, longest));
}

/** The circuit of an upstream, and one for each failing path. */
const newCircuits = () => ({
  source: newCircuit(),
  paths: new Map<string, Circuit>(),
  /** The paths that have failed since the last success of any path, and the number of their failures. */
  failing: new Set<string>(),
  failures: 0,
});
type Circuits = ReturnType<typeof newCircuits>;

function circuitOf({ paths, failing }: Circuits, path: string): Circuit {
  const circuit = paths.get(path) ?? newCircuit();
  // The path that failed most recently is forgotten last.
  paths.delete(path);
  paths.set(path, circuit);
  const [oldest] = paths.keys();
  if (paths.size > MAX_PATHS && oldest !== undefined) {
    paths.delete(oldest);
    failing.delete(oldest);
  }
  return circuit;
}

function endProbe({ source, paths }: Circuits, path: string): void {
  for (const circuit of [source, paths.get(path)]) if (circuit) circuit.isProbing = false;
}

function failOnPath(circuits: Circuits, path: string, now: number, longest: number): void {
  const { source, failing } = circuits;
  const circuit = circuitOf(circuits, path);
  if (stateOf(source, now) === 'half_open') {
    const forMs = openTime(source, longest);
    open(source, now, forMs);
    // Makes another path send the next probe, so that no single path keeps the upstream paused.
    open(circuit, now, 2 * forMs);
    return;
  }
  fail(circuit, now, longest);
  failing.add(path);
  circuits.failures += 1;
  if (failing.size >= SEVERAL_PATHS && circuits.failures >= FAILURES) open(source, now, openTime(source, longest));
}

/** `spacing` (ms) may keep a circuit open longer. `isOfSource` marks a failure that concerns every path. */
type FailedCall = { spacing?: number; isOfSource?: boolean };

/** Pauses a failing upstream and its failing paths. The README states which failures pause which. */
export function createBreaker({ longestOpen = MAX_OPEN } = {}) {
  const circuits = newCircuits();
  const { source, paths, failing } = circuits;

  return {
    /** The state of the upstream, or the state of a paused path if no call has succeeded since the path was paused. */
    state(now: number): CircuitState {
      const all = [source, ...[...failing].flatMap((path) => paths.get(path) ?? [])];
      const states = all.map((circuit) => stateOf(circuit, now));
      return states.find((state) => state === 'open') ?? states.find((state) => state === 'half_open') ?? 'closed';
    },

    pausedPaths: (now: number): number =>
      [...paths.values()].filter((circuit) => stateOf(circuit, now) !== 'closed').length,

    /** Requests a call. Returns 0 if the call is allowed, or the time in ms until the next request is useful. */
    request(now: number, path: string): number {
      const passed = [source, ...(paths.has(path) ? [circuitOf(circuits, path)] : [])];
      const waitMs = Math.max(...passed.map((circuit) => waitFor(circuit, now)));
      if (waitMs === 0) for (const circuit of passed) circuit.isProbing = stateOf(circuit, now) === 'half_open';
      return waitMs;
    },

    /** A success that was in flight when a circuit opened does not close it. */
    succeeded(now: number, path: string): void {
      if (now < source.openUntil) return;
      if (source.openings > 0) paths.clear();
      Object.assign(source, newCircuit());
      failing.clear();
      circuits.failures = 0;
      if (now >= (paths.get(path)?.openUntil ?? Number.NEGATIVE_INFINITY)) paths.delete(path);
    },

    /** Call this if the allowed call was not made, or if its outcome does not describe the upstream's state. */
    cancelled: (path: string): void => endProbe(circuits, path),

    /** Concurrent failures after a circuit has opened do not count. */
    failed(now: number, path: string, { spacing = 0, isOfSource = false }: FailedCall = {}): void {
      if (now < Math.max(source.openUntil, paths.get(path)?.openUntil ?? Number.NEGATIVE_INFINITY)) return;
      const longest = Math.max(longestOpen, spacing);
      if (isOfSource) fail(source, now, longest);
      else failOnPath(circuits, path, now, longest);
      endProbe(circuits, path);
    },

    rateLimited(now: number, forMs: number = RATE_LIMITED): void {
      source.openings = Math.max(1, source.openings);
      source.openUntil = Math.max(source.openUntil, now + forMs);
      source.isProbing = false;
    },
  };
}

export type Breaker = ReturnType<typeof createBreaker>;
