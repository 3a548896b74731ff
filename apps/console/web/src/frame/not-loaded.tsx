import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';

/**
 * In place of a view whose script does not arrive. The page is loaded again only when the server answers: until then, what is loaded is all
 * that there is.
 */
export function NotLoaded() {
  const [isTried, setTried] = useState(false);
  const tryAgain = () =>
    fetch(location.pathname, { method: 'HEAD' }).then(
      () => location.reload(),
      () => setTried(true),
    );
  return (
    <Stack align="flex-start" role="alert">
      <Title order={1} size="h3">
        This view could not be loaded
      </Title>
      <Text>The server does not respond, or was upgraded after this page was loaded.</Text>
      <Button variant="default" onClick={tryAgain}>
        Load again
      </Button>
      {isTried && <Text>There is still no answer.</Text>}
    </Stack>
  );
}
