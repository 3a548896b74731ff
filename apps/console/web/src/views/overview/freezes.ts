import { useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import { covers } from '#contracts';
import { api } from '../../api/client.js';

export type Freeze = components['schemas']['Freeze'];

/** The freezes of a partition. They are read again when one begins or ends, of which no event tells. */
export function useFreezes(partition: string) {
  return useQuery({
    queryKey: ['freezes', partition],
    queryFn: () => api().get('/v1/freezes', { params: { query: { partition } } }),
    refetchInterval: ({ state }) => msToNextTurn(state.data?.items ?? [], Date.now()),
  });
}

const dayMs = 86_400_000;
/** The clock of this machine may be ahead of the server's. */
const leastMs = 10_000;

/** Until one of the freezes begins or ends, in milliseconds, at most a day; false: none does. */
export function msToNextTurn(freezes: readonly Freeze[], now: number): number | false {
  const turns = freezes.flatMap(({ inEffect, from, until }) => (inEffect ? until : from) ?? []);
  if (turns.length === 0) return false;
  const next = Math.min(...turns.map((turn) => Date.parse(turn)));
  return Math.min(dayMs, Math.max(leastMs, next - now + 1000));
}

/** The freeze in effect for a queue: its own, or one of a queue above or of the partition. */
export function freezeOver(path: string, freezes: readonly Freeze[]): Freeze | undefined {
  return freezes.find(({ queue, inEffect }) => inEffect && covers(queue, path));
}
