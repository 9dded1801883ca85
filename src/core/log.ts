/** What the service writes its log with: the part of a pino logger that it uses. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', (facts: object, message: string) => void>;
