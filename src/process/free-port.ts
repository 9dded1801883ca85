import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port that is free now, or undefined if `port` is in use. Port 0 stands for any free port. */
export async function freePort(port: number, host = '127.0.0.1'): Promise<number | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
