import { createCatalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import type { Database } from '#database/database';
import { wrongUsage } from './arguments.ts';

/** The served token that an argument names, by name or symbol. Throws `ExitError` with the nearest for any other text. */
export async function servedToken(prisma: Database['prisma'], text: string): Promise<Token> {
  const catalogue = createCatalogue(await createTokenStore(prisma).all());
  const token = catalogue.find(text);
  if (token) return token;
  const near = catalogue.nearest(text).map(({ name }) => name);
  const hint =
    near.length > 0 ? `do you mean ${near.join(' or ')}?` : '`npm run tokens -- list` has them all';
  throw wrongUsage(`unknown token: ${hint}`);
}
