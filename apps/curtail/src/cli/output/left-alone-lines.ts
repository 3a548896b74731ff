import { counted } from '@curtail/contracts';
import type { RoundsView } from '@curtail/contracts/api';
import { printable } from './printable.js';
import { clockText } from './time.js';

/** Names that are printed; the others are counted. */
const mostNamed = 3;

/** Sentences on whom the rounds of a policy leave alone for a while, why, and until when; none if it is no one. */
export function leftAloneSentences({ leftAlone }: Pick<RoundsView, 'leftAlone'>): string[] {
  const of = (kind: RoundsView['leftAlone'][number]['kind']) => leftAlone.filter((one) => one.kind === kind);
  return [
    ...sentence(of('application'), 'operation', 'an operator turned down to take from'),
    ...sentence(of('allocation'), 'allocation', 'the cluster refused to evict'),
  ];
}

function sentence(those: RoundsView['leftAlone'], what: string, since: string): string[] {
  const last = those
    .map(({ until }) => until)
    .sort()
    .at(-1);
  if (last === undefined) return [];
  const named = those.slice(0, mostNamed).map(({ name }) => printable(name));
  const more = those.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${counted(more, `more ${what}`)}` : ''}`;
  const it = those.length === 1 ? 'it' : 'them';
  return [`Left alone until ${clockText(last)}: ${names}, since ${since} ${it}.`];
}
