import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { startService } from '../support/service/service.ts';

test.each([1, 10])('a client that disconnects while an upstream is awaited is not charged %i', async (cost) => {
  const service = await startService();
  try {
    const names = await addSandboxTokens(service.database.prisma, 10 * cost);
    await service.parts.poll();
    const path = `/v1/prices/latest/tokens?tokenNames=${names.join()}`;
    const key = await service.createUser();
    const used = async () => {
      const usage = await service.get('/v1/user/usage', { key });
      return ((await usage.json()) as { used: number }).used;
    };
    const accepted: Socket[] = [];
    service.app.server.on('connection', (socket: Socket) => accepted.push(socket));
    const held = service.sandbox.faults.hold();
    const gone = Array.from({ length: 2 }, () => connect(Number(new URL(service.url).port), '127.0.0.1'));
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
    for (const socket of gone) socket.write(request);
    await expect.poll(() => accepted.length).toBe(2);
    const noticed = accepted.map((socket) => once(socket, 'close'));
    await expect.poll(used).toBe(2 * cost);
    const stays = service.get(path, { key });
    await expect.poll(used).toBe(3 * cost);
    for (const socket of gone) socket.destroy();
    await Promise.all(noticed);
    held.release();
    expect((await stays).status).toBe(200);
    expect(await used()).toBe(cost);
  } finally {
    await service.close();
  }
});
