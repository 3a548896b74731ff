import { counted } from '#contracts';

const mostNamed = 3;

/** What a run would take from whom: `5 allocations of grace, ann`; `no allocation` where it would take nothing. */
export function lossText({ victims }: { victims: number }, users: ReadonlySet<string>): string {
  if (victims === 0) return 'It would evict nothing now.';
  const named = [...users].slice(0, mostNamed);
  const more = users.size - named.length;
  const whose = named.length === 0 ? '' : ` of ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${counted(victims, 'allocation')}${whose}`;
}
