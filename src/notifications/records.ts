import { z } from 'zod';
import { text } from '#core/record-fields';

export const noticesRecord = z
  .object({
    email: z.boolean().meta({ description: 'Whether notices come by mail', examples: [true] }),
    webhookUrl: z
      .string()
      .nullable()
      .meta({
        description: 'Where notices are posted, signed as Standard Webhooks has it; null for nowhere',
        examples: ['https://example.org/hooks/quotient'],
      }),
    thresholds: z
      .array(z.int().min(1).max(100))
      .meta({ description: 'Per cent of the allowance at which a notice is sent', examples: [[80, 100]] }),
  })
  .meta({ id: 'Notices', description: 'Which notices a user gets, and where' });
export type NoticesRecord = z.infer<typeof noticesRecord>;

export const noticesWithSecretRecord = noticesRecord
  .extend({
    webhookSecret: text(
      'What the signatures are made with: shown once, when the address is new or changed',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ).optional(),
  })
  .meta({ id: 'NoticesWithSecret', description: 'The notices as they were set' });
export type NoticesWithSecretRecord = z.infer<typeof noticesWithSecretRecord>;
