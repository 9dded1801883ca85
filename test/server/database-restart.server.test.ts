import { describe, expect, it } from 'vitest';
import { mintApiKey } from '#keys/api-key';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { startRefusingServer } from '../support/database/refusing-server.ts';
import { startServiceProcess } from '../support/service/service-process.ts';

const CREATE = '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly';

describe.runIf(canStartPostgres)('while the database is unavailable', () => {
  it('calls that require it report it: unreachable, starting, and available again', {
    timeout: 60_000,
  }, async () => {
    const server = await startPostgresServer();
    const service = await startServiceProcess({ DATABASE_URL: server.url });
    const codeOf = async (path: string, init?: RequestInit) => {
      const response = await fetch(service.url + path, init);
      const { code } = (await response.json()) as { code?: string };
      if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      return code ?? response.status;
    };
    const codes = async () => [
      await codeOf(CREATE, { method: 'POST' }),
      await codeOf(`/v1/user/data?api=${mintApiKey()}`),
      await codeOf('/v1/tokens'),
      await codeOf('/health/ready'),
    ];
    const well = [201, 'api_key_invalid', 200, 200];
    const away = Array.from({ length: 4 }, () => 'database_unavailable');
    try {
      // The tokens remain available, because the archive in memory is used until it changes.
      expect(await codeOf(CREATE, { method: 'POST' })).toBe(201);
      await server.stop('immediate');
      expect(await codes()).toEqual(away);
      // As in a database recovery, the server accepts connections and rejects them.
      const port = Number(new URL(server.url).port);
      const refusing = await startRefusingServer('57P03', 'the database system is starting up', port);
      expect(await codes()).toEqual(away);
      await refusing.close();
      await server.start();
      await expect.poll(codes, { timeout: 15_000 }).toEqual(well);
    } finally {
      await service.kill();
      await server.close();
    }
  });
});
