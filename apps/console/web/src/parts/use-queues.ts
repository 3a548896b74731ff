import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { allPages } from './pages.tsx';

/** Everything that a page shows at once; beyond it, the search of the API has to help. */
const mostQueues = 20_000;

/** The queues of a partition, with their usage, quotas, clocks and runs now. */
export function useQueues(partition: string) {
  return useQuery({
    queryKey: ['queues', partition],
    queryFn: () =>
      allPages(
        (after) =>
          api().get('/v1/queues', { params: { query: { partition, limit: 1000, ...(after && { after }) } } }),
        mostQueues,
      ),
  });
}
