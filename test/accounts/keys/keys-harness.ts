import { type Service, startService } from '../../support/service/service.ts';
import { handClock } from '../ledger/allowance-harness.ts';

export type Body = { id: number; key: number; apiKey: string; code?: string };

/** The service by a clock that stands still, without limits of pace; `ask` and what rests on it call it with a key. */
export async function openKeys(start: number) {
  const clock = handClock(start);
  const service: Service = await startService({
    clock,
    settings: { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' },
  });

  async function ask(method: string, path: string, key: string, headers: Record<string, string> = {}) {
    const sent = { 'x-api-key': key, ...headers };
    const response = await fetch(`${service.url}${path}`, { method, headers: sent });
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Body;
    return { status: response.status, body, headers: response.headers };
  }

  return {
    clock,
    service,
    ask,

    /** The code of the problem, or the status. */
    async outcome(method: string, path: string, key: string) {
      const { status, body } = await ask(method, path, key);
      return body.code ?? status;
    },

    /** A key beside that of the owner. */
    async make(owner: string, query: Record<string, string> = {}): Promise<Body> {
      const path = `/v1/user/keys?${new URLSearchParams({ label: 'shop', ...query })}`;
      const { status, body } = await ask('POST', path, owner);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },

    list: async (owner: string) => (await ask('GET', '/v1/user/keys', owner)).body as unknown as Body[],

    /** The record number of the user who has a key. */
    userOf: async (apiKey: string) => (await ask('GET', '/v1/user/data', apiKey)).body.key,

    /** Advances the clock to an instant (Unix ms), and has the process poll the changes since. */
    async moveTo(instant: number): Promise<void> {
      clock.passUntil(instant);
      await service.parts.allowance.poll();
    },
  };
}

export type Keys = Awaited<ReturnType<typeof openKeys>>;
