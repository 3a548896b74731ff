import { Alert, Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { mayPass, wordsOf } from '../api/client.js';
import { Sentence } from './sentence.tsx';

interface Props {
  error: unknown;
  /** Of a command: its own button sends it again. */
  isOfCommand?: boolean;
}

/** An error, and what to do about it. */
export function Problem({ error, isOfCommand = false }: Props) {
  const { title, detail, remedy } = wordsOf(error);
  const queries = useQueryClient();
  return (
    <Alert color="red" title={title} role="alert">
      <Text size="sm" className="foreign">
        <Sentence of={detail} />
      </Text>
      {remedy && (
        <Text size="sm">
          <Sentence of={remedy} />
        </Text>
      )}
      {!isOfCommand && mayPass(error) && (
        <Button
          variant="default"
          size="xs"
          mt="xs"
          onClick={() => queries.refetchQueries({ type: 'active' })}
        >
          Try again
        </Button>
      )}
    </Alert>
  );
}
