import type pg from 'pg';
import type { ChannelBinding } from './server-url.ts';
import { unsuitable } from './unreachable.ts';

const MECHANISM = 'SCRAM-SHA-256-PLUS';
/** Requests for a password that a relay between the client and the server could use. */
const UNBOUND = ['authenticationCleartextPassword', 'authenticationMD5Password'];
const REMEDY = 'check that the URL requires TLS and that the server uses SCRAM, or set channel_binding to prefer';

/** The option of a `pg` client, which binds if the server offers it. */
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
    // The stream reports its error later. By then, the client may be connected.
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
