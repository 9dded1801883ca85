import { afterAll, beforeAll } from 'vitest';
import { type Script, startUpstreamServer, type UpstreamServer } from './upstream-server.ts';

/** An upstream for all tests of a file. Its members can be read only within tests and hooks. */
export function useUpstreamServer(script: Script = () => ({ body: '{}' })): UpstreamServer {
  let server: UpstreamServer | undefined;
  beforeAll(async () => {
    server = await startUpstreamServer(script);
  });
  afterAll(() => server?.close());
  return new Proxy({} as UpstreamServer, { get: (_target, name) => Reflect.get(server as UpstreamServer, name) });
}
