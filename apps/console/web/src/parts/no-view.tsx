import { Stack, Title } from '@mantine/core';
import { ViewLink } from './links.tsx';
import { Problem } from './problem.tsx';

/** Shown instead of a view that cannot be read. */
export function NoView({ title, error }: { title: string; error: unknown }) {
  return (
    <Stack align="flex-start">
      <Title order={1} size="h3" className="foreign">
        {title}
      </Title>
      <Problem error={error} />
      <ViewLink to="/">Go to the overview</ViewLink>
    </Stack>
  );
}
