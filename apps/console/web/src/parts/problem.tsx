import { Alert, Text } from '@mantine/core';
import { wordsOf } from '../api/client.js';

/** An error, and what to do about it. */
export function Problem({ error }: { error: unknown }) {
  const { title, detail, remedy } = wordsOf(error);
  return (
    <Alert color="red" title={title} role="alert">
      <Text size="sm" className="foreign">
        {detail}
      </Text>
      {remedy && <Text size="sm">{remedy}</Text>}
    </Alert>
  );
}
