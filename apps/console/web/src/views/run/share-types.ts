import type { Share } from '#contracts';

/** The types that a queue gives, or was to give, by name. */
export function typesOf({ target, claimed }: Pick<Share, 'target' | 'claimed'>): string[] {
  return Object.keys({ ...target, ...claimed })
    .filter((type) => (target[type] ?? 0) > 0 || (claimed[type] ?? 0) > 0)
    .sort();
}
