import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';

/** Where the files of the embedded database are in its directory. */
export const POSTGRES = 'postgres';

/** Whether a data directory is none: what is in it is kept nowhere. */
export const isInMemory = (dataDir: string): boolean => dataDir.startsWith('memory://');

/** Makes a directory where there is none. Throws an Error fit to be shown where it cannot be written. */
export async function makeWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    throw new Error(`the data directory ${directory} cannot be created or written: ${code ?? message}`, {
      cause,
    });
  }
}
