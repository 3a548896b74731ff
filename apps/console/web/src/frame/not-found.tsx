import { Anchor, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <>
      <Title order={2}>There is no such page</Title>
      <Text>
        Go to the{' '}
        <Anchor component={Link} to="/" underline="always">
          overview
        </Anchor>
        .
      </Text>
    </>
  );
}
