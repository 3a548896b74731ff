/** What must be there before the commands of a page can be typed. What a page does not need is left out. */
export interface Preparation {
  /** Commands before those of the page. */
  before?: string[];
  /** Of the environment, while its commands are typed. */
  variables?: Record<string, string>;
  /** Words of the page and what stands for them here. */
  words?: Record<string, string>;
  /**
   * Words of the page, and the command (with `-o name`) whose first name stands for them here. It is called when a command has the word, and
   * again until it finds a name.
   */
  ids?: Record<string, string>;
  /** Files that the page names, and the files of the project with their content. */
  files?: Record<string, string>;
  /** Commands of the page that are carried out for the reader, since they start servers, and return once that has had its effect. */
  acts?: Record<string, () => Promise<void>>;
  /** Answers that commands of this page may get, since what they name exists only where something has gone wrong. */
  mayAnswer?: RegExp[];
}

/** The pages that need more than a Curtail with the sample, in which the pages before have been read. */
export const preparations: Record<string, Preparation> = {
  'docs/how-to/ceilings.md': {
    before: [
      'curtail simulate clear',
      'curtail simulate sample',
      'curtail settings --set approveAboveVictims=1',
      'curtail apply -f examples/queues-lowered.yaml --yes',
      'curtail enforce root.research --now --yes',
    ],
    files: { 'queues.yaml': 'examples/queues-lowered.yaml' },
    // The run that was approved may still evict.
    mayAnswer: [/^error: run \S+ of root\.research is in progress/m],
    ids: {
      'e-yh38gev3p32p': 'curtail get enforcements --state waiting --queue root.research -o name',
      '12': 'curtail get configurations -o name',
    },
  },
  'docs/how-to/change-and-go-back.md': {
    // Pages before have changed quotas, unless this one is played alone.
    before: [
      'curtail get configurations -o name | sed -n 2p | grep -q . || curtail apply -f examples/queues-lowered.yaml',
    ],
    ids: {
      '9': 'curtail get configurations -o name | sed -n 1p',
      '7': 'curtail get configurations -o name | sed -n 2p',
    },
  },
  'docs/how-to/checkpoint-handshake.md': { mayAnswer: [/No allocation train-17 runs/] },
  'docs/how-to/fair-share-rounds.md': { variables: { CURTAIL_PARTITION: 'starvation-scenario' } },
  'docs/how-to/flapping.md': {
    // The clocks of a page before.
    before: ['while curtail get timers -o name | grep -q root.load; do sleep 1; done'],
  },
  'docs/how-to/freeze.md': {
    ids: { 'f-1a2b3c4d5e6f': 'curtail get freezes -o name' },
  },
  'docs/how-to/kafka.md': { mayAnswer: [/is not a dead letter|No dead letter matches/] },
  'docs/how-to/keep-and-archive.md': {
    before: ['mkdir -p archive'],
    words: { '/var/lib/curtail/archive': 'archive' },
    // The log of a new Curtail has no past months, and so no files.
    mayAnswer: [/No partition of the log ends before/, /archive (has|holds|contains) no /],
  },
  'docs/how-to/kubernetes.md': {
    // Nobody waits ten minutes: the clock is ended early, and its run is the newest that has ended.
    ids: Object.fromEntries(
      ['e-g28ehfpwsbwg', 'e-qr487yc7xra0'].map((id) => [
        id,
        'curtail enforce root.team-a --now --yes > enforced 2>&1; curtail get enforcements --queue root.team-a --state ended -o name',
      ]),
    ),
  },
  'docs/how-to/victim-care.md': { files: { 'queues.yaml': 'examples/queues-lowered.yaml' } },
  'docs/how-to/what-if.md': {
    files: { 'plan-a.yaml': 'examples/queues.yaml', 'plan-b.yaml': 'examples/queues-lowered.yaml' },
  },
  'docs/how-to/yunikorn.md': { files: { 'new-queues.yaml': 'test/clusters/yunikorn/new-queues.yaml' } },
};

/** Answers to what a sentence names, everywhere: it leaves out what the command is about, names a queue of no one's, or is about another kind of cluster. */
export const answersToSentences = [
  /^error: (no input|name one |give either )/m,
  /^error: [Tt]here is no /m,
  /The cluster of this installation is simulated/,
];

/** Played on the control plane of the lane clusters. */
export const pagesOfClusters = ['docs/how-to/kubernetes.md', 'docs/how-to/yunikorn.md'];
