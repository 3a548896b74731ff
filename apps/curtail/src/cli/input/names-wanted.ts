import type { NamedKind } from '#api-client';

/** Which names a line needs next: those of an option, or else of an argument. */
export interface NamesWanted {
  command: string;
  /** Without dashes. */
  option?: string;
  kind: NamedKind;
  prefix: string;
  partition: string;
}

const ofOption: Record<string, NamedKind> = {
  queue: 'queue',
  partition: 'partition',
  enforcement: 'enforcement',
};

/** The kinds that the words of `get` and `explain` have names of. */
const ofNoun: Record<string, NamedKind> = {
  queue: 'queue',
  timer: 'queue',
  pool: 'queue',
  enforcement: 'enforcement',
  plan: 'enforcement',
  allocation: 'allocation',
  replay: 'replay',
  partition: 'partition',
};
const ofCommand: Record<string, NamedKind> = {
  approve: 'enforcement',
  reject: 'enforcement',
  cancel: 'enforcement',
  wait: 'enforcement',
  enforce: 'queue',
  settings: 'queue',
  stop: 'queue',
  resume: 'queue',
  freeze: 'queue',
  unfreeze: 'queue',
};

/**
 * The names that complete the last of these words; undefined: it is no name.
 *
 * @param words behind `curtail`; the last one is being written, and may be empty.
 */
export function namesWanted(
  words: readonly string[],
  partitionByDefault = 'default',
): NamesWanted | undefined {
  const prefix = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const given = before.lastIndexOf('--partition');
  const partition = before[given + 1] !== undefined && given !== -1 ? before[given + 1]! : partitionByDefault;
  const option = /^--(queue|partition|enforcement)$/.exec(before.at(-1) ?? '')?.[1];
  const [command, noun, ...more] = withoutOptions(before);
  if (command === undefined) return undefined;
  const wanted = { command, prefix, partition };
  if (option !== undefined) return { ...wanted, option, kind: ofOption[option]! };
  const byCommand = ofCommand[command];
  if (byCommand) return noun === undefined ? { ...wanted, kind: byCommand } : undefined;
  const kind = ['get', 'explain'].includes(command) && noun !== undefined && ofNoun[noun.replace(/s$/, '')];
  return kind && more.length === 0 ? { ...wanted, kind } : undefined;
}

/** Options with a value take it along; all others are switches. */
const withValue =
  /^(--(queue|partition|enforcement|since|until|limit|server|token|output|state|policy|type|user|application|by|sort-by|reason|set|clear)|-o)$/;

function withoutOptions(words: readonly string[]): string[] {
  return words.filter((word, i) => !word.startsWith('-') && !withValue.test(words[i - 1] ?? ''));
}
