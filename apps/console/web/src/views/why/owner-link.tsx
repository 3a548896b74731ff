import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { useAccess } from '../../parts/access.js';
import { Problem } from '../../parts/problem.tsx';
import { When } from '../../parts/when.tsx';

/** Makes a link by which the owner reads this answer, and nothing else, without a token. */
export function OwnerLink({ partition, allocation }: { partition: string; allocation: string }) {
  const { mayCommand } = useAccess();
  const made = useMutation({
    mutationFn: () =>
      api().post('/v1/allocations/{id}/link', { params: { path: { id: allocation } }, body: { partition } }),
  });
  if (!mayCommand) return null;
  if (!made.data)
    return (
      <Stack gap="xs" align="flex-start">
        <Button variant="default" onClick={() => made.mutate()} loading={made.isPending}>
          Make a link for the owner
        </Button>
        {made.error && <Problem error={made.error} />}
      </Stack>
    );
  const { path, expiresAt } = made.data;
  return (
    <Stack gap={4}>
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
