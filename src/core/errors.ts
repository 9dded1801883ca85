/** Returns a caught value as an error, because a throw may carry any value. */
export const toError = (thrown: unknown): NodeJS.ErrnoException =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
