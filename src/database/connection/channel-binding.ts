import type pg from 'pg';
import type { ChannelBinding } from './server-url.ts';
import { unsuitable } from './unreachable.ts';

const MECHANISM = 'SCRAM-SHA-256-PLUS';
/**
 * Requests for authentication from the server. A relay between the client and the server could reuse the response to
 * them.
 */
const UNBOUND = ['authenticationCleartextPassword', 'authenticationMD5Password'];
const REMEDY = 'check that the URL requires TLS and that the server uses SCRAM, or set channel_binding to prefer';

/** The option of a `pg` client. With this option, it uses channel binding if the server offers it. */
export const bindingConfig = (binding: ChannelBinding): pg.ClientConfig => ({
  enableChannelBinding: binding !== 'disable',
});

/**
 * With `require`, ends a new client before it sends a password or a statement without channel binding. The listeners
 * precede those of `pg`, which are added when the client connects.
 */
export function enforceBinding({ connection }: pg.Client, binding: ChannelBinding): void {
  if (binding !== 'require') return;
  const refuse = () => {
    // The error is emitted here, because the stream reports it later, when the client may already be connected.
    connection.emit('error', unsuitable(`it does not offer channel binding: ${REMEDY}`));
    connection.stream.destroy();
  };
  let isProven = false;
  for (const request of UNBOUND) connection.on(request, refuse);
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
    if (!mechanisms.includes(MECHANISM)) refuse();
  });
  connection.on('authenticationSASLFinal', () => {
    isProven = true;
  });
  connection.on('authenticationOk', () => {
    if (!isProven) refuse();
  });
}
