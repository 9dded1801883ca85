import { z } from 'zod';
import { instant, text } from '#core/forms/record-fields';

export const streamTicket = z
  .object({
    ticket: text('Opens one stream. Valid once, for 30 seconds.', 'dZ4nHqVX0c2mJ7bKxw8sTt5oPyR1aLfEiUgYvNzCQ3k'),
    expiresAt: instant.meta({ description: 'When the ticket expires' }),
  })
  .meta({ id: 'StreamTicket', description: 'A ticket that opens one price stream' });
