import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FakeResponse } from './upstream-server.ts';

export const DIRECTORY =
  process.env.RECORDINGS_DIR ?? fileURLToPath(new URL('../../../../shared/recordings', import.meta.url));

/** Whether the recorded upstream responses are available. If not, this is printed once for each test file. */
export const haveRecordings = existsSync(DIRECTORY);
if (!haveRecordings) {
  console.log('No recorded upstream responses: their tests are skipped. Set RECORDINGS_DIR to run them.');
}

/** Headers of the recorded connection, not of the response. */
const OF_THE_CONNECTION = /^(connection|transfer-encoding|content-length|content-encoding|keep-alive|alt-svc)$/i;

/** A recorded exchange: the response's own members, or under `response` with each header as a list. */
type Kept = { status: number; headers: Record<string, string | string[]> };
type Meta = Kept | { response: Kept };

/** The names of an upstream's recorded responses, without the metadata files. */
export function recordingNames(upstream: string): string[] {
  if (!haveRecordings) return [];
  return readdirSync(join(DIRECTORY, upstream))
    .filter((name) => !/\.(meta\.json|headers\.txt)$/.test(name))
    .sort();
}

/** A recorded response with its status and headers. `status` applies if none was recorded. */
export function recording(upstream: string, name: string, status = 200): Required<FakeResponse> {
  const path = join(DIRECTORY, upstream, name);
  const body = readFileSync(path);
  const metaPath = `${path}.meta.json`;
  if (!existsSync(metaPath)) {
    const type = name.endsWith('.html') ? 'text/html; charset=UTF-8' : 'application/json; charset=utf-8';
    return { status, headers: { 'content-type': type }, body };
  }
  const meta = JSON.parse(readFileSync(metaPath, 'utf8')) as Meta;
  const kept = 'response' in meta ? meta.response : meta;
  const headers = Object.fromEntries(
    Object.entries(kept.headers)
      .filter(([header]) => !OF_THE_CONNECTION.test(header))
      .map(([header, value]) => [header.toLowerCase(), String(value)]),
  );
  return { status: kept.status, headers, body };
}
