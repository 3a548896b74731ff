import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '#api-client';
import { covers, waitingForApproval } from '#contracts';
import { api } from '../../api/client.js';
import { useAccess } from '../../parts/access.js';
import { CommandDialog } from '../../parts/command-dialog.tsx';
import { useStops } from '../../parts/stops.js';
import { type Command, effectOf } from './effect-of.js';
import { useExplanation, useRun } from './use-run.js';

type Run = components['schemas']['Enforcement'];

/** Approve, reject and cancel. Each asks first, and states its effect. */
export function Commands({ run }: { run: Run }) {
  const [asked, setAsked] = useState<Command>();
  const { mayCommand } = useAccess();
  const offered = offeredFor(run);
  if (offered.length === 0 || !mayCommand) return null;
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
          effect={<Effect command={asked} run={run} />}
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
  return state === waitingForApproval ? ['approve', 'reject'] : ['cancel'];
}

/** Follows what happens while the dialog is open. */
function Effect({ command, run }: { command: Command; run: Run }) {
  const stops = useStops(run.partition);
  const detail = useRun(run.enforcement);
  const isStopped = stops.own.some(({ queue }) => covers(queue, run.queue));
  const explained = useExplanation(run.enforcement);
  const { approvedWith = null, leastSeconds = null } = detail.data ?? {};
  const owners = explained.data?.summary?.owners;
  const whose = command === 'approve' && explained.isLoading ? ['Whose they are is still being read…'] : [];
  const sentences = effectOf(command, run, { isStopped, approvedWith, owners, leastSeconds });
  return [...sentences, ...whose].map((sentence) => <Text key={sentence}>{sentence}</Text>);
}
