import type { components } from '@curtail/api-client';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { amountsText } from '../../parts/amounts.js';
import { CommandDialog } from '../../parts/command-dialog.tsx';

type Run = components['schemas']['Enforcement'];
type Command = 'approve' | 'reject' | 'cancel';

/** Approve, reject and cancel. Each asks first, and states its effect. */
export function Commands({ run }: { run: Run }) {
  const [asked, setAsked] = useState<Command>();
  const offered = offeredFor(run);
  if (offered.length === 0) return null;
  return (
    <Group>
      {offered.map((command) => (
        <Button
          key={command}
          color={command === 'approve' ? 'blue' : 'red.9'}
          onClick={() => setAsked(command)}
        >
          {titles[command]}
        </Button>
      ))}
      {asked && (
        <CommandDialog
          title={`${titles[asked]}: ${run.queue}`}
          effect={<Text>{effectOf(asked, run)}</Text>}
          verb={titles[asked]}
          isGrave={asked !== 'approve'}
          asksReason={asked !== 'approve'}
          send={(given) =>
            api().post(`/v1/enforcements/{enforcement}/${asked}`, {
              params: { path: { enforcement: run.enforcement } },
              body: given,
            })
          }
          onClose={() => setAsked(undefined)}
        />
      )}
    </Group>
  );
}

const titles: Record<Command, string> = { approve: 'Approve', reject: 'Reject', cancel: 'Cancel the run' };

function offeredFor({ state, endedAt }: Run): Command[] {
  if (endedAt !== null || state === 'ended' || state === 'cancelled') return [];
  return state === 'waiting for approval' ? ['approve', 'reject'] : ['cancel'];
}

/** What a command would do now. */
function effectOf(command: Command, { victims, evicted, claimed, mode }: Run): string {
  const left = victims - evicted;
  const allocations = left === 1 ? '1 allocation' : `${left} allocations`;
  if (command === 'approve')
    return mode === 'observe'
      ? `Nothing is evicted while the partition observes. The plan names ${allocations} with ${amountsText(claimed)}.`
      : `${allocations} will be evicted, which frees ${amountsText(claimed)}. Each is checked once more before it goes.`;
  if (command === 'reject')
    return `Nothing is evicted: ${allocations} stay. The queue stays above its quota until its next run.`;
  return evicted === 0
    ? `Nothing is evicted: ${allocations} stay.`
    : `${allocations} stay; ${evicted} evicted so far do not come back. An eviction that was requested already may still be carried out.`;
}
