import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Problem } from './problem.tsx';

/** Who commands it, and why; absent: not given. */
export interface Given {
  by?: string;
  reason?: string;
}

interface Props {
  /** The command and its subject. */
  title: string;
  /** What it would do now. */
  effect: ReactNode;
  /** The label of the button that does it. */
  verb: string;
  /** It ends work, or keeps work from being ended. */
  isGrave: boolean;
  asksReason: boolean;
  send: (given: Given) => Promise<unknown>;
  onClose: () => void;
}

/** Asks before a command is sent: states its effect, and records who commands it and why. */
export function CommandDialog({ title, effect, verb, isGrave, asksReason, send, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const queries = useQueryClient();
  const command = useMutation({
    mutationFn: () =>
      send({
        ...(by.trim() !== '' && { by: by.trim() }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }),
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries();
    },
  });
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          command.mutate();
        }}
      >
        <Stack>
          <div>{effect}</div>
          {asksReason && (
            <TextInput
              label="Reason"
              description="For the record, and for everyone who wonders."
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
          {command.error && <Problem error={command.error} isOfCommand />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Leave it
            </Button>
            <Button type="submit" color={isGrave ? 'red.9' : 'blue'} loading={command.isPending}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
