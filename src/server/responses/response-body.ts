import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { createLongWork } from '#core/time-slicing';

/** The minimum size for compression, in bytes. */
const MIN_COMPRESSED = 1024;
/** A body is compressed once per version, so compression may take a tenth of a second per megabyte. */
const BROTLI_QUALITY = 5;
/** The quality for long bodies, which may never be requested again. It takes a quarter of the time. */
const BROTLI_QUALITY_LONG = 2;

export type Coding = 'br' | 'gzip' | 'identity';

/**
 * The largest payload that is kept as text, in bytes. Node sends up to 16 KB of text and head in one write, without an
 * allocation. A buffer takes longer.
 */
export const MAX_TEXT = 15 * 1024;

/** A body in one coding, with its strong validator in quotes. Payloads of up to `MAX_TEXT` are `latin1` strings. */
export type Representation = {
  readonly coding: Coding;
  readonly payload: string | Buffer;
  readonly etag: string;
};

export type Body = {
  readonly identity: Representation;
  /** The first call creates the object, and every further call returns the same object. */
  in(coding: Coding): Representation | Promise<Representation>;
  /** An upper bound of the body's memory in bytes, including compressed forms. */
  size(): number;
};

const brotli = promisify(brotliCompress);
const compress = {
  br: (bytes: Buffer) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length < LONG_BODY ? BROTLI_QUALITY : BROTLI_QUALITY_LONG,
        // The window is limited to the body's size, because the default window allocates four megabytes each time.
        [constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.ceil(Math.log2(bytes.length)) + 1),
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const;

/** Copies the bytes. Otherwise, a page of Node's buffer pool or 64 KB of zlib's output would stay in memory. */
function payloadOf(bytes: Buffer): string | Buffer {
  if (bytes.length <= MAX_TEXT) return bytes.toString('latin1');
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

export const bytesOf = (payload: string | Buffer): Buffer =>
  typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;

const making = createLongWork();
const compressing = createLongWork();
/** The size in bytes from which bodies are compressed one at a time, at a lower quality. */
const LONG_BODY = 1024 * 1024;
/** The size of a block in bytes, which is encoded in 0.5 ms. The allocator does not release smaller blocks. */
const BLOCK = 256 * 1024;

export function bodyOf(text: string): Body {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes);
  return bodyOfBytes(payloadOf(bytes), bytes.length, hash);
}

/** Like `bodyOf`, but for a text in pieces. The event loop can run between pieces. */
export function longBodyOf(pieces: () => Iterable<string>): Promise<Body> {
  return making(async (yieldIfDue) => {
    const blocks: Buffer[] = [];
    const hash = createHash('sha256');
    let size = 0;
    const add = (text: string) => {
      const block = Buffer.from(text);
      hash.update(block);
      blocks.push(block);
      size += block.length;
    };
    let text = '';
    for (const piece of pieces()) {
      text += piece;
      if (text.length >= BLOCK) {
        add(text);
        text = '';
      }
      await yieldIfDue();
    }
    add(text);
    const bytes = Buffer.allocUnsafeSlow(size);
    let end = 0;
    for (const block of blocks) {
      end += block.copy(bytes, end);
      await yieldIfDue();
    }
    return bodyOfBytes(size > MAX_TEXT ? bytes : bytes.toString('latin1'), size, hash);
  });
}

function bodyOfBytes(payload: string | Buffer, size: number, sum: Hash): Body {
  const hash = sum.digest('base64url').slice(0, 22);
  const identity: Representation = { coding: 'identity', payload, etag: `"${hash}"` };
  const representations = new Map<Coding, Representation | Promise<Representation>>();

  async function make(coding: 'br' | 'gzip'): Promise<Representation> {
    const compressed = () => compress[coding](bytesOf(payload));
    const bytes = await (size < LONG_BODY ? compressed() : compressing(compressed));
    const representation = { coding, payload: payloadOf(bytes), etag: `"${hash}-${coding}"` };
    representations.set(coding, representation);
    return representation;
  }

  return {
    identity,
    in(coding) {
      if (size < MIN_COMPRESSED || coding === 'identity') return identity;
      const existing = representations.get(coding);
      if (existing) return existing;
      const making = make(coding);
      making.catch(() => representations.delete(coding));
      representations.set(coding, making);
      return making;
    },
    // Figures and dates compress to less than half, so both compressed forms together are no larger than the text.
    size: () => (size < MIN_COMPRESSED ? size : 2 * size),
  };
}

/** A response, and the data for its cache headers. Instants in Unix ms. */
export type DataResponse = {
  body: Body;
  fileName?: string;
  /** The sources of the response, as in `Quotient-Source`: separated by commas, the main source first. */
  source: string;
  /** The value of `Quotient-Token`: the tokens that replace requested tokens, separated by commas. */
  token?: string;
  /** For `Quotient-Currency`, if the figures are not in US dollars. */
  currency?: string;
  modifiedAt: number;
  /** When the data was fetched. Undefined if the data was imported or no longer changes. */
  fetchedAt: number | undefined;
  /** When the data is next due for a fetch, if it is requested. */
  dueAt: number;
  isImmutable: boolean;
  gaps: readonly string[];
  /** The calls that the response costs, if that depends on its content. */
  cost?: number;
  /** Returns the response to the same request at an instant (Unix ms), if that response is cached. */
  fromCache?: (now: number) => DataResponse | undefined;
  outcome: { fetched: boolean; refreshing: boolean; failure: unknown };
};
