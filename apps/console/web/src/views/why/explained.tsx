import { Center, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiWith } from '../../api/client.js';
import { Problem } from '../../parts/problem.tsx';
import { When } from '../../parts/when.tsx';
import { Answer } from './answer.tsx';

/** What the bearer of a link reads: one answer. The link is behind `#`, which browsers do not send with the address. */
export function Explained() {
  const link = location.hash.slice(1);
  const answer = useQuery({
    queryKey: ['explained', link],
    queryFn: () => apiWith(link).get('/v1/explained', {}),
    enabled: link !== '',
  });
  return (
    <Center p="md">
      <Stack w={760} maw="100%" component="main">
        <Title order={1} size="h3" className="foreign">
          Why was {answer.data?.allocation ?? 'mine'} evicted?
        </Title>
        {link === '' && <Text>The address has no link to an answer. Copy all of it.</Text>}
        {answer.error && <Problem error={answer.error} />}
        {answer.isLoading && <Text>Looking…</Text>}
        {answer.data && (
          <>
            <Answer explanation={answer.data} />
            <Text size="sm" c="dimmed">
              This link ends <When at={answer.data.expiresAt} />.
            </Text>
          </>
        )}
      </Stack>
    </Center>
  );
}
