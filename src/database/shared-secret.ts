import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '#generated/prisma/client';

/**
 * A random value that all processes of the service share, by its name. The first process that needs it adds it: of two
 * that do so at once the row of one stays, and both read that row.
 */
export async function readSharedSecret({ sharedSecret }: PrismaClient, name: string): Promise<string> {
  const known = await sharedSecret.findUnique({ where: { name } });
  if (known) return known.value;
  const value = randomBytes(32).toString('base64url');
  await sharedSecret.createMany({ data: [{ name, value }], skipDuplicates: true });
  return (await sharedSecret.findUniqueOrThrow({ where: { name } })).value;
}
