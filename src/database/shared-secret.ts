import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '#generated/prisma/client';

/** A random value that all processes share. Of two concurrent inserts, only one adds a row. */
export async function readSharedSecret({ sharedSecret }: PrismaClient, name: string): Promise<string> {
  const secret = await sharedSecret.findUnique({ where: { name } });
  if (secret) return secret.value;
  const value = randomBytes(32).toString('base64url');
  await sharedSecret.createMany({ data: [{ name, value }], skipDuplicates: true });
  return (await sharedSecret.findUniqueOrThrow({ where: { name } })).value;
}
