import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { UpstreamFailure } from '#upstream/failures/failure';
import { type HttpResponse, ResponseTooLarge } from './http-client.ts';

const decoder = new TextDecoder();

/** The text of a decoded body. */
export const textOf = ({ bytes }: Pick<HttpResponse, 'bytes'>): string => decoder.decode(bytes);

/** Requested from every upstream. RFC 9110, 12.5.3 lets a server choose any coding if none is requested. */
export const ACCEPTED_CODINGS = 'gzip, br';

type Decode = (bytes: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>;

/** Some servers send `deflate` without the zlib header that RFC 9110, 8.4.1.2 requires. */
const hasZlibHeader = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8;

/** Each piece takes a turn of the event loop. With the default of 16 KB, decoding takes twice as long. */
const PIECE = 128 * 1024;

/** The decoders run in zlib's thread pool. */
const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: (bytes, options) => promisify(hasZlibHeader(bytes) ? inflate : inflateRaw)(bytes, options),
};

/** The maximum number of codings: a server and two proxies add no more. A small body can expand in each coding. */
const MAX_CODINGS = 3;

/** The codings of a body in the order in which they were applied (RFC 9110, 8.4). Throws if one is unknown. */
export function codingsOf(name: string, { 'content-encoding': header }: IncomingHttpHeaders): readonly string[] {
  if (header === undefined) return [];
  const codings = String(header)
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length <= MAX_CODINGS && codings.every((coding) => Object.hasOwn(DECODERS, coding))) return codings;
  throw new UpstreamFailure(name, 'unexpected', 'an unsupported content coding');
}

/**
 * `maxBytes` bounds the body in every coding. An empty body is valid in every coding, because proxies also label empty
 * bodies.
 */
async function decoded(bytes: Buffer, codings: readonly string[], maxBytes: number): Promise<Buffer> {
  let body = bytes;
  for (const coding of codings.toReversed()) {
    if (body.length === 0) break;
    const options = { maxOutputLength: maxBytes, chunkSize: PIECE };
    body = await (DECODERS[coding] as Decode)(body, options).catch((error) => {
      throw error.code === 'ERR_BUFFER_TOO_LARGE' ? new ResponseTooLarge(maxBytes) : error;
    });
  }
  return body;
}

/** A response with its decoded body. */
export function readResponse(
  name: string,
  response: HttpResponse,
  maxBytes: number,
): HttpResponse | Promise<HttpResponse> {
  const codings = codingsOf(name, response.headers);
  if (codings.length === 0) return response;
  return decoded(response.bytes, codings, maxBytes).then((bytes) => ({ ...response, bytes }));
}
