import { Alert, Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { Problem } from '../parts/problem.tsx';
import { When } from '../parts/when.tsx';

/** Stops all evictions of the partition, at once, and lets them go on. Within reach on every view. */
export function KillSwitch({ partition }: { partition: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const queries = useQueryClient();
  const stops = useQuery({ queryKey: ['stops'], queryFn: () => api().get('/v1/kill-switch', {}) });
  const own = (stops.data?.items ?? []).filter((stop) => stop.partition === partition);
  const isStopped = own.some(({ queue }) => queue === null);
  const [reason, setReason] = useState('');
  const [by, setBy] = useState('');
  const command = useMutation({
    mutationFn: async (): Promise<unknown> => {
      const name = by.trim() === '' ? {} : { by: by.trim() };
      return isStopped
        ? api().delete('/v1/kill-switch', { params: { query: { partition, ...name } } })
        : api().post('/v1/kill-switch', { body: { partition, reason: reason.trim(), ...name } as never });
    },
    onSuccess: () => {
      setReason('');
      close();
      void queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red.9" onClick={open}>
        {isStopped ? 'Stopped' : 'Stop'}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={isStopped ? `Resume evictions in ${partition}` : `Stop all evictions in ${partition}`}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            command.mutate();
          }}
        >
          <Stack>
            {isStopped ? (
              <>
                <Text>Runs in progress go on, and clocks that are due start. These stops are cleared:</Text>
                <List size="sm">
                  {own.map((stop) => (
                    <List.Item key={stop.queue ?? ''}>
                      {stop.queue ?? 'the whole partition'}: {stop.reason ?? 'without a reason'}, by {stop.by}
                      , <When at={stop.since} />
                    </List.Item>
                  ))}
                </List>
              </>
            ) : (
              <>
                <Text>
                  At once, nothing more is evicted in this partition. Evictions that were requested already
                  may still be carried out. Runs wait; they go on when you resume.
                </Text>
                <TextInput
                  label="Reason"
                  description="For the record, and for everyone who wonders."
                  value={reason}
                  onChange={({ currentTarget }) => setReason(currentTarget.value)}
                  required
                  data-autofocus
                />
              </>
            )}
            <TextInput
              label="Your name"
              placeholder="operator"
              value={by}
              onChange={({ currentTarget }) => setBy(currentTarget.value)}
            />
            {command.error && <Problem error={command.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Leave it
              </Button>
              <Button type="submit" color={isStopped ? 'blue' : 'red.9'} loading={command.isPending}>
                {isStopped ? 'Resume evictions' : 'Stop all evictions'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
      {stops.error && <Alert color="red">The kill switch cannot be read.</Alert>}
    </>
  );
}
