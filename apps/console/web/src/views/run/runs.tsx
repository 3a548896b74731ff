import { SegmentedControl, Stack, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { RunsTable } from '../../parts/runs-table.tsx';
import { type RunFilter, runFilters } from './run-filters.js';

const labels: Record<RunFilter, string> = {
  waiting: 'Waiting for a person',
  executing: 'Running',
  ended: 'Ended',
};

/** The runs of a partition, latest change first. */
export function Runs() {
  const partition = usePartition();
  const { state } = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const runs = usePages(['runs', partition, state], (after) =>
    api().get('/v1/enforcements', {
      params: { query: { partition, limit: 100, ...(state && { state }), ...(after && { after }) } },
    }),
  );
  return (
    <Stack>
      <Title order={1} size="h3">
        Runs
      </Title>
      <SegmentedControl
        aria-label="State"
        size="xs"
        data={[{ value: '', label: 'All' }, ...runFilters.map((value) => ({ value, label: labels[value] }))]}
        value={state ?? ''}
        onChange={(value) =>
          navigate({
            search: ({ state: _, ...rest }) => ({ ...rest, ...(value && { state: value as RunFilter }) }),
          })
        }
        style={{ alignSelf: 'flex-start', maxWidth: '100%', flexWrap: 'wrap' }}
      />
      {runs.items.length > 0 && <RunsTable runs={runs.items} />}
      <EndOfPages pages={runs} none="No run is in this state." />
    </Stack>
  );
}
