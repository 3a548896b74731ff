import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';

/** A run as it is now, without its plan. */
export const useRun = (enforcement: string) =>
  useQuery({
    queryKey: ['run', enforcement, 'detail'],
    queryFn: () =>
      api().get('/v1/enforcements/{enforcement}', { params: { path: { enforcement }, query: { limit: 1 } } }),
  });
