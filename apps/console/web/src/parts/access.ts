import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';

export interface Access {
  /** undefined: not known yet. Where it cannot be read, commands are offered, since the server decides: a stop must stay within reach. */
  mayCommand: boolean | undefined;
  /** Why not. */
  because: string | null;
}

/** Whether commands of this page are taken. */
export function useAccess(): Access {
  const { data, isError } = useQuery({ queryKey: ['access'], queryFn: () => api().get('/v1/access', {}) });
  return { mayCommand: isError ? true : data?.commands, because: data?.because ?? null };
}
