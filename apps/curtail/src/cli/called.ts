import { basename, relative } from 'node:path';

/** How a process was started, as far as it tells what a person has to write to start it so again. */
export interface Started {
  /** The program, as it was named: `argv[1]`. */
  program: string;
  cwd: string;
}

/**
 * What a command begins with that was called as this one was: `curtail` from the PATH, `npx curtail` in a checkout, or
 * `node bin/curtail.mjs`. Whoever started the service itself (`npm start`) has a checkout.
 */
export function calledAs({ program, cwd }: Started): string {
  const name = basename(program);
  if (name === 'curtail' && !program.includes('node_modules')) return 'curtail';
  if (name !== 'curtail.mjs') return 'npx curtail';
  return `node ${shellWord(relative(cwd, program))}`;
}

/** A word as a shell takes it for one. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// Not read from the commands themselves: they import this.
const commands =
  'apply|approve|cancel|dead-letters|diff|doctor|explain|export|get|inventory|log|mode|plan|quantity|reject|replay|republish|resume|simulate|start|stop|timeline|validate';
const command = new RegExp(`(?<![\\w./-]|npx )curtail (?=(?:${commands})\\b)`, 'g');

/** A hint with its commands (`curtail get queues`) such that they work as they stand. */
export function runnable(hint: string, call: string): string {
  return hint.replace(command, () => `${call} `);
}
