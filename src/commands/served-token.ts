import { createCatalogue } from '#domain/market/catalogue';
import type { Token } from '#domain/market/token';
import type { Database } from '#stores/database/database';
import { createTokenStore } from '#stores/market/tokens';
import { wrongUsage } from './command-line.ts';

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
