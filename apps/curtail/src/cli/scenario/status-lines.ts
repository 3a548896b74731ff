import type { Element } from '#api-client';

/** Pools and operations that fell below a fair share, starve, or have recovered since the last call; `shown` keeps each printed status. */
export function statusLines(elements: readonly Element[], shown: Map<string, string>): string[] {
  return elements.flatMap((element) => {
    const key = `${element.kind} ${element.name}`;
    const state = element.starvation === 'non_starving' ? element.status : element.starvation;
    const before = shown.get(key) ?? 'normal';
    if (state === before) return [];
    shown.set(key, state);
    return [
      `${key}: ${words(before)} -> ${words(state)} (has ${percent(element.usageShare)} of its ${percent(element.fairShare)})`,
    ];
  });
}

const words = (state: string) => state.replaceAll('_', ' ');
const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
