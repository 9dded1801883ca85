import { METHODS } from 'node:http';
import { PROBLEM_CODES } from '#core/problems';
import type { ListedRequest } from '#server/gate';

/** The numbers of a request: time, key, method, status, code, cost and duration. They fit into one cache line. */
const NUMBERS = 7;
/** The memory of a request in bytes: its numbers, and its texts without their characters (measured, and rounded up). */
export const REQUEST_BYTES = NUMBERS * Float64Array.BYTES_PER_ELEMENT + 56;
/** The memory of a problem's detail in bytes, without its characters. */
const DETAIL_BYTES = 40;

/**
 * The memory of a path's characters in bytes. `…` is not in Latin-1, so each character of a path with `…` takes two
 * bytes.
 */
const bytesOf = (path: string): number => (path.includes('…') ? 2 : 1) * path.length;
/** A detail may contain any character. */
const bytesOfDetail = (detail: string | undefined): number =>
  detail === undefined ? 0 : DETAIL_BYTES + 2 * detail.length;

/**
 * The last requests of a user. When the ring is full, the next request replaces the oldest. The numbers are not
 * objects, so the garbage collector neither visits nor copies them.
 */
export type Ring = { numbers: Float64Array; paths: string[]; details: (string | undefined)[]; next: number };

export const createRing = (capacity: number): Ring => ({
  numbers: new Float64Array(capacity * NUMBERS),
  paths: [],
  details: [],
  next: 0,
});

export const capacityOf = ({ numbers }: Ring): number => numbers.length / NUMBERS;

/**
 * Whether the next request replaces the first entry. The ring is then full, and its entries are in the order of the
 * requests.
 */
export const isRoundComplete = ({ paths, next }: Ring): boolean => next === 0 && paths.length > 0;

/** The time of the oldest request of a complete round. */
export const oldestIn = ({ numbers }: Ring): number => numbers[0] as number;

/** The time of the newest request. */
export const newestIn = ({ numbers, paths, next }: Ring): number =>
  numbers[((next === 0 ? paths.length : next) - 1) * NUMBERS] as number;

/** Writes a request, and returns by how many bytes the texts became larger. */
export function write(ring: Ring, { at, keyId, method, path, status, code, detail, cost, ms }: ListedRequest): number {
  const { numbers, paths, details, next } = ring;
  const more = bytesOf(path) - bytesOf(paths[next] ?? '') + bytesOfDetail(detail) - bytesOfDetail(details[next]);
  let i = next * NUMBERS;
  numbers[i++] = at;
  numbers[i++] = keyId;
  numbers[i++] = METHODS.indexOf(method);
  numbers[i++] = status;
  numbers[i++] = code === undefined ? -1 : PROBLEM_CODES.indexOf(code);
  numbers[i++] = cost;
  numbers[i++] = ms;
  paths[next] = path;
  details[next] = detail;
  ring.next = i === numbers.length ? 0 : next + 1;
  return more;
}

function read({ numbers, paths, details }: Ring, index: number): ListedRequest {
  const number = (field: number) => numbers[index * NUMBERS + field] as number;
  return {
    at: number(0),
    keyId: number(1),
    method: METHODS[number(2)] as string,
    path: paths[index] as string,
    status: number(3),
    code: PROBLEM_CODES[number(4)],
    detail: details[index],
    cost: number(5),
    ms: number(6),
  };
}

/** Returns the requests, oldest first. */
export function requestsIn(ring: Ring): ListedRequest[] {
  const { paths, next } = ring;
  const order = [...paths.keys()];
  return [...order.slice(next), ...order.slice(0, next)].map((index) => read(ring, index));
}

/** Changes the capacity, and keeps the newest requests. Returns the number of bytes by which the ring has grown. */
export function resize(ring: Ring, capacity: number): number {
  const kept = requestsIn(ring).slice(-capacity);
  const before = bytesOfTexts(ring);
  const more = (capacity - capacityOf(ring)) * REQUEST_BYTES;
  Object.assign(ring, createRing(capacity));
  for (const request of kept) write(ring, request);
  return more + bytesOfTexts(ring) - before;
}

const bytesOfTexts = ({ paths, details }: Ring) =>
  paths.reduce((sum, path, index) => sum + bytesOf(path) + bytesOfDetail(details[index]), 0);
