/*
 * The part of a Dockerfile's syntax that this repository uses. https://docs.docker.com/reference/dockerfile/
 */

export type Copy = { kind: 'copy'; from: string | undefined; sources: string[]; target: string };
export type Step = Copy | { kind: 'workdir'; path: string } | { kind: 'run'; command: string };

export type Stage = {
  /** The stage's name, or its number if it has no name. */
  name: string;
  /** An earlier stage or an image. */
  base: string;
  steps: Step[];
  env: Record<string, string>;
  labels: Record<string, string>;
  healthcheck: string[];
  command: string[];
};

/** Instructions that describe the image and change no file. */
const WITHOUT_EFFECT = ['USER', 'VOLUME', 'EXPOSE'];

type Instruction = { name: string; rest: string };

function unsupported({ name, rest }: Instruction): never {
  throw new Error(`Dockerfile: ${name} ${rest}: not supported`);
}

/** The instructions, each on one line and without comments. */
function instructionsOf(text: string): Instruction[] {
  if (/^#\s*(syntax|escape|check)\s*=/im.test(text)) throw new Error('Dockerfile: directives: not supported');
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const joined = lines.join('\n').replaceAll(/\s*\\\n\s*/g, ' ');
  return joined.split('\n').map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === '' || rest.includes('<<')) throw new Error(`Dockerfile: ${line}: not supported`);
    return { name, rest };
  });
}

/** `NAME=value NAME="a value"`, with variables replaced. */
function assignmentsOf(instruction: Instruction, variables: ReadonlyMap<string, string>) {
  const values: Record<string, string> = {};
  const rest = instruction.rest.replaceAll(/([\w.]+)=(?:"([^"\\]*)"|([^\s"'\\]*))(?=\s|$)/g, (_, ...groups) => {
    const [name, quoted, bare] = groups as [string, string | undefined, string | undefined];
    values[name] = (quoted ?? bare ?? '').replaceAll(/\$\{?(\w+)\}?/g, (_reference, variable) => {
      return variables.get(variable) ?? unsupported(instruction);
    });
    return '';
  });
  return rest.trim() === '' ? values : unsupported(instruction);
}

function wordsOf(instruction: Instruction): string[] {
  if (/[$"'\\*?[\]]/.test(instruction.rest)) unsupported(instruction);
  return instruction.rest.split(/\s+/);
}

function copyOf(instruction: Instruction): Copy {
  const words = wordsOf(instruction);
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop();
  if (!target || words.length === 0 || words.some((word) => word.startsWith('--'))) unsupported(instruction);
  return { kind: 'copy', from, sources: words, target };
}

/** The words of an instruction in exec form. */
function execForm(instruction: Instruction, json: string): string[] {
  try {
    return JSON.parse(json) as string[];
  } catch {
    return unsupported(instruction);
  }
}

function stageOf(instruction: Instruction, count: number): Stage {
  const [base = '', as, name] = wordsOf(instruction);
  if (as !== undefined && (as !== 'AS' || name === undefined)) unsupported(instruction);
  const nothing = { steps: [], env: {}, labels: {}, healthcheck: [], command: [] };
  return { name: name ?? String(count), base, ...nothing };
}

function addTo(stage: Stage, args: Map<string, string>, instruction: Instruction): void {
  const { name, rest } = instruction;
  if (name === 'COPY') stage.steps.push(copyOf(instruction));
  else if (name === 'WORKDIR') stage.steps.push({ kind: 'workdir', path: wordsOf(instruction).join(' ') });
  // Only the shell form is supported. A variable would be an ARG or ENV, and no command here uses one.
  else if (name === 'RUN' && !/^\[|^--|\$/.test(rest)) stage.steps.push({ kind: 'run', command: rest });
  else if (name === 'ENV') Object.assign(stage.env, assignmentsOf(instruction, new Map()));
  else if (name === 'LABEL') Object.assign(stage.labels, assignmentsOf(instruction, args));
  else if (name === 'ARG')
    for (const [key, value] of Object.entries(assignmentsOf(instruction, new Map()))) args.set(key, value);
  else if (name === 'HEALTHCHECK') stage.healthcheck = execForm(instruction, rest.replace(/^(--\S+\s+)*CMD\s+/, ''));
  else if (name === 'CMD') stage.command = execForm(instruction, rest);
  else if (!WITHOUT_EFFECT.includes(name)) unsupported(instruction);
}

/** The stages in order. Throws an error for each unsupported instruction or form. */
export function parseDockerfile(text: string): [Stage, ...Stage[]] {
  const stages: Stage[] = [];
  const args = new Map<string, string>();
  for (const instruction of instructionsOf(text)) {
    const stage = stages.at(-1);
    if (instruction.name === 'FROM') {
      args.clear();
      stages.push(stageOf(instruction, stages.length));
    } else if (stage) addTo(stage, args, instruction);
    else unsupported(instruction);
  }
  if (stages.length === 0) throw new Error('Dockerfile: no FROM');
  return stages as [Stage, ...Stage[]];
}
