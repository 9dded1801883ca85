import { iso } from '#core/clock';
import { Prisma } from '#generated/prisma/client';

export const toInstant = (ms: number) => Prisma.sql`${iso(ms)}::timestamptz`;
export const epochMs = (column: string) => Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);
