import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';

/** The stops in force in a partition. */
export function useStops(partition: string) {
  const { data, error } = useQuery({ queryKey: ['stops'], queryFn: () => api().get('/v1/kill-switch', {}) });
  return { own: (data?.items ?? []).filter((stop) => stop.partition === partition), error };
}
