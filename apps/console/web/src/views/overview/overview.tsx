import { Grid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { usePartition } from '../../frame/use-partition.js';
import { BarLegend } from '../../parts/amount-bar.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useStatus } from '../../parts/status.js';
import { useQueues } from '../../parts/use-queues.js';
import { useFreezes } from './freezes.js';
import { QueueRows } from './queue-rows.tsx';
import { Situation } from './situation.tsx';

/** The queues of a partition with their quotas, and what happens to them now. */
export function Overview() {
  const partition = usePartition();
  const { find = '', open } = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const queues = useQueues(partition);
  const freezes = useFreezes(partition);
  const { own } = useStatus(partition);
  const above = useMemo(
    () => new Map((own?.above.first ?? []).map(({ queue, reason }) => [queue, reason])),
    [own],
  );
  const opened = useMemo(() => new Set(open === undefined ? ['root'] : open.split(' ')), [open]);
  const set = (search: { find?: string; open?: string }) =>
    navigate({ search: (before) => ({ ...before, ...search }), replace: true });
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="sm">
          <Title order={1} size="h3">
            Queues
          </Title>
          <TextInput
            aria-label="Find a queue"
            placeholder="Find a queue"
            value={find}
            onChange={({ currentTarget }) => set({ find: currentTarget.value })}
          />
          {queues.error && <Problem error={queues.error} />}
          {queues.data?.length === 0 && (
            <Text>Partition {partition} has no configuration yet. Send one with curtail apply.</Text>
          )}
          {queues.data && queues.data.length > 0 && <BarLegend />}
          {queues.data && queues.data.length > 0 && (
            <QueueRows
              queues={queues.data}
              open={opened}
              find={find}
              freezes={freezes.data?.items ?? []}
              above={above}
              onToggle={(path) => {
                const next = new Set(opened);
                if (!next.delete(path)) next.add(path);
                set({ open: [...next].join(' ') });
              }}
            />
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Situation partition={partition} />
      </Grid.Col>
    </Grid>
  );
}
