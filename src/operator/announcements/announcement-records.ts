import { z } from 'zod';
import { instant, textOrNull } from '#core/forms/record-fields';

export const announcementRecord = z
  .object({
    text: textOrNull('The text; null if there is none', 'Maintenance on 28 November, 10:00 UTC.'),
    until: instant
      .nullable()
      .meta({ description: 'When the announcement disappears: ISO 8601, UTC, milliseconds; null if there is none' }),
  })
  .meta({ id: 'Announcement', description: 'A message to all users' });
export type AnnouncementRecord = z.infer<typeof announcementRecord>;
