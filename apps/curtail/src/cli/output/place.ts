import { partitionOption } from '#contracts';

/** The option that selects that partition, for hints. */
export function placeOf({ partition }: { partition: string }): string {
  return partitionOption(partition);
}
