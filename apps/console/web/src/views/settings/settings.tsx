import { Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { QueueLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';
import { SettingsTable } from '../../parts/settings-table.tsx';
import { When } from '../../parts/when.tsx';

/** The settings in force for a queue or the partition, where each comes from, and what operators have set. */
export function SettingsView() {
  const partition = usePartition();
  const { queue = 'root' } = useSearch({ from: '/settings' });
  const navigate = useNavigate({ from: '/settings' });
  const settings = useQuery({
    queryKey: ['settings', partition, queue],
    queryFn: () =>
      api().get('/v1/partitions/{partition}/settings', {
        params: { path: { partition }, query: { queue } },
      }),
  });
  return (
    <Stack>
      <Title order={1} size="h3">
        Settings
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = new FormData(event.currentTarget).get('queue');
          void navigate({ search: (before) => ({ ...before, queue: String(wanted ?? '').trim() }) });
        }}
      >
        <TextInput
          key={queue}
          name="queue"
          label="Queue"
          description="root is the partition. Press Enter to look."
          defaultValue={queue}
          maw={420}
        />
      </form>
      {settings.error && <Problem error={settings.error} />}
      {settings.data && <SettingsTable settings={settings.data.settings} />}
      <Section name="Set by operators">
        {settings.data?.overrides.length === 0 && (
          <Text size="sm">Nothing: all settings are those of the configuration and the installation.</Text>
        )}
        {settings.data && settings.data.overrides.length > 0 && (
          <Rows name="Set by operators" columns={['Queue', 'Setting', 'Value', 'By', 'Since', 'Reason']}>
            {settings.data.overrides.map((set) => (
              <Table.Tr key={`${set.queue} ${set.setting}`}>
                <Table.Td>
                  <QueueLink queue={set.queue} />
                  {!set.configured && ' (not in the configuration)'}
                </Table.Td>
                <Table.Td>{set.setting}</Table.Td>
                <Table.Td className="foreign">{JSON.stringify(set.value)}</Table.Td>
                <Table.Td className="foreign">{set.by}</Table.Td>
                <Table.Td>
                  <When at={set.at} />
                </Table.Td>
                <Table.Td className="foreign">{set.reason ?? '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Section>
    </Stack>
  );
}
