/** For a process that lives for seconds: the embedded database is compiled quickly instead of well, at half the cost. */
export const SHORT_LIVED = ['--liftoff-only'];
