import { Problem } from '#core/problems';

/** For a token that was used, has expired or never was: nothing tells which. */
export const tokenInvalid = () =>
  new Problem('token_invalid', 'The token was used, has expired or was never given: ask for another mail.');
