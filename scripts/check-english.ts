import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Checks names, comments and texts for words that read as translated. Part of `npm run check`.

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const FILES = [
  '*.md',
  'docs/*.md',
  'ops/*.{yml,md}',
  'prisma/schema.prisma',
  '{src,packages,bench,fixtures,scripts,test}/**/*.{ts,js,md,html}',
  'vitest.config.ts',
];
/** Generated and recorded files, and the modules that contain such words on purpose. */
const EXCLUDED = /\/(generated|node_modules|dist|samples)\/|\/check-english(\.test)?\.ts$/;

/** The start of a sentence whose subject is a clause. Questions are allowed. */
const CLAUSE = /(?<=^[\s/*#>-]*|[.!:]\s+|['"`(])(?:What|Who|Of|So many) [a-z][^.?!]*(?![^.?!]*\?)(?:[.!,;:]|$)/;

const RULES: { pattern: RegExp; use: string }[] = [
  {
    pattern:
      /(?<!known\.|excluded\.|what, )\btold(?!_at|"\)| = excluded)\b|\btells?\b(?!:)|[a-z]Told|\bTold[A-Z]|\bTell[A-Z]/,
    use: 'reports, serves, returns, states',
  },
  { pattern: /\b(whoever|nobody|somebody|whosoever)\b/i, use: 'the actor: the client, the user, the operator' },
  { pattern: CLAUSE, use: 'subject, verb, object: start with the subject, not with a clause' },
  { pattern: /\b(those|what|as many as|that) there (is|are)\b/, use: 'the existing, available or known ones' },
  { pattern: /\bbut for\b/, use: 'except' },
  { pattern: /\bfor good\b/, use: 'permanently' },
  { pattern: /\bfor ever\b/, use: 'forever, indefinitely' },
  { pattern: /\bbegun\b/, use: 'started; "rounded up" for charges' },
  { pattern: /\bgo(es)? on\b/, use: 'continues, remains valid' },
  { pattern: /\bgiv(es?|ing) way\b/, use: 'is replaced, is superseded' },
  {
    pattern: /\b(is|are|was|were|be|been) (asked|gone to)\b(?! (to|whether))/,
    use: 'is requested, is queried, is called',
  },
  { pattern: /(?<!\b(there|There|which|and|or) )\bis no (?!longer\b|more\b|such\b)[a-z]/, use: 'is not a, is not an' },
  { pattern: /\bin place of\b/, use: 'instead of' },
  { pattern: /\bin vain\b/, use: 'unsuccessfully, without a response' },
  { pattern: /\b(till|hitherto|thereof|whereof|wherefrom|whereat|therein)\b/, use: 'until, of it, from which' },
  { pattern: /\bone after (the other|another)\b/, use: 'in sequence, one at a time' },
  { pattern: /\bbut (those|the ones|that of)\b/, use: 'except' },
  { pattern: /\bat the latest\b(?=[.,;:'"`]| when\b| after\b| by\b|$)/, use: 'within … at most, no later than' },
  {
    pattern:
      /\b(an?|each|every|this|one|no|the|another) mail\b(?=[.,;:!?]| (is|was|will|that|with|to|for|from|of|in|has)\b)/i,
    use: 'email',
  },
  { pattern: /\bmails (are|to|that|wait|from|for|of|were|will|with|have|may)\b/i, use: 'emails' },
  { pattern: /\bpages? of (another|other|an|a|any) (origin|site)s?\b/i, use: 'from, on' },
  { pattern: /\bas (they|it) came\b/, use: 'as received, unchanged' },
  { pattern: /\b(hands?|handed|handing) (\w+ )?on\b/, use: 'forwards, passes on' },
  { pattern: /\ball there (is|are)\b/, use: 'everything, the content' },
  { pattern: /\bso many\b(?!.*\bthat\b)/, use: 'a number of, or the name of the parameter' },
  { pattern: /\banew\b/, use: 'again' },
  { pattern: /\bheld up\b/, use: 'delayed' },
  { pattern: /\bin (the|its) midst\b/, use: 'within, during' },
  { pattern: /\bwithout (an )?end\b/, use: 'endless' },
  { pattern: /\b(of|by) ours\b/, use: 'of the service, internal, synthetic' },
  { pattern: /(?<!\bthere )\b(is|are|was|were) none\b/, use: 'is invalid, is missing, is not a' },
  { pattern: /\binterface description\b/, use: 'API description' },
];

const faults: string[] = [];
let lines = 0;
for (const file of globSync(FILES, { cwd: ROOT })) {
  if (EXCLUDED.test(`/${file}`)) continue;
  for (const [i, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
    lines += 1;
    for (const { pattern, use } of RULES) {
      const [found] = pattern.exec(line) ?? [];
      if (found) faults.push(`${file}:${i + 1}: "${found.trim()}": write ${use}`);
    }
  }
}
for (const fault of faults) console.error(fault);
console.log(`${lines} lines checked for plain English, ${faults.length} faults.`);
if (faults.length > 0) process.exitCode = 1;
