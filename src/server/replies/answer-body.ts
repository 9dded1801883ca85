import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { createLongWork } from '#core/time-slicing';

/** A body is compressed from this size on; below it, it goes out as text in one write with its headers; in bytes. */
const WORTH_COMPRESSING = 1024;
/** Compressed once for each version of a body, so it may take its time: a tenth of a second for a megabyte. */
const BROTLI_QUALITY = 5;
/** That of a long one, of which nobody knows whether it is asked for again: a quarter of the time. */
const BROTLI_QUALITY_LONG = 2;

export type Coding = 'br' | 'gzip' | 'identity';

/**
 * The bytes of a body in one content coding, and the strong validator of them (RFC 9110, with its quotes). A small
 * body's bytes come as a string of one character each: it goes out with its headers in one write, as `latin1`.
 */
export type Representation = {
  readonly coding: Coding;
  readonly payload: string | Buffer;
  readonly etag: string;
};

export type Body = {
  readonly identity: Representation;
  /** The body in a coding: the same representation each time, made when it is first asked for. */
  in(coding: Coding): Representation | Promise<Representation>;
  /** The memory that it takes at most, with its compressed forms, in bytes. */
  size(): number;
};

const brotli = promisify(brotliCompress);
const compress = {
  br: (bytes: Buffer) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length < LONG_BODY ? BROTLI_QUALITY : BROTLI_QUALITY_LONG,
        // A window as large as the body, and no larger: it would take the memory for four megabytes each time.
        [constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.ceil(Math.log2(bytes.length)) + 1),
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const;

/** The bytes without what is around them: a page of Node's, or the 64 KB of zlib's, would be kept for their sake. */
function alone(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** The work of an answer that is made in pieces, and of its compression. */
const [making, compressing] = [createLongWork(), createLongWork()];
/** A body of this size or more is compressed in its turn, one at a time, and not so well, in bytes. */
const LONG_BODY = 1024 * 1024;

/**
 * A long text becomes bytes in blocks of this size: half a millisecond's work, and large enough that their memory goes
 * back to the system with them, in bytes.
 */
const BLOCK = 256 * 1024;

export function bodyOf(text: string): Body {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes);
  return bodyOfBytes(bytes.length < WORTH_COMPRESSING ? bytes : alone(bytes), hash);
}

/** As `bodyOf`, of a text that comes in pieces: the loop turns between them. */
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
    return bodyOfBytes(bytes, hash);
  });
}

function bodyOfBytes(bytes: Buffer, sum: Hash): Body {
  const hash = sum.digest('base64url').slice(0, 22);
  const payload = bytes.length < WORTH_COMPRESSING ? bytes.toString('latin1') : bytes;
  const identity: Representation = { coding: 'identity', payload, etag: `"${hash}"` };
  const made = new Map<Coding, Representation | Promise<Representation>>();

  async function make(coding: 'br' | 'gzip', from: Buffer): Promise<Representation> {
    const compressed = () => compress[coding](from);
    const payload = alone(await (from.length < LONG_BODY ? compressed() : compressing(compressed)));
    const representation = { coding, payload, etag: `"${hash}-${coding}"` };
    made.set(coding, representation);
    return representation;
  }

  return {
    identity,
    in(coding) {
      if (typeof payload === 'string' || coding === 'identity') return identity;
      const known = made.get(coding);
      if (known) return known;
      const making = make(coding, payload);
      making.catch(() => made.delete(coding));
      made.set(coding, making);
      return making;
    },
    // Figures and dates compress to less than half, so both forms together take no more than the text.
    size: () => (typeof payload === 'string' ? bytes.length : 2 * bytes.length),
  };
}

/** An answer, and what there is to say about its age; instants in Unix ms. */
export type Answer = {
  body: Body;
  /** What a file with it is called, without an ending. */
  fileName?: string;
  /** Who told what is in it, as `Quotient-Source` names them: the main one first, separated by commas. */
  source: string;
  /** Of figures in another currency than the dollar what `Quotient-Currency` says of it. */
  currency?: string;
  /** The time of the newest sample in it. */
  modifiedAt: number;
  /** When what it was made from was fetched; undefined when it was imported or is long settled. */
  fetchedAt: number | undefined;
  /** When it is fetched again, if somebody asks. */
  dueAt: number;
  /** Nothing in it will ever change. */
  settled: boolean;
  /** The spans that are missing, as `from/thru`. */
  gaps: readonly string[];
  /** The answer to the same question now (Unix ms), where it is in the cache. */
  recall?: (now: number) => Answer | undefined;
  /** What was done for it: `failure` is that of a fetch. */
  outcome: { fetched: boolean; refreshing: boolean; failure: unknown };
};
