import { type Command, choice, type Form, formsOf, type Group } from './arguments.ts';

/** What the user may type after some words, by these words. Options with any value have no words. */
type Entry = readonly [after: string, words: readonly string[]];

const optionOf = ({ name }: Form) => `--${name}`;

function entriesOf(command: Command): Entry[] {
  const { positionals, options } = formsOf(command);
  const choices = positionals.flatMap(({ choices = [] }) => choices);
  const values = options.flatMap((form): Entry[] =>
    form.choices ? [[`${command.name} ${optionOf(form)}`, form.choices]] : [],
  );
  return [[command.name, [...choices, ...options.map(optionOf), '--env-file', '--help']], ...values];
}

async function allEntries(groups: readonly Group[]): Promise<Entry[]> {
  const entries: Entry[] = [['', [...groups.map(({ name }) => name), '--env-file', '--help', '--version']]];
  for (const { name, load } of groups) {
    const { commands } = await load();
    const words = commands.flatMap((command) => command.name.split(' ').slice(1));
    if (words.length > 0) entries.push([name, [...words, '--help']]);
    entries.push(...commands.flatMap(entriesOf));
  }
  return entries;
}

/** A function that prints the words after its argument, and fails for other arguments. */
const shellFunction = (entries: readonly Entry[]) =>
  `_quotient_words() {
  case "$1" in
${entries.map(([after, words]) => `    '${after}') echo '${words.join(' ')}' ;;`).join('\n')}
    *) return 1 ;;
  esac
}`;

const SCRIPTS = {
  bash: (entries: readonly Entry[]) => `${shellFunction(entries)}
_quotient() {
  local previous=\${COMP_WORDS[COMP_CWORD-1]} one= two= key words
  ((COMP_CWORD > 1)) && one=\${COMP_WORDS[1]}
  ((COMP_CWORD > 2)) && two="$one \${COMP_WORDS[2]}"
  COMPREPLY=()
  for key in "$two $previous" "$one $previous" \${two:+"$two"} "$one"; do
    if words=$(_quotient_words "$key"); then
      COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
      return
    fi
  done
}
complete -o default -F _quotient quotient
`,
  zsh: (entries: readonly Entry[]) => `#compdef quotient
${shellFunction(entries)}
_quotient() {
  local previous=$words[CURRENT-1] one= two= key found
  ((CURRENT > 2)) && one=$words[2]
  ((CURRENT > 3)) && two="$one $words[3]"
  for key in "$two $previous" "$one $previous" \${two:+"$two"} "$one"; do
    if found=$(_quotient_words "$key"); then
      compadd -- \${=found} || _files
      return
    fi
  done
  _files
}
(($+functions[compdef])) && compdef _quotient quotient
`,
  fish: (entries: readonly Entry[]) => `function __quotient_words
  switch "$argv[1]"
${entries.map(([after, words]) => `    case '${after}'\n      printf '%s\\n' ${words.join(' ')}`).join('\n')}
    case '*'
      return 1
  end
end
function __quotient
  set -l words (commandline -opc)
  set -l one "$words[2]"
  set -l two
  test (count $words) -gt 2; and set two "$words[2] $words[3]"
  for key in "$two $words[-1]" "$one $words[-1]" $two "$one"
    __quotient_words "$key"; and return
  end
end
complete -c quotient -a '(__quotient)'
`,
};

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completionOf = (groups: readonly Group[]): { commands: readonly Command[] } => ({
  commands: [
    {
      name: 'completion',
      arguments: { [`shell:${SHELLS.join('|')}`]: 'the shell' },
      help: 'Prints a script that completes commands, options and values: `source <(quotient completion bash)`.',
      async run({ values }) {
        const shell = choice('<shell>', values.shell, SHELLS);
        process.stdout.write(SCRIPTS[shell](await allEntries(groups)));
      },
    },
  ],
});
