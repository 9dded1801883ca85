import type { Prisma, PrismaClient } from '#generated/prisma/client';

type NewMessage = { id: string; kind: string; userKey?: number; payload: Prisma.InputJsonValue };

/** Adds messages to the outbox, as the statements that cause them do. */
export async function addMessages(prisma: PrismaClient, messages: readonly NewMessage[]): Promise<void> {
  await prisma.outboxMessage.createMany({ data: [...messages] });
}
