import { z } from 'zod';
import { text } from '#core/forms/record-fields';
import { settingRecords } from './channels/channels.ts';

export const noticesRecord = z
  .object({
    ...settingRecords,
    thresholds: z
      .array(z.int().min(1).max(100))
      .meta({ description: 'The percentages of the allowance at which a notice is sent', examples: [[80, 100]] }),
  })
  .meta({ id: 'Notices', description: "A user's notice settings" });
export type NoticesRecord = z.infer<typeof noticesRecord>;

export const noticesWithSecretRecord = noticesRecord
  .extend({
    webhookSecret: text(
      'The secret that signs webhooks. It is returned only once, after the URL was set or changed or the secret was rotated.',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ).optional(),
  })
  .meta({ id: 'NoticesWithSecret', description: 'The new notice settings' });
export type NoticesWithSecretRecord = z.infer<typeof noticesWithSecretRecord>;
