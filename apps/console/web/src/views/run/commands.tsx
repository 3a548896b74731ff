import type { components } from '@curtail/api-client';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { amountsText } from '../../parts/amounts.js';
import { Problem } from '../../parts/problem.tsx';

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
      {asked && <Asked command={asked} run={run} onDone={() => setAsked(undefined)} />}
    </Group>
  );
}

const titles: Record<Command, string> = { approve: 'Approve', reject: 'Reject', cancel: 'Cancel the run' };

function offeredFor({ state, endedAt }: Run): Command[] {
  if (endedAt !== null || state === 'ended' || state === 'cancelled') return [];
  return state === 'waiting for approval' ? ['approve', 'reject'] : ['cancel'];
}

function Asked({ command, run, onDone }: { command: Command; run: Run; onDone: () => void }) {
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: (): Promise<unknown> => {
      const body = {
        ...(by.trim() !== '' && { by: by.trim() }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      };
      const init = { params: { path: { enforcement: run.enforcement } }, body } as never;
      if (command === 'approve') return api().post('/v1/enforcements/{enforcement}/approve', init);
      if (command === 'reject') return api().post('/v1/enforcements/{enforcement}/reject', init);
      return api().post('/v1/enforcements/{enforcement}/cancel', init);
    },
    onSuccess: () => {
      onDone();
      void queries.invalidateQueries();
    },
  });
  return (
    <Modal opened onClose={onDone} title={`${titles[command]}: ${run.queue}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        <Stack>
          <Text>{effectOf(command, run)}</Text>
          {command !== 'approve' && (
            <TextInput
              label="Reason"
              value={reason}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
              required
              data-autofocus
            />
          )}
          <TextInput
            label="Your name"
            placeholder="operator"
            value={by}
            onChange={({ currentTarget }) => setBy(currentTarget.value)}
          />
          {send.error && <Problem error={send.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onDone}>
              Leave it
            </Button>
            <Button type="submit" color={command === 'approve' ? 'blue' : 'red.9'} loading={send.isPending}>
              {titles[command]}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
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
