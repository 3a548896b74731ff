import { useSearch } from '@tanstack/react-router';

/** The partition in the address; `default` without one. */
export function usePartition(): string {
  return useSearch({ strict: false }).partition ?? 'default';
}
