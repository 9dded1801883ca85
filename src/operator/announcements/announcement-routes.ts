import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { announcementRecord } from './announcement-records.ts';
import type { Announcements } from './announcements.ts';

const read = {
  tags: ['operations'],
  summary: "Read the operator's announcement",
  operationId: 'getAnnouncement',
  description: 'The console and `/status` show this text. Both members are null if there is none.',
  response: { 200: announcementRecord },
};

type Options = { announcements: Pick<Announcements, 'read'> };

export const announcement: FastifyPluginAsyncZod<Options> = async (app, { announcements }) => {
  app.get('/announcement', { schema: read, config: { open: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(announcements.read()),
  );
};
