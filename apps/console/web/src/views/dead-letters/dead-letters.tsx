import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { useAccess } from '../../parts/access.js';
import { CommandDialog } from '../../parts/command-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';

type Letter = components['schemas']['DeadLetter'];

/** Messages that a consumer could not handle: what each is, and what to do next. */
export function DeadLetters() {
  const letters = usePages(['dead-letters'], (after) =>
    api().get('/v1/dead-letters', { params: { query: { limit: 50, ...(after && { after }) } } }),
  );
  return (
    <Stack>
      <Title order={1} size="h3">
        Dead letters
      </Title>
      <Text size="sm">Messages that a consumer could not handle, and put aside so that others go on.</Text>
      {letters.items.map((letter) => (
        <One key={`${letter.consumer} ${letter.event}`} letter={letter} />
      ))}
      <EndOfPages pages={letters} none="There are none." />
    </Stack>
  );
}

function One({ letter }: { letter: Letter }) {
  const { mayCommand } = useAccess();
  const [asked, setAsked] = useState<'retry' | 'discard'>();
  const { consumer, event, type, reason, field, parkedAt, attempts, source, origin, nextStep, retryable } =
    letter;
  return (
    <Card withBorder component="section" aria-label={`${type} of ${consumer}`}>
      <Stack gap="xs">
        <Title order={2} size="h5" className="foreign">
          {type}
        </Title>
        <Text size="sm" className="foreign">
          {consumer} could not handle it: <Sentence of={reason} />
        </Text>
        <Text size="sm" fw={600} className="foreign">
          <Sentence of={nextStep} />.
        </Text>
        <Facts
          of={[
            ['Put aside', <When key="at" at={parkedAt} />],
            ['Attempts', attempts],
            ['Queue or key', letter.key],
            ...(field === null ? [] : [['Field', field] as const]),
            ...(source === null ? [] : [['Sender', source] as const]),
            ...(origin === null ? [] : [['On Kafka', origin] as const]),
            ...(letter.retryAskedAt === null
              ? []
              : [['Retry', <When key="retry" at={letter.retryAskedAt} />] as const]),
            ['Message', event],
          ]}
        />
        {mayCommand && (
          <Group>
            {retryable && <Button onClick={() => setAsked('retry')}>Retry</Button>}
            <Button color="red.9" onClick={() => setAsked('discard')}>
              Discard
            </Button>
          </Group>
        )}
        {asked === 'retry' && (
          <CommandDialog
            title={`Retry ${type}`}
            verb="Retry"
            isGrave={false}
            asksReason={false}
            effect={`${consumer} handles it again within seconds. It disappears from here, or comes back with the reason.`}
            send={({ by }) =>
              api().post('/v1/dead-letters/retry', { body: { consumer, event, ...(by && { by }) } })
            }
            onClose={() => setAsked(undefined)}
          />
        )}
        {asked === 'discard' && (
          <CommandDialog
            title={`Discard ${type}`}
            verb="Discard"
            isGrave
            asksReason
            effect={`${consumer} never handles it: what it states does not happen. The log keeps who discarded it, and why.`}
            send={({ by, reason: why = '' }) =>
              api().post('/v1/dead-letters/discard', {
                body: { consumer, event, reason: why, ...(by && { by }) },
              })
            }
            onClose={() => setAsked(undefined)}
          />
        )}
      </Stack>
    </Card>
  );
}
