import type { Rounds } from '#api-client';
import { counted } from '#contracts';
import { printable } from '../terminal/printable.js';
import { clockText } from './time.js';

/** At most this many names are printed; the others are counted. */
const mostNamed = 3;

/** Sentences that list what rounds of a policy exempt for a while, why, and until when; empty if nothing is exempt. */
export function exemptSentences({ exempt }: Pick<Rounds, 'exempt'>): string[] {
  const of = (kind: Rounds['exempt'][number]['kind']) => exempt.filter((one) => one.kind === kind);
  return [
    ...sentence(of('application'), 'operation', 'an operator rejected a plan to take from'),
    ...sentence(of('allocation'), 'allocation', 'the cluster refused to evict'),
  ];
}

function sentence(those: Rounds['exempt'], what: string, since: string): string[] {
  const last = those
    .map(({ until }) => until)
    .sort()
    .at(-1);
  if (last === undefined) return [];
  const named = those.slice(0, mostNamed).map(({ name }) => printable(name));
  const more = those.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${counted(more, `more ${what}`)}` : ''}`;
  const it = those.length === 1 ? 'it' : 'them';
  return [`Exempt until ${clockText(last)}: ${names}, since ${since} ${it}.`];
}
