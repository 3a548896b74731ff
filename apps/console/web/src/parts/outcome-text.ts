interface Run {
  state: string;
  outcome: string | null;
}

/** Outcomes whose names say little to those who see them first. Others, and those of a newer version, stand for themselves. */
const words: Readonly<Record<string, string>> = {
  'not-needed': 'not needed',
  'best-effort': 'only partly possible',
};

/** An approved run is carried out at once. */
const stateWords: Readonly<Record<string, string>> = { approved: 'executing, approved' };

/** How a run ended, or how far it is. */
export const outcomeText = ({ state, outcome }: Run): string =>
  outcome === null ? (stateWords[state] ?? state) : (words[outcome] ?? outcome);
