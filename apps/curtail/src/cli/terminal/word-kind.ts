/** What a word on the command line can only be, whatever command it is given to. */
export type WordKind = 'queue' | 'enforcement' | 'freeze' | 'stop' | 'file';

const kinds: readonly (readonly [WordKind, RegExp])[] = [
  ['file', /\.(ya?ml|json|xml|yson)$/i],
  ['queue', /^((queue|pool|timer)\/.+|root(\..+)?)$/i],
  ['enforcement', /^((enforcement|plan)\/.+|[er]-[0-9a-z]{3,12})$/],
  ['freeze', /^(freeze\/.+|f-[0-9a-z]{3,12})$/],
  ['stop', /^stop\/.+$/],
];

/** Undefined for a word that may be anything. */
export function kindOfWord(word: string): WordKind | undefined {
  return kinds.find(([, pattern]) => pattern.test(word))?.[0];
}

/** How messages name it. */
export const kindText: Record<WordKind, string> = {
  queue: 'a queue',
  enforcement: 'a run',
  freeze: 'a freeze',
  stop: 'a stop',
  file: 'a file',
};

/** For a word that a command does not take, the step that was meant: by kind and command, `*` for every other command. */
const meant: Record<WordKind, Record<string, string>> = {
  queue: {
    mode: 'a mode is that of a whole partition; stop the evictions of one queue: curtail stop WORD',
    rollback:
      'a rollback is one of a whole partition; see the entry of one queue: curtail export VERSION --queue WORD',
    report: 'see what was evicted in one queue: curtail get enforcements --queue WORD',
    status: 'see one queue: curtail get queues WORD',
    get: 'show it: curtail get queues WORD',
    'what-if': 'try other limits of it: curtail what-if --queue WORD --max TYPE=QUANTITY',
    apply: 'put the entry of one queue in force: curtail apply FILE --queue WORD',
    answer: 'an answer is about an allocation; list those of the queue: curtail get allocations --queue WORD',
    links: 'a link is about an allocation; list those of the queue: curtail get allocations --queue WORD',
    '*': 'see it: curtail get queues WORD',
  },
  enforcement: {
    stop: 'cancel one run: curtail cancel WORD',
    resume: 'a run that was stopped does not continue; request another one: curtail enforce QUEUE',
    freeze: 'cancel one run: curtail cancel WORD',
    get: 'show it: curtail get enforcements WORD',
    '*': 'see it: curtail get enforcements WORD',
  },
  freeze: {
    resume: 'clear a freeze: curtail unfreeze WORD',
    '*': 'see it: curtail get freezes WORD',
  },
  stop: {
    unfreeze: 'clear a stop: curtail resume WORD',
    cancel: 'clear a stop: curtail resume WORD',
    '*': 'see it: curtail get stops WORD',
  },
  file: {
    rollback: 'put a file in force: curtail apply WORD',
    export: 'write it into the file: curtail export > WORD',
    '*': 'check a configuration: curtail validate WORD',
  },
};

/** The next step for a word that a command does not take. */
export function stepFor(kind: WordKind, command: string, word: string): string {
  const steps = meant[kind];
  return (steps[command] ?? steps['*'] ?? '').replace('WORD', () => word);
}
