import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <Stack>
      <Title order={1} size="h3">
        There is no such page
      </Title>
      <Text>
        Go to the{' '}
        <Anchor component={Link} to="/" underline="always">
          overview
        </Anchor>
        .
      </Text>
    </Stack>
  );
}
