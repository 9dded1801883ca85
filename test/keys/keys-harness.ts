import type { Sandbox } from '#sandbox/server';
import { handClock } from '../ledger/allowance-harness.ts';
import { type Service, startService } from '../support/service/service.ts';

export type Body = { id: number; key: number; apiKey: string; code?: string };

/**
 * Starts the service with a stopped clock and without rate limits, unless `settings` set them. `ask` and the functions that use it call the service
 * with a key.
 */
type Settings = Record<string, string>;

export async function openKeys(start: number, given: Settings | ((sandbox: Sandbox) => Settings) = {}) {
  const clock = handClock(start);
  const service: Service = await startService({
    clock,
    settings: (sandbox) => ({
      ...{ BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' },
      ...(typeof given === 'function' ? given(sandbox) : given),
    }),
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

    /** Returns the problem's code, or the status. */
    async outcome(method: string, path: string, key: string) {
      const { status, body } = await ask(method, path, key);
      return body.code ?? status;
    },

    /** Creates a key with the scope `prices`, or with the scopes in the query. */
    async make(owner: string, query: Record<string, string> = {}): Promise<Body> {
      const path = `/v1/user/keys?${new URLSearchParams({ label: 'shop', ...query })}`;
      const { status, body } = await ask('POST', path, owner);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },

    list: async (owner: string) => (await ask('GET', '/v1/user/keys', owner)).body as unknown as Body[],

    /** The record number of a key's user. */
    userOf: async (apiKey: string) => (await ask('GET', '/v1/user/data', apiKey)).body.key,

    /** Advances the clock to an instant (Unix ms), and makes the process poll for changes since. */
    async moveTo(instant: number): Promise<void> {
      clock.passUntil(instant);
      await service.parts.allowance.poll();
    },
  };
}

export type Keys = Awaited<ReturnType<typeof openKeys>>;

/** Whether a path belongs to an interface of others, whose errors are no problems. */
export const hasErrorsOfItsOwn = (path: string): boolean => /^\/(api\/v3|v1\/node\/rpc)\b/.test(path);
