import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';

/** The situation of a partition. */
export function useStatus(partition: string) {
  const status = useQuery({
    queryKey: ['status', partition],
    queryFn: () => api().get('/v1/status', { params: { query: { partition } } }),
  });
  const own = status.data?.partitions.find(({ partition: name }) => name === partition);
  return { status, own };
}
