import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { UpstreamFailure } from '#upstream/failures/failure';
import type { HttpResponse } from './http-client.ts';

type Chunks = AsyncIterable<Buffer>;

/** `text` is decoded when it is first read. */
export type UpstreamResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  readonly text: string;
};

const decoder = new TextDecoder();

/** Requested from every upstream. RFC 9110, 12.5.3 lets a server choose any coding if none is requested. */
export const ACCEPTED_CODINGS = 'gzip, br';

/** Some servers send `deflate` without the zlib header that RFC 9110, 8.4.1.2 requires. */
const hasZlibHeader = (first: Buffer): boolean => ((first[0] ?? 0) & 0x0f) === 8;

/** Each piece takes a turn of the event loop. With the default of 16 KB, decoding takes twice as long. */
const PIECES = { chunkSize: 128 * 1024 };

/** The decoders run in zlib's thread pool. `first` is the first chunk of the encoded body. */
const DECODERS: Readonly<Record<string, (first: Buffer) => Transform>> = {
  gzip: () => createGunzip(PIECES),
  'x-gzip': () => createGunzip(PIECES),
  br: () => createBrotliDecompress(PIECES),
  deflate: (first) => (hasZlibHeader(first) ? createInflate(PIECES) : createInflateRaw(PIECES)),
};

/** More codings than a server and two proxies add. Each coding is one more place where a small body can grow. */
const MAX_CODINGS = 3;

/** The codings of a body in the order in which they were applied (RFC 9110, 8.4). Undefined if one is unknown. */
function codingsOf(header: string | string[] | undefined): string[] | undefined {
  const names = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  return names.length <= MAX_CODINGS && names.every((name) => Object.hasOwn(DECODERS, name)) ? names : undefined;
}

/** An empty body is valid in every coding, because proxies label responses without looking at them. */
async function* decoded(chunks: Chunks, open: (first: Buffer) => Transform): Chunks {
  const rest = chunks[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done) return;
  async function* all() {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  const decoder = open(first.value);
  // The decoder emits the error of either end.
  pipeline(all(), decoder).catch(() => undefined);
  yield* decoder as Chunks;
}

/** Releases the connection without reading the rest. */
export const discardBody = ({ body }: Pick<HttpResponse, 'body'>): void =>
  void body.on('error', () => undefined).destroy();

/** Collects a body without codings. An iterator would create several promises per chunk. */
function collect(body: HttpResponse['body'], maxBytes: number, tooLarge: () => UpstreamFailure): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) body.destroy(tooLarge());
      else parts.push(chunk);
    });
    body.once('end', () => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)));
    body.once('error', reject);
  });
}

/**
 * The body of a response, without its content codings. `maxBytes` bounds the body in every coding, while it arrives: a
 * kilobyte of gzip can expand to a megabyte.
 */
async function readBody(name: string, { headers, body }: HttpResponse, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new UpstreamFailure(name, 'too_large', `the response is larger than ${maxBytes} bytes`);
  const codings = codingsOf(headers['content-encoding']);
  if (codings === undefined || Number(headers['content-length'] ?? 0) > maxBytes) {
    discardBody({ body });
    throw codings ? tooLarge() : new UpstreamFailure(name, 'unexpected', 'an unsupported content coding');
  }

  async function* bounded(chunks: Chunks): Chunks {
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      yield chunk;
    }
  }
  if (codings.length === 0) return collect(body, maxBytes, tooLarge);
  let chunks = bounded(body);
  for (const coding of codings.toReversed()) chunks = bounded(decoded(chunks, DECODERS[coding] as never));
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The whole response, within the bound of `readBody`. */
export async function readResponse(name: string, response: HttpResponse, maxBytes: number): Promise<UpstreamResponse> {
  const bytes = await readBody(name, response, maxBytes);
  const headers: Record<string, string> = {};
  for (const [field, value] of Object.entries(response.headers)) headers[field] = String(value);
  let text: string | undefined;
  return {
    status: response.statusCode,
    headers,
    bytes,
    get text() {
      text ??= decoder.decode(bytes);
      return text;
    },
  };
}
