import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** Bodies that are kept for the next who asks, in bytes, with their compressed forms. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** A body is compressed from this size on; below it, it goes out as text in one write with its headers; in bytes. */
const WORTH_COMPRESSING = 1024;
/** Compressed once for each version of a body, so it may take its time: a tenth of a second for a megabyte. */
const BROTLI_QUALITY = 5;

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
  /** What it takes of memory, in bytes. */
  size(): number;
};

const brotli = promisify(brotliCompress);
const compress = {
  br: (bytes: Buffer) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
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

/** @param grown told when the body takes more memory than before */
export function bodyOf(text: string, grown: () => void = () => undefined): Body {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const payload = bytes.length < WORTH_COMPRESSING ? bytes.toString('latin1') : alone(bytes);
  const identity: Representation = { coding: 'identity', payload, etag: `"${hash}"` };
  const made = new Map<Coding, Representation | Promise<Representation>>();
  let size = bytes.length;

  async function make(coding: 'br' | 'gzip', from: Buffer): Promise<Representation> {
    const payload = alone(await compress[coding](from));
    const representation = { coding, payload, etag: `"${hash}-${coding}"` };
    made.set(coding, representation);
    size += payload.length;
    grown();
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
    size: () => size,
  };
}

/**
 * The latest body of each question, for as long as it is made of the same rows.
 * @param keptBytes what they may take of memory together, in bytes
 */
export function createBodies(keptBytes = KEPT_BYTES) {
  const bodies = new LRUCache<string, { version: string; body: Body }>({
    maxSize: keptBytes,
    sizeCalculation: ({ version, body }, question) => body.size() + version.length + question.length,
  });

  return {
    /** @param version names all that the body is made from, so that a kept one is never an old one */
    kept(question: string, version: string, make: () => string): Body {
      const known = bodies.get(question);
      if (known?.version === version) return known.body;
      const body = bodyOf(make(), () => {
        // Another object: the size of one that is there already is not looked at again.
        if (bodies.peek(question)?.body === body) bodies.set(question, { version, body });
      });
      bodies.set(question, { version, body });
      return body;
    },
  };
}
