import { Alert, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import { api, codeOf } from '../../api/client.js';
import { Facts } from '../../parts/facts.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';

/** Who reports clusters and sends configurations, and how fresh that is. Reports are no events, so nothing tells the page of them. */
export function Agents() {
  const reports = useQuery({
    queryKey: ['inventory'],
    queryFn: () => api().get('/v1/inventory', {}),
    staleTime: 0,
  });
  const feeds = usePages(['feeds'], (after) =>
    api().get('/v1/feeds', { params: { query: { limit: 100, ...(after && { after }) } } }),
  );
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h3">
          Agents
        </Title>
        <Button
          variant="default"
          size="xs"
          loading={reports.isFetching}
          onClick={() => {
            void reports.refetch();
            feeds.readAgain();
          }}
        >
          Read again
        </Button>
      </Group>
      {codeOf(reports.error) === 'no-inventory' ? (
        <Text size="sm">No cluster reports to this Curtail: its cluster is simulated.</Text>
      ) : (
        reports.error && <Problem error={reports.error} />
      )}
      {reports.data?.items.map((of) => (
        <Reports key={of.partition} of={of} />
      ))}
      {(reports.data?.unread ?? []).map(({ place, reports: count }) => (
        <Text key={place} size="sm" className="foreign">
          {place}: {count} reports are not applied yet
        </Text>
      ))}
      <Section name="Senders">
        {feeds.items.map((feed) => (
          <Sender key={`${feed.kind} ${feed.source} ${feed.partition}`} feed={feed} />
        ))}
        <EndOfPages pages={feeds} none="Nothing has been sent over Kafka." />
      </Section>
    </Stack>
  );
}

function Reports({ of }: { of: components['schemas']['PartitionInventory'] }) {
  return (
    <Card withBorder component="section" aria-label={`Reports of ${of.partition}`}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h5" className="foreign">
            {of.partition}
          </Title>
          <Badge tt="none" {...(of.known ? { variant: 'default' } : { color: 'red.9' })}>
            {of.known ? 'plans and evictions follow its reports' : 'not known: nothing is planned or evicted'}
          </Badge>
        </Group>
        <Facts
          of={[
            ['Source', of.source ?? '–'],
            ['Last report', <When key="last" at={of.lastReportAt} />],
            ['Last complete listing', <When key="listed" at={of.listedAt} />],
            ['Listed up to', of.listedSequence],
            ['Newest', of.newestSequence],
          ]}
        />
        {of.held && (
          <Alert color="orange" title="A listing is held">
            It would remove {of.held.drops} of {of.held.of} running allocations. A second one confirms it, or
            an operator accepts it: curtail inventory accept.
          </Alert>
        )}
        {of.notices.map(({ code, message, remedy }) => (
          <Text key={`${code} ${message}`} size="sm" className="foreign">
            <Sentence of={message} /> <Sentence of={remedy} />.
          </Text>
        ))}
      </Stack>
    </Card>
  );
}

function Sender({ feed }: { feed: components['schemas']['Feed'] }) {
  return (
    <Card withBorder padding="sm" mb="xs">
      <Facts
        of={[
          ['Source', feed.source || 'without a name'],
          ['Sends', feed.kind === 'inventory' ? 'reports' : 'configurations'],
          ['Partition', feed.partition ?? '–'],
          ['Messages', feed.messages],
          ['Last', <When key="last" at={feed.receivedAt} />],
          ['In transit', feed.lagSeconds === null ? '–' : `${feed.lagSeconds.toFixed(1)} s`],
          ['In force', feed.inForce ?? '–'],
        ]}
      />
    </Card>
  );
}
