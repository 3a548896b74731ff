import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { defaultPartition } from '#contracts/ground';

/** How a process was started, as far as it shows what to type to start it the same way again. */
export interface StartedCommand {
  /** The program as it was named: `argv[1]`. */
  program: string;
  cwd: string;
  /** The folder of the package that the program belongs to. */
  home: string;
  /** That folder is a checkout, with the sources. */
  isCheckout: boolean;
}

/**
 * The words that begin a command called as this one was: `curtail` from the PATH, `npx curtail` in a checkout, `npx --no-install curtail`
 * where the package is a dependency of the folder, or `node bin/curtail.mjs`. Outside a checkout `npx curtail` alone would install the
 * package of that name from the registry, which is another product. Starting the service with `npm start` implies a checkout.
 */
export function calledAs({ program, cwd, isCheckout }: StartedCommand): string {
  const name = basename(program);
  const [dependent, ...inside] = program.split('/node_modules/');
  const isDependency = inside.length > 0;
  if (name === 'curtail.mjs') return `node ${shellWord(pathFrom(cwd, program))}`;
  if (name === 'curtail' && !isDependency) return 'curtail';
  if (isCheckout) return 'npx curtail';
  if (!isDependency) return 'curtail';
  return contains(dependent!, cwd) ? 'npx --no-install curtail' : shellWord(program);
}

/**
 * A text that names files of `examples`, with their paths as seen from the working folder: the examples come with the package. A file
 * that is in the working folder under the same name is meant itself.
 */
export function withExamples(text: string, { cwd, home }: Pick<StartedCommand, 'cwd' | 'home'>): string {
  return text.replace(exampleFile, (path) => {
    if (existsSync(join(cwd, path)) || !existsSync(join(home, path))) return path;
    const own = join(home, path);
    return shellWord(contains(home, cwd) || contains(cwd, home) ? pathFrom(cwd, own) : own);
  });
}

const exampleFile = /(?<![\w./-])examples\/[\w-]+\.(?:yaml|xml|json)\b/g;

/** Whether a folder is another one, or below it. */
function contains(folder: string, other: string): boolean {
  return other === folder || other.startsWith(folder === '/' ? folder : `${folder}/`);
}

/** A path relative to the current folder. Services run in `/`, and no commands are typed there. */
function pathFrom(cwd: string, path: string): string {
  return cwd === '/' ? path : relative(cwd, path);
}

/** Quotes a word for a shell. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// A list, since the commands import this file.
const commands =
  'answer|apply|approve|audit|cancel|complete|completion|config|dead-letters|diff|doctor|enforce|explain|export|freeze|get|help|inventory|links|log|login|logout|mode|plan|policy|quantity|reject|replay|report|republish|resume|rollback|settings|simulate|start|status|stop|timeline|tokens|unfreeze|validate|verify|version|wait|webhook|what-if|whoami';
const command = new RegExp(`(?<![\\w./-]|npx (?:--no-install )?)curtail (?=(--help|${commands})\\b)`, 'g');

/**
 * A hint whose commands (`curtail get queues`) work as they are.
 *
 * @param call the words that begin them, with the options of all commands.
 * @param otherwise the partition of a command without `--partition`; undefined if it is not known.
 * @param program the words without these options: `curtail start` has no server yet.
 */
export function runnable(hint: string, call: string, otherwise: string | undefined, program = call): string {
  const text = otherwise === defaultPartition ? hint.replace(optionOfDefault, '') : hint;
  return text.replace(command, (_, name: string) => `${name === 'start' ? program : call} `);
}

const optionOfDefault = new RegExp(` --partition ${defaultPartition}(?![\\w.-]*\\w)`, 'g');
