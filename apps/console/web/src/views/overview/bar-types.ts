import type { components } from '#api-client';

type Queue = Pick<components['schemas']['Queue'], 'max' | 'guaranteed' | 'usage'>;

/** The resource types of the bars of a queue: those with a quota first, then the others, each by name, as in texts of amounts. */
export function barTypesOf({ max, guaranteed, usage }: Queue, most: number): string[] {
  const limited = Object.keys(max ?? {});
  const others = Object.keys({ ...guaranteed, ...usage }).filter((type) => !limited.includes(type));
  return [...limited.sort(), ...others.sort()].slice(0, most);
}
