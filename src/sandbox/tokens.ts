import { createCatalogue } from '#domain/market/catalogue';
import { BUILT_IN_TOKENS } from '#domain/market/token';

/** The tokens that the stand-ins know. */
export const SANDBOX_TOKENS = createCatalogue(BUILT_IN_TOKENS);
