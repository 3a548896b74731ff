import { basename, relative } from 'node:path';
import { defaultPartition } from '@curtail/contracts';

/** How a process was started, as far as it shows what to type to start it the same way again. */
export interface Started {
  /** The program as it was named: `argv[1]`. */
  program: string;
  cwd: string;
}

/**
 * The words that begin a command called as this one was: `curtail` from the PATH, `npx curtail` in a checkout, or
 * `node bin/curtail.mjs`. Starting the service with `npm start` implies a checkout.
 */
export function calledAs({ program, cwd }: Started): string {
  const name = basename(program);
  if (name === 'curtail' && !program.includes('node_modules')) return 'curtail';
  if (name !== 'curtail.mjs') return 'npx curtail';
  return `node ${shellWord(relative(cwd, program))}`;
}

/** Quotes a word for a shell. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// A list, since the commands import this file.
const commands =
  'answer|apply|approve|cancel|complete|completion|config|dead-letters|diff|doctor|enforce|explain|export|freeze|get|help|inventory|links|log|mode|plan|quantity|reject|replay|report|republish|resume|rollback|settings|simulate|start|status|stop|timeline|unfreeze|validate|version|wait|webhook|what-if';
const command = new RegExp(`(?<![\\w./-]|npx )curtail (?=(?:--help|${commands})\\b)`, 'g');

/**
 * A hint whose commands (`curtail get queues`) work as they are.
 *
 * @param otherwise the partition of a command without `--partition`; undefined if it is not known.
 */
export function runnable(hint: string, call: string, otherwise: string | undefined): string {
  const text = otherwise === defaultPartition ? hint.replace(optionOfDefault, '') : hint;
  return text.replace(command, () => `${call} `);
}

const optionOfDefault = new RegExp(` --partition ${defaultPartition}(?![\\w.-]*\\w)`, 'g');
