import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND } from '#core/clock';
import { toError } from '#core/errors';
import type { Network } from '#core/forms/network-address';
import { hostOf, isLocalhost, mayBeCalled } from '#notifications/channels/webhook/webhook-url';
import { InterimResponsesExceeded, openHttpClient, targetOf } from '#upstream/transport/http-client';

/** How long a delivery may take until the response head arrives, in ms, including name resolution. */
const DEADLINE = 5 * SECOND;

/** Only the operator sees the message, because it reveals what is reachable from this host. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }

  /** Whether the receiver responded with 410, and therefore wants no more webhooks. */
  get isGone(): boolean {
    return this.status === 410;
  }
}

function failureOf(error: unknown, isLate: boolean): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  if (error instanceof InterimResponsesExceeded) return new WebhookFailure(error.message, { cause: error });
  if (isLate) return new WebhookFailure(`no response within ${DEADLINE / SECOND} s`, { cause: error });
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  if (cause instanceof AddressRefused) return new WebhookFailure(`refused: ${cause.message}`);
  const { code, message } = toError(cause);
  return new WebhookFailure(`no connection: ${code ?? message}`, { cause: error });
}

type Options = {
  /** Networks that webhooks may reach although they are not public. */
  allowed: readonly Network[];
  nameServers?: readonly string[];
  deadlineMs?: number;
};

type Headers = Readonly<Record<string, string>>;

/** Sends each POST on its own connection, without redirects and proxies. Reads only the head of the response. */
export function createWebhookSender({ allowed, nameServers, deadlineMs = DEADLINE }: Options) {
  async function send(target: URL, body: string, headers: Headers, signal: AbortSignal): Promise<number> {
    const isAllowed = (address: string) => mayBeCalled(target, address, allowed);
    const host = hostOf(target);
    const connect = { lookup: createCheckedLookup({ isAllowed, signal, nameServers }), timeout: deadlineMs };
    const client = openHttpClient({ connections: 1, allowH2: false, connect });
    try {
      // A URL with an IP address needs no look-up, so the address is checked here.
      if (isIP(host) && !isAllowed(host)) throw new AddressRefused();
      const { status } = await client.request(targetOf(target), {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'user-agent': 'quotient', ...headers },
        signal,
        accept: () => 0,
      });
      if (status < 200 || status > 299) throw new WebhookFailure(`status ${status}`, { status });
      return status;
    } catch (error) {
      throw failureOf(error, signal.aborted);
    } finally {
      await client.close();
    }
  }

  return {
    /**
     * Returns the status of a 2xx response. Throws `WebhookFailure`. If there is no response, it throws only at the
     * deadline. Users see when an attempt ends, so an earlier time would reveal whether a host exists or rejects
     * connections.
     */
    async post(url: string, body: string, headers: Headers): Promise<number> {
      const signal = AbortSignal.timeout(deadlineMs);
      try {
        return await send(new URL(url), body, headers, signal);
      } catch (error) {
        if ((error as WebhookFailure).status === undefined && !signal.aborted) await once(signal, 'abort');
        throw error;
      }
    },
  };
}

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** The timeout of a query to a name server, in ms. The query is repeated once. */
const QUESTION = { timeout: 1_500, tries: 2 };

/** None of the host's addresses is allowed. The operator sees this message and can allow them. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor() {
    super('not a public address; allow it with WEBHOOK_ALLOW');
  }
}

type CheckedLookupOptions = {
  isAllowed: (address: string) => boolean;
  signal: AbortSignal;
  nameServers?: readonly string[] | undefined;
};

/**
 * Resolves a name once and connects only to checked addresses, so that the name cannot change its target in between.
 * Bypasses the system's look-up, which would occupy one of the process's four threads until a name server responds. The
 * hosts file is therefore ignored.
 */
function createCheckedLookup({ isAllowed, signal, nameServers }: CheckedLookupOptions): LookupFunction {
  async function resolve(host: string): Promise<string[]> {
    if (isLocalhost(host)) return ['127.0.0.1', '::1'];
    const resolver = new Resolver(QUESTION);
    if (nameServers) resolver.setServers(nameServers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const responses = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = responses.flatMap((response) => (response.status === 'fulfilled' ? response.value : []));
      const [first] = responses;
      if (found.length === 0 && first.status === 'rejected') throw first.reason;
      return found;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  return (host, { all }, callback) => {
    resolve(host)
      .then((found) => {
        const checked = found.filter(isAllowed).map((address) => ({ address, family: isIP(address) }));
        const [first] = checked;
        if (!first) throw new AddressRefused();
        if (all) callback(null, checked);
        else callback(null, first.address, first.family);
      })
      .catch((error) => callback(error, '', 0));
  };
}
