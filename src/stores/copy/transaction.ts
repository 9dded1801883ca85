import type { Session } from '#stores/database/migrations';
import { PLAIN_TEXT } from './tables.ts';

/** Runs some work in one transaction, at a moment that stands still while it lasts. */
export async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${PLAIN_TEXT}`);
  try {
    const result = await work();
    await session.exec('COMMIT');
    return result;
  } catch (error) {
    await session.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}
