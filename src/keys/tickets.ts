import { createHash, randomBytes } from 'node:crypto';
import { iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import type { Ticket } from '#server/gate';
import type { Caller, KeyCache } from './key-cache.ts';
import type { TicketStore } from './ticket-store.ts';

/* A ticket is 32 bytes from a CSPRNG in base64url. Only its SHA-256 is stored. */
const BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;
/** How long a ticket is valid, in ms. */
const TICKET_LIFE = 30 * SECOND;

const hashOf = (ticket: string) => createHash('sha256').update(ticket).digest('hex');

/** The response is the same for used, expired and unknown tickets. */
const ticketInvalid = () =>
  new Problem('token_invalid', 'The ticket has already been used, has expired or does not exist. Request another one.');

type Dependencies = { store: TicketStore; keyCache: Pick<KeyCache, 'holderOfHash'> };

/** A ticket replaces a key in one request that cannot send headers, and has the rights of its key. */
export function createTickets({ store, keyCache }: Dependencies) {
  return {
    async issue({ hash }: Pick<Caller, 'hash'>): Promise<Ticket> {
      const ticket = randomBytes(BYTES).toString('base64url');
      return { ticket, expiresAt: iso(await store.add(hashOf(ticket), hash, TICKET_LIFE)) };
    },

    /** Throws `token_invalid`, and `api_key_invalid` if the key has been deleted. */
    async redeem(ticket: unknown): Promise<Caller> {
      if (typeof ticket !== 'string' || !FORM.test(ticket)) throw ticketInvalid();
      const keyHash = await store.take(hashOf(ticket));
      if (keyHash === undefined) throw ticketInvalid();
      return keyCache.holderOfHash(keyHash);
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
