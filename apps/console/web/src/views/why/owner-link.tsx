import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { useAccess } from '../../parts/access.js';
import { CommandDialog } from '../../parts/command-dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { When } from '../../parts/when.tsx';

/** Makes a link by which the owner reads this answer, and nothing else, without a token; and revokes those that were made. */
export function OwnerLink({ partition, allocation }: { partition: string; allocation: string }) {
  const { mayCommand } = useAccess();
  const made = useMutation({
    mutationFn: () =>
      api().post('/v1/allocations/{id}/link', { params: { path: { id: allocation } }, body: { partition } }),
  });
  const [isAsked, setAsked] = useState(false);
  if (!mayCommand) return null;
  return (
    <Stack gap="xs" align="flex-start">
      <Group gap="xs">
        <Button variant="default" onClick={() => made.mutate()} loading={made.isPending}>
          Make a link for the owner
        </Button>
        {made.data?.expiresAt !== null && (
          <Button variant="default" onClick={() => setAsked(true)}>
            Revoke its links
          </Button>
        )}
      </Group>
      {made.error && <Problem error={made.error} isOfCommand />}
      {made.data && <Made {...made.data} />}
      {isAsked && (
        <CommandDialog
          title={`Revoke the links to the answer about ${allocation}`}
          verb="Revoke"
          isGrave={false}
          asksReason={false}
          effect="All existing links to this answer stop working. You can make a new one."
          send={({ by }) =>
            api()
              .delete('/v1/allocations/{id}/link', {
                params: { path: { id: allocation }, query: { partition, ...(by && { by }) } },
              })
              .then(() => made.reset())
          }
          onClose={() => setAsked(false)}
        />
      )}
    </Stack>
  );
}

function Made({ path, expiresAt }: { path: string; expiresAt: string | null }) {
  return (
    <Stack gap={4} w="100%">
      <TextInput
        label="Link for the owner"
        readOnly
        value={location.origin + path}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Text size="sm">
        {expiresAt === null ? (
          'This Curtail has no token: the link shows what everyone may see.'
        ) : (
          <>
            Its holder can read this answer without a token, and nothing else. It ends <When at={expiresAt} />
            .
          </>
        )}
      </Text>
    </Stack>
  );
}
