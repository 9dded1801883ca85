import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { SECOND } from '#core/clock';
import type { Network } from '#notifications/sources/webhook-url';
import { hostOf, isLocalhost, mayBeCalled } from '#notifications/sources/webhook-url';
import { InterimResponsesExceeded, openHttpClient } from '#upstream/transport/http-client';

/** A delivery has so long in all, in ms: name, connection, and the head of the answer. */
const DEADLINE = 5 * SECOND;

/** A webhook was not taken; the message is for the operator alone, since it tells what can be reached from here. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  /** The receiver wants no more of them (410). */
  readonly isGone: boolean;

  constructor(message: string, { isGone = false, cause }: { isGone?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isGone = isGone;
  }
}

function failureOf(error: unknown, isLate: boolean): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  if (error instanceof InterimResponsesExceeded) return new WebhookFailure(error.message, { cause: error });
  if (isLate) return new WebhookFailure(`no answer in ${DEADLINE / SECOND} s`, { cause: error });
  const told = error instanceof AggregateError ? error.errors[0] : error;
  if (told instanceof AddressRefused) return new WebhookFailure(`refused: ${told.message}`);
  const { code, message } = told as NodeJS.ErrnoException;
  return new WebhookFailure(`no connection: ${code ?? message}`, { cause: error });
}

type Options = {
  /** Networks that are called though they are not public. */
  allowed: readonly Network[];
  /** In place of the system's, each as `address:port`. */
  nameServers?: readonly string[];
  deadlineMs?: number;
};

/**
 * Sends webhooks: one POST each, on a connection of its own to an address that was checked; no redirect is followed, no
 * proxy of the environment used, and nothing of the answer read but its head.
 */
export function createWebhookSender({ allowed, nameServers, deadlineMs = DEADLINE }: Options) {
  return {
    /** Resolves when it was taken (2xx). Throws `WebhookFailure`. */
    async post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<void> {
      const target = new URL(url);
      const signal = AbortSignal.timeout(deadlineMs);
      const isAllowed = (address: string) => mayBeCalled(target, address, allowed);
      const host = hostOf(target);
      const lookup = createCheckedLookup({ isAllowed, signal, nameServers });
      const connect = { lookup, timeout: deadlineMs };
      const client = openHttpClient({ connections: 1, allowH2: false, connect });
      try {
        // An address needs no look-up, so none is made.
        if (isIP(host) && !isAllowed(host)) throw new AddressRefused();
        const answer = await client.request(target, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', 'user-agent': 'quotient', ...headers },
          signal,
        });
        answer.body.on('error', () => undefined).destroy();
        const { statusCode: status } = answer;
        if (status < 200 || status > 299) throw new WebhookFailure(`status ${status}`, { isGone: status === 410 });
      } catch (error) {
        throw failureOf(error, signal.aborted);
      } finally {
        await client.close();
      }
    },
  };
}

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** One question to a name server, in ms; there is another one where it is not answered. */
const QUESTION = { timeout: 1_500, tries: 2 };

/** No address of the host is allowed. The operator, who reads the message, can allow it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor() {
    super('not a public address; allow it with WEBHOOK_ALLOW');
  }
}

type CheckedLookupOptions = {
  isAllowed: (address: string) => boolean;
  signal: AbortSignal;
  /** Name servers in place of the system's, each as `address:port`. */
  nameServers?: readonly string[] | undefined;
};

/**
 * Where a connection goes: the name is resolved once, and the connection is made to addresses that were checked, so a
 * name that leads elsewhere a moment later leads nowhere. The system's own look-up would hold one of the process's four
 * threads for as long as a name server takes, so it is not used; the names of a hosts file are not known here.
 */
export function createCheckedLookup({ isAllowed, signal, nameServers }: CheckedLookupOptions): LookupFunction {
  async function resolve(host: string): Promise<string[]> {
    if (isLocalhost(host)) return ['127.0.0.1', '::1'];
    const resolver = new Resolver(QUESTION);
    if (nameServers) resolver.setServers(nameServers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const [first] = answers;
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
