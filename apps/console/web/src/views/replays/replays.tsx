import { Accordion, Code, Group, Progress, Stack, Text, Title } from '@mantine/core';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';

type Replay = components['schemas']['Replay'];

/** What each reads the log again for. */
const purposes: Record<Replay['into'], string> = {
  projections: 'The tables behind the API are made again',
  digest: 'Recorded plans are made again and compared',
  shadow: 'Recorded plans are made again with other settings',
  kafka: 'Recorded events are published again',
  archive: 'Months of the log are moved into files',
};

/** Running and past replays, latest first. */
export function Replays() {
  const replays = usePages(['replays'], (after) =>
    api().get('/v1/replays', { params: { query: { limit: 50, ...(after && { after }) } } }),
  );
  return (
    <Stack>
      <Title order={1} size="h3">
        Replays
      </Title>
      <Text size="sm">
        A replay reads the recorded log again. It evicts nothing. Start one with curtail replay.
      </Text>
      <Accordion chevronPosition="left">
        {replays.items.map((replay) => (
          <One key={replay.replay} replay={replay} />
        ))}
      </Accordion>
      <EndOfPages pages={replays} none="Nothing has been replayed yet." />
    </Stack>
  );
}

function One({ replay }: { replay: Replay }) {
  const { into, state, by, done, of, startedAt, message, request, result } = replay;
  return (
    <Accordion.Item value={replay.replay}>
      <Accordion.Control>
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            {purposes[into]}: {state}
          </Text>
          <Text size="sm" className="foreign">
            {by}, <When at={startedAt} />
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="xs">
          <Group gap="sm" wrap="nowrap">
            <Progress
              value={of === 0 ? 0 : (100 * done) / of}
              aria-label={`${done} of ${of}`}
              style={{ flex: 1 }}
            />
            <Text size="sm">
              {done} of {of}
            </Text>
          </Group>
          {message && (
            <Text size="sm" className="foreign">
              <Sentence of={message} />
            </Text>
          )}
          <Code block className="json" tabIndex={0} aria-label="Request and result as JSON">
            {JSON.stringify({ replay: replay.replay, request, result }, null, 2)}
          </Code>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
