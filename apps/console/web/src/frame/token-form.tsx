import { Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { token } from '../api/client.js';
import { failure, logIn, whereToLogIn } from '../api/login.js';

/** Asks for the token, which this tab keeps until it is closed. */
export function TokenForm({ isWrong }: { isWrong: boolean }) {
  const [value, setValue] = useState('');
  const login = useQuery({ queryKey: ['login'], queryFn: whereToLogIn });
  const where = login.data;
  const tried = token.get() !== undefined && isWrong;
  return (
    <Center mih="100vh" p="md">
      <Paper withBorder p="lg" w={420} maw="100%">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            token.set(value.trim());
            location.reload();
          }}
        >
          <Stack>
            <Title order={1} size="h3">
              Curtail
            </Title>
            <Text>
              This Curtail needs a token: open the link that its start printed, or enter your token, that of
              your team, or the output of curtail config token.
            </Text>
            {failure !== undefined && <Text c="red">{failure}</Text>}
            {where && <Button onClick={() => void logIn(where)}>Log in</Button>}
            <PasswordInput
              label="Token"
              autoComplete="off"
              value={value}
              error={tried ? 'This Curtail has another token.' : undefined}
              onChange={({ currentTarget }) => setValue(currentTarget.value)}
              required
            />
            <Button type="submit" variant={where ? 'default' : 'filled'}>
              Show
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
