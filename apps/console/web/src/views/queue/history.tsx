import { SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { RunLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { When } from '../../parts/when.tsx';
import { type Period, periodMs, periods } from './period.js';
import { Plot } from './plot.tsx';

type History = components['schemas']['QueueHistory'];

/** The history of a queue in the chosen time; read again when the log has news. */
export function useHistory(partition: string, queue: string, period: Period) {
  return useQuery({
    queryKey: ['history', partition, queue, period],
    queryFn: () => {
      const since = new Date(Date.now() - periodMs[period]).toISOString();
      return api().get('/v1/queues/{path}/history', {
        params: { path: { path: queue }, query: { partition, since } },
      });
    },
  });
}

/** Usage and quota over time, and everything that changed them, with its author. */
export function QueueHistoryView({
  partition,
  queue,
  types,
}: {
  partition: string;
  queue: string;
  types: string[];
}) {
  const { period = 'day' } = useSearch({ from: '/queues/$queue' });
  const navigate = useNavigate({ from: '/queues/$queue' });
  const history = useHistory(partition, queue, period);
  return (
    <>
      <Section
        name="Over time"
        aside={
          <SegmentedControl
            size="xs"
            aria-label="Period shown"
            data={periods.map((value) => ({ value, label: value }))}
            value={period}
            onChange={(value) =>
              navigate({ search: (before) => ({ ...before, period: value as Period }), replace: true })
            }
          />
        }
      >
        {history.error && <Problem error={history.error} />}
        {history.data && (
          <Stack gap="xs">
            {types.map((type) => (
              <div key={type}>
                <Text size="sm" fw={600} className="foreign">
                  {type}
                </Text>
                <Plot type={type} history={history.data} from={startOf(history.data)} />
              </div>
            ))}
            <Legend />
          </Stack>
        )}
      </Section>
      {history.data && (
        <Section name="History">
          <Marks history={history.data} />
        </Section>
      )}
    </>
  );
}

/** Empty time before the first entry is left out. */
function startOf({ since, at, quotas, usage, marks }: History): number {
  const now = Date.parse(at);
  // The first quota holds since before the beginning.
  const firsts = [quotas[1]?.at, usage[0]?.at, marks.at(-1)?.at].flatMap((time) =>
    time ? [Date.parse(time)] : [],
  );
  const first = Math.min(now - 60_000, ...firsts);
  return Math.max(Date.parse(since), first - (now - first) / 20);
}

function Legend() {
  return (
    <>
      <div className="legend" aria-hidden>
        {[
          ['quota', 'change of the quota'],
          ['clock', 'clock'],
          ['run', 'run'],
          ['stop', 'stop, freeze, mode'],
          ['setting', 'setting'],
        ].map(([kind, words]) => (
          <span key={kind}>
            <i className={`mark-${kind}`} />
            {words}
          </span>
        ))}
      </div>
      <Text size="xs" c="dimmed">
        Usage is as the log states it: at plans, evictions and findings (dots), and now. Of events older than
        an hour, only the last of each time is marked.
      </Text>
    </>
  );
}

function Marks({ history: { marks, isWhole } }: { history: History }) {
  if (marks.length === 0) return <Text size="sm">The log has nothing of this queue in this time.</Text>;
  return (
    <>
      <VirtualRows
        name="History"
        columns={['When', 'What', 'By', 'Run']}
        items={marks}
        keyOf={({ position }) => position}
        minWidth={640}
        cells={({ at, sentence, by, enforcement, configuration, count }) => (
          <>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              <When at={at} />
            </Table.Td>
            <Table.Td className="foreign">
              <Sentence of={sentence} />
              {configuration !== null && `, configuration ${configuration}`}
              {count > 1 && `, the last of ${count}`}
            </Table.Td>
            <Table.Td className="foreign">{by ?? '–'}</Table.Td>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              {enforcement ? <RunLink run={enforcement} /> : '–'}
            </Table.Td>
          </>
        )}
      />
      {!isWhole && <Text size="sm">There is more in this time: choose a shorter one.</Text>}
    </>
  );
}
