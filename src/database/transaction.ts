/**
 * One connection of its own, below Prisma, which prepares each statement and so cannot run a script of many:
 * `exec` runs a script, `query` one statement with its values. PGlite is one as it stands.
 */
export type Session = {
  exec(script: string): Promise<unknown>;
  query<Row extends Record<string, unknown>>(statement: string, values?: unknown[]): Promise<{ rows: Row[] }>;
};

/** Runs some work in one transaction, which `begin` begins; nothing of it stays when it fails. */
export async function inTransaction<T>(session: Session, begin: string, work: () => Promise<T>): Promise<T> {
  await session.exec(begin);
  try {
    const result = await work();
    await session.exec('COMMIT');
    return result;
  } catch (error) {
    // A connection that is gone cannot roll back, and need not: the server has. The first error is the one to tell.
    await session.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}
