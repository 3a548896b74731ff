import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Problem } from './problem.tsx';

/** A list as the API answers it, a page at a time. @param after the `next` of the previous page; undefined: the first. */
type ReadPage<T> = (after: string | undefined) => Promise<{ items: T[]; next?: string | undefined }>;

/** Reads a list to its end. @param most items; the rest is left out. */
export async function allPages<T>(read: ReadPage<T>, most: number): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | undefined; all.length < most; ) {
    const { items, next } = await read(after);
    all.push(...items);
    if (next === undefined) break;
    after = next;
  }
  return all;
}

export interface Pages<T> {
  items: readonly T[];
  isRead: boolean;
  error: unknown;
  readAgain: () => void;
  /** Absent: this is all. */
  more?: { read: () => void; isReading: boolean };
}

/** The first page of a list, and more of it when a person asks. All of what is shown is read again when the log has news. */
export function usePages<T>(key: readonly unknown[], read: ReadPage<T>): Pages<T> {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  return {
    items: data?.pages.flatMap(({ items }) => items) ?? [],
    isRead: data !== undefined,
    error,
    readAgain: () => void refetch(),
    ...(hasNextPage && { more: { read: () => void fetchNextPage(), isReading: isFetchingNextPage } }),
  };
}

/** What is below a list: its error, that it is empty, or a button for more. @param none says that nothing is in it. */
export function EndOfPages<T>({
  pages: { items, isRead, error, more },
  none,
}: {
  pages: Pages<T>;
  none: string;
}) {
  return (
    <>
      {error !== null && error !== undefined && <Problem error={error} />}
      {isRead && items.length === 0 && <Text size="sm">{none}</Text>}
      {more && (
        <Button
          variant="default"
          onClick={more.read}
          loading={more.isReading}
          style={{ alignSelf: 'center' }}
        >
          Show more
        </Button>
      )}
    </>
  );
}
