import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';

/** A run as it is now, without its plan. */
export const useRun = (enforcement: string) =>
  useQuery({
    queryKey: ['run', enforcement, 'detail'],
    queryFn: () =>
      api().get('/v1/enforcements/{enforcement}', { params: { path: { enforcement }, query: { limit: 1 } } }),
  });

/** Victims and entries of each list of a plan that are read at once. */
const mostListed = 1000;
/** Owners, queues, applications and rules; of more groups, only the number is known. */
const mostGroups = 1000;

/** A run with its plan, its first victims, and all of its victims in groups. */
export const useExplanation = (enforcement: string) =>
  useQuery({
    queryKey: ['run', enforcement],
    queryFn: () =>
      api().get('/v1/enforcements/{enforcement}/explanation', {
        params: { path: { enforcement }, query: { limit: mostListed, groups: mostGroups } },
      }),
  });
