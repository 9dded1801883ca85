import { registerHooks } from 'node:module';

// Writes the URL of each module that the process loads.
registerHooks({
  load(url, context, next) {
    process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
