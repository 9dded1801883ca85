import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isLocalhost } from '#notifications/webhooks/webhook-url';

/** One question to a name server, in ms; there is another one where it is not answered. */
const QUESTION = { timeout: 1_500, tries: 2 };

/** No address of the host is allowed. The operator, who reads the message, can allow it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor() {
    super('not a public address; allow it with WEBHOOK_ALLOW');
  }
}

type Options = {
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
export function createCheckedLookup({ isAllowed, signal, nameServers }: Options): LookupFunction {
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
