import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import type { Quotas } from './with-quotas.js';

export type Outcome = components['schemas']['AlternativeOutcome'];
export type Preview = components['schemas']['Preview'];

/** A configuration to try, or single limits where the configuration in force cannot be written with them. */
export type Alternative = { name: string } & ({ text: string } | { quotas: Quotas });

const pauseMs = 400;

/**
 * What alternatives would do to what runs now. Nothing is stored by it.
 *
 * @param alternatives the same array until one changes.
 * @returns `isCurrent`: the data are of these alternatives, and not of those before.
 */
export function useComparison(partition: string, alternatives: readonly Alternative[]) {
  const [settled] = useDebouncedValue(alternatives, pauseMs);
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['what-if', partition, settled],
    enabled: settled.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api().post('/v1/what-if', {
        body: { partition, alternatives: settled.map(requested) },
        signal,
      }),
  });
  const isCurrent = data !== undefined && settled === alternatives && !isPlaceholderData;
  return { data, error, isFetching, isCurrent };
}

function requested(alternative: Alternative) {
  const { name } = alternative;
  if ('text' in alternative) return { name, configuration: alternative.text };
  const quotas = Object.entries(alternative.quotas).map(([queue, max]) => ({ queue, max }));
  return { name, quotas };
}

/** The changes of a configuration and the clocks that it starts or ends. @param text undefined: none that is valid. */
export function usePreview(partition: string, text: string | undefined) {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['preview', partition, text],
    enabled: text !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await api().put('/v1/partitions/{partition}/config', {
        params: { path: { partition }, query: { dryRun: true } },
        headers: { 'content-type': typeOf(text!) },
        body: text!,
        signal,
      })) as Preview,
  });
  return { data, error, isCurrent: text !== undefined && data !== undefined && !isPlaceholderData };
}

/** Puts a configuration in force, if that which it was compared with still is. @param removesQueues the person has agreed to the queues that it removes. */
export async function apply(
  partition: string,
  text: string,
  version: number,
  { by, removesQueues }: { by: string | undefined; removesQueues: boolean },
) {
  const answer = await api().put('/v1/partitions/{partition}/config', {
    params: {
      path: { partition },
      query: { ...(by !== undefined && { by }), ...(removesQueues && { removeQueues: true }) },
      header: { 'if-match': `"${version}"` },
    },
    headers: { 'content-type': typeOf(text) },
    body: text,
  });
  return answer as components['schemas']['Applied'];
}

const typeOf = (text: string) => (text.trimStart().startsWith('<') ? 'application/xml' : 'application/yaml');
